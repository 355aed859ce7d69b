"""Which rows are a turn's past: Dify's walk along `parent_message_id`, newest row first, and its traps.

The walk goes through the rows once and stops at the first root, so a smaller limit only ends it sooner: the
thread within N rows is the beginning of the thread within all. Everything that varies the window builds on
that. Source: Dify `extract_thread_messages`, TokenBufferMemory in its forms A to D.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from workbench.core.memory.settings import Form
from workbench.records.conversation import NIL, Row


@dataclass(frozen=True, slots=True)
class Thread:
    """The rows at one turn, newest first, and which of them memory takes when nothing limits it.

    Attributes:
        rows: newest first.
        slots: the place of each row in what the query returns, None where the query leaves it out (form A).
        taken: indexes into `rows` of the thread, newest first, without the running turn.
        running: the index of the running turn that is dropped, None when none is.
    """

    rows: tuple[Row, ...]
    slots: tuple[int | None, ...]
    taken: tuple[int, ...]
    running: int | None


def at_turn(rows: Sequence[Row], turn: int) -> tuple[Row, ...]:
    """The rows as they were while a turn ran: what came later is not there, its own answer is not either.

    Args:
        rows: oldest first.
        turn: from 1.
    """
    return (*rows[: turn - 1], replace(rows[turn - 1], answer="", answer_tokens=0))


def unanswered(row: Row, form: Form) -> bool:
    """Whether a row counts as the turn that still runs."""
    return not row.answer and (form in ("A", "B") or not row.answer_tokens)


def thread(rows: Sequence[Row], form: Form) -> Thread:
    """The thread that ends in the newest row.

    Args:
        rows: oldest first, as `Conversation.rows`.
    """
    newest = tuple(reversed(rows))
    if form == "A":
        return _filtered(newest)
    taken = walk(newest)
    running = taken[0] if taken and unanswered(newest[taken[0]], form) else None
    return Thread(newest, tuple(range(len(newest))), taken[1:] if running is not None else taken, running)


def walk(newest: Sequence[Row]) -> tuple[int, ...]:
    """The places of the rows on the first one's branch; a row without a parent ends it, whoever's root."""
    taken: list[int] = []
    wanted: str | None = None
    for place, row in enumerate(newest):
        if not row.parent_message_id:
            taken.append(place)
            break
        if wanted is None or wanted in (row.id, NIL):
            taken.append(place)
            wanted = row.parent_message_id
    return tuple(taken)


def _filtered(newest: tuple[Row, ...]) -> Thread:
    """Form A: no threads, and the query itself leaves unanswered rows out."""
    slots: list[int | None] = []
    count = 0
    for row in newest:
        slots.append(count if row.answer else None)
        count += bool(row.answer)
    taken = tuple(place for place, slot in enumerate(slots) if slot is not None)
    return Thread(newest, tuple(slots), taken, 0 if newest and not newest[0].answer else None)
