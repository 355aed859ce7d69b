"""Turns against rows: at which turn each row left the memory of a node, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from workbench.core.memory.settings import CAP, Settings, budget, row_limit, rows_read
from workbench.core.memory.sweep import Turn

Cell = Literal[
    "kept", "answer-only", "budget-pruned", "outside-window", "outside-cap", "off-branch", "running"
]


def matrix(turns: Sequence[Turn], settings: Settings) -> tuple[tuple[Cell, ...], ...]:
    """A line for each prepared turn: what became of every row up to its own, oldest first.

    Rows without a message and rows whose files raise are told by `simulate` of that turn only.

    Args:
        turns: of `prepare`, with the form and the counter of these settings.
    """
    limit, tokens, window = rows_read(settings), budget(settings).limit, row_limit(settings)
    beyond: Cell = "outside-window" if window is not None and window <= CAP else "outside-cap"
    return tuple(_line(turn, limit, tokens, beyond, settings) for turn in turns)


def _line(turn: Turn, limit: int, tokens: int, beyond: Cell, settings: Settings) -> tuple[Cell, ...]:
    left = turn.left(limit, tokens, settings.prune)
    # Forms B to D read the running row too: it takes the first slot.
    first = 0 if settings.form == "A" else 1
    cells: list[Cell] = ["off-branch"] * turn.turn
    for place in range(turn.turn - 1):
        if turn.turn - 2 - place + first >= limit and settings.form != "A":
            cells[place] = beyond
    cells[turn.turn - 1] = "running"
    for at, (place, slot) in enumerate(zip(turn.places, turn.slots, strict=True)):
        if slot >= limit:
            cells[place] = beyond
        elif left >= 2 * at + 2:
            cells[place] = "kept"
        else:
            cells[place] = "answer-only" if left == 2 * at + 1 else "budget-pruned"
    return tuple(cells)
