"""Many settings over a whole conversation at once, and the smallest that keep what must be kept.

What pruning leaves is always the newest k messages of the thread, and the thread within a window is the
beginning of the whole one. So each turn is walked and counted once, and each setting is two look-ups.
`tests/core/memory` compares every outcome with `simulate`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from workbench.core.memory.pruning import KEEPS, suffix_counts
from workbench.core.memory.settings import CAP, Form, Prune, Settings, budget, rows_read
from workbench.core.memory.simulation import ROLES
from workbench.core.memory.thread import at_turn, thread
from workbench.core.tokens import Counter
from workbench.records.conversation import Row


@dataclass(frozen=True)
class Turn:
    """A turn, walked and counted.

    Attributes:
        turn: from 1.
        places: of the rows in the thread, newest first, as indexes into the conversation.
        slots: of the same rows: how many rows of the query come before each.
        counts: tokens of the newest k messages, k from 0 on.
    """

    turn: int
    places: tuple[int, ...]
    slots: tuple[int, ...]
    counts: tuple[int, ...]

    def left(self, limit: int, tokens: int, prune: Prune) -> int:
        """How many of the newest messages a row limit and a budget leave."""
        length = 2 * bisect_left(self.slots, limit)
        fits = min(length, max(0, bisect_right(self.counts, tokens) - 1))
        if prune == "turns":
            fits -= fits % 2
        return max(fits, min(length, KEEPS[prune]))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one setting leaves at one turn."""

    turn: int
    messages: int
    tokens: int

    @property
    def turns(self) -> float:
        """Past turns: 1.5 is an answer without its question, and a turn."""
        return self.messages / 2


def prepare(
    rows: Sequence[Row], form: Form, counter: Counter, turns: Iterable[int] | None = None
) -> Iterator[Turn]:
    """Walk and count each turn (all when `turns` is None).

    Args:
        rows: oldest first.
    """
    costs = [
        tuple(
            counter.cost(role, text, False) for role, text in zip(ROLES, (row.query, row.answer), strict=True)
        )
        for row in rows
    ]
    for turn in turns if turns is not None else range(1, len(rows) + 1):
        first = max(0, turn - CAP - 1) if form != "A" else 0
        branch = thread(at_turn(rows[first:turn], turn - first), form)
        places: list[int] = []
        slots: list[int] = []
        newest: list[int] = []
        for place in branch.taken:
            slot = branch.slots[place]
            if slot is None or slot >= CAP:
                break
            index = turn - 1 - place
            places.append(index)
            slots.append(slot)
            newest += (costs[index][1], costs[index][0])
        last = counter.cost(ROLES[1], rows[places[0]].answer, True) if places else 0
        yield Turn(turn, tuple(places), tuple(slots), tuple(suffix_counts(newest, last, counter.empty)))


def sweep(turns: Sequence[Turn], settings: Settings) -> tuple[Outcome, ...]:
    """What settings leave at each prepared turn; form and counter are those of `prepare`."""
    limit, tokens = rows_read(settings), budget(settings).limit
    found: list[Outcome] = []
    for turn in turns:
        left = turn.left(limit, tokens, settings.prune)
        found.append(Outcome(turn.turn, left, turn.counts[left]))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Need:
    """A message that must be there at a turn: its row's place in the conversation, and which of the two."""

    turn: int
    place: int
    answer: bool


@dataclass(frozen=True)
class Smallest:
    """The smallest limits that keep everything that is needed.

    Attributes:
        window: rows, the running one included; 0 when nothing is needed.
        budget: tokens.
        decides_window, decides_budget: the need that asks for the most.
        impossible: needs that no setting meets: not on the branch, or older than 500 rows.
    """

    window: int
    budget: int
    decides_window: Need | None
    decides_budget: Need | None
    impossible: tuple[Need, ...] = ()


def smallest(turns: Sequence[Turn], needs: Iterable[Need], prune: Prune = "shipped") -> Smallest:
    """The smallest window and budget that still hold every need at its turn. Exact, not a search."""
    by_turn = {turn.turn: turn for turn in turns}
    window = tokens = 0
    by_window: Need | None = None
    by_budget: Need | None = None
    impossible: list[Need] = []
    for need in needs:
        turn = by_turn[need.turn]
        length = _length(turn, need)
        if length is None:
            impossible.append(need)
            continue
        if prune == "turns":
            length += length % 2
        rows = turn.slots[(length - 1) // 2] + 1
        # Shipped Dify keeps the newest message whatever the budget.
        cost = 0 if length <= KEEPS[prune] else turn.counts[length]
        if rows > window:
            window, by_window = rows, need
        if cost > tokens:
            tokens, by_budget = cost, need
    return Smallest(window, tokens, by_window, by_budget, tuple(impossible))


def needed(turns: Sequence[Turn], needs: Iterable[Need]) -> tuple[int, ...]:
    """How many of the newest messages each turn must be left to hold its needs (impossible ones apart)."""
    by_turn = {turn.turn: turn for turn in turns}
    least = dict.fromkeys(by_turn, 0)
    for need in needs:
        length = _length(by_turn[need.turn], need) or 0
        least[need.turn] = max(least[need.turn], length)
    return tuple(least.values())


def _length(turn: Turn, need: Need) -> int | None:
    """The newest messages up to a needed one; None when it is not on the turn's thread."""
    if need.place not in turn.places:
        return None
    return 2 * turn.places.index(need.place) + (1 if need.answer else 2)


def needs_of(rows: Sequence[Row], text: str, turns: Iterable[int]) -> tuple[Need, ...]:
    """Every message that holds a text, needed at each of the turns after its own."""
    holding = [
        (place, is_answer)
        for place, row in enumerate(rows)
        for is_answer, said in ((False, row.query), (True, row.answer))
        if text in said
    ]
    return tuple(
        Need(turn, place, is_answer) for turn in turns for place, is_answer in holding if place < turn - 1
    )
