"""One turn of one node: every row and message, kept or gone, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from workbench.core.memory.pruning import kept, suffix_counts
from workbench.core.memory.settings import CAP, Budget, Settings, budget, row_limit, rows_read
from workbench.core.memory.thread import Thread, thread
from workbench.records.conversation import Row

Stage = Literal[
    "kept",
    "outside-cap",
    "outside-window",
    "off-branch",
    "running",
    "raises",
    "budget-pruned",
    "empty-filtered",
]
STAGES: tuple[Stage, ...] = Stage.__args__  # type: ignore[attr-defined]
Binding = Literal["cap", "window", "budget", "none"]
ROLES = ("user", "assistant")


@dataclass(frozen=True, slots=True)
class Message:
    """A message of the history.

    Attributes:
        row: the id of its row.
        tokens: its own cost, without what an empty list costs.
        stage: kept, or what took it.
        files: how many files stand before its text (forms C and D) or behind it.
    """

    role: str
    text: str
    tokens: int
    row: str
    turn: int
    stage: Stage
    files: int = 0


@dataclass(frozen=True, slots=True)
class RowStage:
    """A row and where it ended. `tokens` is what its two messages cost, whether they are kept or not."""

    row: Row
    turn: int
    stage: Stage
    tokens: int


@dataclass(frozen=True)
class Simulation:
    """What a node sees at a turn.

    Attributes:
        rows: all, oldest first.
        history: the messages of the rows that memory took, oldest first, pruned ones included.
        used: tokens of the history after pruning, as the counter says.
        binding: the limit that decides how far back the history goes.
    """

    settings: Settings
    rows: tuple[RowStage, ...]
    history: tuple[Message, ...]
    budget: Budget
    used: int
    binding: Binding

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages that reach the prompt, oldest first."""
        return tuple(message for message in self.history if message.stage == "kept")

    @property
    def left(self) -> tuple[Message, ...]:
        """What memory gives to the node: all that pruning left; the prompt drops the empty ones later."""
        return tuple(message for message in self.history if message.stage in ("kept", "empty-filtered"))

    @property
    def raises(self) -> bool:
        """Whether reading the history fails, and the node with it."""
        return any(row.stage == "raises" for row in self.rows)


def simulate(rows: Sequence[Row], settings: Settings) -> Simulation:
    """What a node with these settings sees while the newest row runs.

    Args:
        rows: oldest first. A newest row without answer is the running turn.
    """
    branch = thread(rows, settings.form)
    limit = rows_read(settings)
    taken = [place for place in branch.taken if _slot(branch, place) < limit]
    limits = budget(settings)
    raising = {
        place for place in taken if settings.form in ("C", "D") and branch.rows[place].file_config_missing
    }
    texts = [
        (role, text)
        for place in reversed(taken)
        for role, text in zip(ROLES, (branch.rows[place].query, branch.rows[place].answer), strict=True)
    ]
    counter = settings.counter
    costs = [counter.cost(role, text, False) for role, text in texts]
    last = counter.cost(*texts[-1], True) if texts else 0
    counts = suffix_counts(list(reversed(costs)), last, counter.empty)
    left = 0 if raising else kept(counts, len(texts), limits.limit, settings.prune)
    if costs:
        costs[-1] = last
    history: list[Message] = []
    for number, ((role, text), cost) in enumerate(zip(texts, costs, strict=True)):
        place = taken[len(taken) - 1 - number // 2]
        stage: Stage = "kept"
        if raising:
            stage = "raises"
        elif number < len(texts) - left:
            stage = "budget-pruned"
        elif not text and not _files(branch.rows[place], role) and settings.caller == "llm":
            stage = "empty-filtered"
        row = branch.rows[place]
        history.append(Message(role, text, cost, row.id, len(rows) - place, stage, _files(row, role)))
    return Simulation(
        settings,
        tuple(_staged(branch, set(taken), history, settings)),
        tuple(history),
        limits,
        counts[left],
        _binding(branch, taken, left < len(texts) and not raising, settings),
    )


def _slot(branch: Thread, place: int) -> int:
    slot = branch.slots[place]
    return CAP if slot is None else slot


def _files(row: Row, role: str) -> int:
    return sum(
        file.belongs_to == role or (role == "user" and file.belongs_to != "assistant") for file in row.files
    )


def _staged(
    branch: Thread, taken: set[int], history: Sequence[Message], settings: Settings
) -> list[RowStage]:
    """Every row with its stage, oldest first."""
    messages: dict[str, list[Message]] = {}
    for message in history:
        messages.setdefault(message.row, []).append(message)
    window = row_limit(settings)
    found: list[RowStage] = []
    for place in range(len(branch.rows) - 1, -1, -1):
        row, slot = branch.rows[place], branch.slots[place]
        own = messages.get(row.id, [])
        if place in taken:
            stage = _of_messages(own)
        elif place == branch.running:
            stage = "running"
        elif slot is None:
            stage = "empty-filtered"
        elif slot >= rows_read(settings):
            stage = "outside-window" if window is not None and window <= CAP else "outside-cap"
        else:
            stage = "off-branch"
        tokens = sum(message.tokens for message in own) if own else _cost(row, settings)
        found.append(RowStage(row, len(branch.rows) - place, stage, tokens))
    return found


def _of_messages(messages: Sequence[Message]) -> Stage:
    """What became of a row: kept when one of its messages is; all are lost where reading one raises."""
    stages = {message.stage for message in messages}
    ranked: tuple[Stage, ...] = ("raises", "kept", "budget-pruned", "empty-filtered")
    return next(stage for stage in ranked if stage in stages)


def _cost(row: Row, settings: Settings) -> int:
    return sum(
        settings.counter.cost(role, text, False)
        for role, text in zip(ROLES, (row.query, row.answer), strict=True)
    )


def _binding(branch: Thread, taken: Sequence[int], pruned: bool, settings: Settings) -> Binding:
    if pruned:
        return "budget"
    if len(taken) < len(branch.taken):
        window = row_limit(settings)
        return "window" if window is not None and window <= CAP else "cap"
    return "none"
