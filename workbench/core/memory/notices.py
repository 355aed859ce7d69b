"""What a user should know about a simulation: each a stable code and a sentence with the numbers in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from workbench.core.memory.settings import DEFAULT_BUDGET, Settings, row_limit, rows_read
from workbench.core.memory.simulation import Message, Simulation
from workbench.records.conversation import NIL, Row

_THINK = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing to know. `rows` are ids of the rows that it is about."""

    code: str
    message: str
    rows: tuple[str, ...] = ()


def notices(result: Simulation) -> tuple[Notice, ...]:
    """All that is worth saying about a turn, the gravest first."""
    found: list[Notice] = []
    for rule in (_raising, _counting, _limits, _shape, _rows, _thinking):
        found += rule(result)
    return tuple(found)


def _raising(result: Simulation) -> Iterator[Notice]:
    bad = tuple(
        each.row.id for each in result.rows if each.stage == "raises" and each.row.file_config_missing
    )
    if bad:
        yield Notice(
            "history-raises",
            f"{_rows_text(bad)} has files, but its workflow run is gone: reading the history raises and the "
            "node fails (#32674).",
            bad,
        )


def _counting(result: Simulation) -> Iterator[Notice]:
    settings = result.settings
    if not settings.counter.counts:
        yield Notice(
            "counting-off",
            "Dify counts no tokens by default (PLUGIN_BASED_TOKEN_COUNTING_ENABLED is false): every count "
            "is 0 and the budget prunes nothing. Only the window limits the history.",
        )
    if settings.budget is not None or settings.caller == "agent-v1":
        return
    if not settings.context:
        yield Notice(
            "context-unknown",
            f"The model's context size is not known: the budget is {DEFAULT_BUDGET} tokens, as Dify has it.",
        )
        return
    if not settings.max_tokens:
        yield Notice(
            "reply-not-reserved",
            "max_tokens is not set: nothing is reserved for the reply, history may fill the whole context.",
        )
    if result.budget.limit == 0 and settings.counter.counts:
        yield Notice(
            "budget-zero",
            f"The budget is 0 ({result.budget.formula}); shipped Dify still keeps the newest message.",
        )
    if settings.caller in ("llm", "llm-completion"):
        yield Notice(
            "prompt-not-counted",
            "The node's own prompt, the query, retrieved texts and files are not taken off the budget: "
            "together with the history they may exceed the context.",
        )


def _limits(result: Simulation) -> Iterator[Notice]:
    settings, window = result.settings, row_limit(result.settings)
    ignores = settings.caller in ("classifier", "extractor", "agent-v1")
    if ignores and not settings.window_enabled and window is not None:
        yield Notice(
            "window-switch-ignored",
            f"The window is switched off, but this node applies its size {window} all the same.",
        )
    if settings.caller == "chat" and window is None:
        yield Notice("no-window", "A basic chat app has no window: 500 rows are read (#8526).")
    running = any(each.stage == "running" for each in result.rows)
    if window is not None and running and settings.form != "A":
        past = min(window, rows_read(settings)) - 1
        yield Notice(
            "window-counts-the-running-turn",
            f"A window of {window} holds the running turn too: at most {past} past turn{'s'[: past != 1]}.",
        )
    if result.rows and not running:
        yield Notice(
            "no-running-turn",
            "The newest row has an answer. In Dify the running turn is a row as well and takes one place.",
        )


def _shape(result: Simulation) -> Iterator[Notice]:
    messages = result.messages
    if not messages:
        return
    head = messages[0]
    if head.role == "assistant":
        yield Notice(
            "orphaned-answer",
            f"The history begins with the answer of turn {head.turn}; its question was pruned. "
            f"{_orphan_remedy(result, head)}",
            (head.row,),
        )
    pairs = [(a, b) for a, b in pairwise(messages) if a.role == b.role == "user"]
    if pairs:
        rows = tuple(a.row for a, _ in pairs)
        yield Notice(
            "two-users-in-a-row",
            f"Two user messages in a row after turn {', '.join(str(a.turn) for a, _ in pairs[:5])}, which "
            "has no answer. Some providers refuse that (#14871).",
            rows,
        )
    over = [message for message in messages if message.tokens > result.budget.limit]
    if over and result.settings.counter.counts and result.settings.prune == "shipped":
        worst = max(over, key=lambda message: message.tokens)
        yield Notice(
            "message-over-budget",
            f"The {worst.role} message of turn {worst.turn} alone has {worst.tokens} tokens, the budget is "
            f"{result.budget.limit}: it is kept all the same, since the last message always is (#36717).",
            (worst.row,),
        )


def _orphan_remedy(result: Simulation, head: Message) -> str:
    pruned = [m for m in result.history if m.stage == "budget-pruned"]
    if not pruned:
        return ""
    needed = result.used + pruned[-1].tokens
    return f"A budget of {needed} keeps the question, one below {result.used} drops the answer too."


def _rows(result: Simulation) -> Iterator[Notice]:
    settings = result.settings
    rows = [each.row for each in result.rows]
    cut = tuple(each.row.id for each in result.rows if each.stage == "off-branch")
    taken = [
        each for each in result.rows if each.stage not in ("off-branch", "outside-cap", "outside-window")
    ]
    if settings.form != "A":
        yield from _branches(rows, cut, [each.row for each in taken], settings)
    late = tuple(
        each.row.id
        for each in result.rows
        if each.stage in ("kept", "budget-pruned") and not each.row.answer and each.row.query
    )
    if late:
        yield Notice(
            "unanswered-turns",
            f"{_rows_text(late)} never got an answer: in the history only the question is left (#13340).",
            late,
        )


def _branches(
    rows: Sequence[Row], cut: tuple[str, ...], taken: Sequence[Row], settings: Settings
) -> Iterator[Notice]:
    if cut:
        yield Notice(
            "other-branch",
            f"{len(cut)} row{'s'[: len(cut) != 1]} belong to another branch (regenerated turns) and are left "
            "out; inside a window they still take up places.",
            cut,
        )
    known = {row.id for row in rows}
    head = taken[0] if taken else None
    if head is None:
        return
    parent = head.parent_message_id
    wanted = taken[1].parent_message_id if len(taken) > 1 else None
    strange = wanted not in (None, NIL, head.id)
    if not parent and (strange or head is not rows[0]):
        if strange:
            yield Notice(
                "wrong-root",
                f"The history begins with {head.id}, a root, but the parent of the next turn is {wanted}.",
                (head.id,),
            )
        else:
            yield Notice(
                "thread-cut",
                f"{head.id} has no parent_message_id: everything before it is forgotten (#9130).",
                (head.id,),
            )
    elif parent and parent != NIL and parent not in known:
        yield Notice(
            "parent-missing",
            f"The parent {parent} of {head.id} is not among the rows: the history ends there.",
            (head.id,),
        )
    if _cyclic(rows):
        yield Notice("parent-cycle", "Some rows are each other's parents; Dify's walk ends all the same.")


def _cyclic(rows: Sequence[Row]) -> bool:
    parents = {row.id: row.parent_message_id for row in rows}
    done: set[str] = set()
    for start in parents:
        path: set[str] = set()
        at: str | None = start
        while at is not None and at in parents and at not in done:
            if at in path:
                return True
            path.add(at)
            at = parents[at]
        done |= path
    return False


def _thinking(result: Simulation) -> Iterator[Notice]:
    counter = result.settings.counter
    rows = [m for m in result.messages if m.role == "assistant" and "<think>" in m.text]
    if not rows:
        return
    spent = sum(
        m.tokens - counter.cost(m.role, _THINK.sub("", m.text), m is result.messages[-1]) for m in rows
    )
    cost = f" and cost {spent} tokens a turn" if counter.counts else ""
    yield Notice(
        "think-in-history",
        f"<think> parts of {len(rows)} answer{'s'[: len(rows) != 1]} are sent again each turn{cost}; "
        "reasoning_format: separated keeps them out (#13692).",
        tuple(m.row for m in rows),
    )


def _rows_text(rows: Sequence[str]) -> str:
    shown = ", ".join(rows[:3])
    return (
        f"Row {shown}"
        if len(rows) == 1
        else f"Rows {shown}{f' and {len(rows) - 3} more' if len(rows) > 3 else ''}"
    )
