"""The lists of the memory lab: the ledger of rows, the messages before the model, turns against rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.memory.matrix import Cell as Fate
from workbench.core.memory.prompt import Prompt
from workbench.core.memory.simulation import RowStage
from workbench.tui.text import clip, fit
from workbench.tui.widgets.lines import Cell, LineView
from workbench.views.memory import SIGNS, STAGE_WORDS

_STYLES: dict[Fate, str] = {
    "kept": "good",
    "answer-only": "warn",
    "budget-pruned": "bad",
    "outside-window": "dim",
    "outside-cap": "dim",
    "off-branch": "gate",
    "running": "name",
}
_STAGE_STYLES = {
    "kept": "good",
    "running": "name",
    "budget-pruned": "bad",
    "raises": "bad",
    "off-branch": "gate",
    "empty-filtered": "warn",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A turn of the matrix."""

    turn: int
    cells: tuple[Fate, ...]
    tokens: int


def draw_row(row: RowStage, width: int) -> Sequence[Cell]:
    """A row of the ledger."""
    style = _STAGE_STYLES.get(row.stage, "dim")
    return [
        (f"{row.turn:>4} ", "dim"),
        (fit(STAGE_WORDS[row.stage], 21), style),
        (f"{row.tokens:>6}  ", ""),
        (
            clip(f"{row.row.query} → {row.row.answer}", max(8, width - 34)),
            "" if row.stage == "kept" else "dim",
        ),
    ]


def row_head(width: int) -> Sequence[Cell]:
    """The head of the ledger."""
    return [(fit("Turn What became of it      Tokens  Question → answer", width), "")]


def draw_message(message: Prompt, width: int) -> Sequence[Cell]:
    """A message of the final list."""
    return [
        (fit(message.role, 10), "name" if message.row is None else ""),
        (fit("own prompt" if message.row is None else message.row, 14) + " ", "dim"),
        (clip(message.text, max(8, width - 26)), ""),
    ]


def draw_line(line: Line, width: int) -> Sequence[Cell]:
    """A turn: one sign a row, runs of the same sign as one piece."""
    pieces: list[Cell] = [(f"{line.turn:>4} ", "dim"), (f"{line.tokens:>7} ", "")]
    last: str | None = None
    for cell in line.cells:
        sign, style = SIGNS[cell], _STYLES[cell]
        if style == last:
            pieces[-1] = (pieces[-1][0] + sign, style)
        else:
            pieces.append((sign, style))
        last = style
    return pieces


def line_head(width: int) -> Sequence[Cell]:
    """The head of the matrix."""
    return [(fit("Turn  Tokens Rows, the oldest first", width), "")]


class RowsPanel(LineView[RowStage]):
    """The ledger."""

    HELP = """
    Every row of the conversation and what became of it at this turn: kept, or why it is not there.

    enter        its whole texts
    """

    def __init__(self) -> None:
        super().__init__(draw_row, head=row_head, empty="The conversation has no rows.", id="memory-rows")


class MessagesPanel(LineView[Prompt]):
    """The final list."""

    HELP = """
    What the model gets, in this order: the node's own prompt (where its app is known), the history, the
    question. Variables other than the question stay as they are written.

    enter        the whole text
    """

    def __init__(self) -> None:
        super().__init__(draw_message, empty="No history reaches the model.", id="memory-messages")


class MatrixPanel(LineView[Line]):
    """Turns against rows."""

    HELP = """
    A line a turn, a sign a row: the turn at which a row leaves can be seen at a glance.

    enter        go to that turn
    """

    def __init__(self) -> None:
        super().__init__(
            draw_line, head=line_head, empty="The conversation has no rows.", wide=0, id="memory-matrix"
        )
