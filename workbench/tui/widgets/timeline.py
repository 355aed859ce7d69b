"""The timeline: the whole run in one row, with marks, and the step in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from workbench.core.picture.marks import Mark, MarkKind
from workbench.tui.text import fit
from workbench.tui.widgets.events import SIGNS

_RANK: tuple[MarkKind, ...] = ("pause", "error", "first-chunk", "gate", "form", "run", "start")
"""Of several steps in one cell the first of these is shown."""
_STYLES = {
    "pause": "warn",
    "error": "bad",
    "first-chunk": "good",
    "gate": "gate",
    "form": "warn",
    "run": "name",
}


class Timeline(Widget):
    """A ruler of steps: click or drag to go to one."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "timeline--past",
        "timeline--future",
        "timeline--here",
        "timeline--text",
        "timeline--warn",
        "timeline--bad",
        "timeline--good",
        "timeline--gate",
        "timeline--name",
    }
    HELP = """
    The run from its first to its last step. Click or drag to go to a step.

    ‖ pause  ✗ error  » first text  ◆ the gate changed  ? form  ● the run starts or ends
    ╷ a node starts  ◉ a breakpoint
    """

    class Went(Message):
        """The user wants another step."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._marks: Sequence[Mark] = ()
        self._step = 0
        self._steps = 0
        self._words = ""
        self._dragging = False
        self._breaks: frozenset[int] = frozenset()
        self._signs: tuple[int, dict[int, int]] | None = None

    def set_marks(self, marks: Sequence[Mark], steps: int, breaks: frozenset[int] = frozenset()) -> None:
        """Another run, or more of the same. `breaks`: the steps at which a breakpoint stops."""
        self._marks, self._steps, self._breaks = marks, steps, breaks
        self._signs = None
        self.refresh()

    def set_step(self, step: int, words: str) -> None:
        """Another step, and what it is in words."""
        self._step, self._words = step, words
        self.refresh()

    # Steps 0..n over the cells of a row: each step has its cell, cells between are filled.

    def cell_of(self, step: int, width: int) -> int:
        """The cell in which a step stands."""
        return 0 if not self._steps else round(step * (width - 1) / self._steps)

    def step_at(self, cell: int, width: int) -> int:
        """The step nearest to a cell."""
        return 0 if width < 2 else max(0, min(self._steps, round(cell * self._steps / (width - 1))))

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y == 0:
            return self._ruler(width)
        look = self.get_component_rich_style("timeline--text")
        return Strip([Segment(fit(self._words, width), look)]).adjust_cell_length(width, look)

    def _ruler(self, width: int) -> Strip:
        here = self.cell_of(self._step, width)
        past, future = (self.get_component_rich_style(f"timeline--{n}") for n in ("past", "future"))
        cells: list[tuple[str, Style]] = [("━", past) if x < here else ("─", future) for x in range(width)]
        best = self._best(width)
        for x, rank in best.items():
            kind = _RANK[rank]
            sign = "╷" if kind == "start" else SIGNS[kind][0]
            base = past if x < here else future
            own = (
                self.get_component_rich_style(f"timeline--{_STYLES[kind]}", partial=True)
                if kind in _STYLES
                else Style()
            )
            cells[x] = (sign, base + Style(color=own.color, bold=own.bold))
        stop = self.get_component_rich_style("timeline--bad", partial=True)
        for x in {self.cell_of(step, width) for step in self._breaks}:
            base = past if x < here else future
            cells[x] = ("◉", base + Style(color=stop.color, bold=True))
        if width:
            sign = cells[here][0]
            cells[here] = ("┃" if sign in "━─" else sign, self.get_component_rich_style("timeline--here"))
        return Strip([Segment(text, style) for text, style in cells], width)

    def _best(self, width: int) -> dict[int, int]:
        """The rank of what each cell shows; kept, so that a step on a long run costs only its row."""
        if self._signs is not None and self._signs[0] == width:
            return self._signs[1]
        ranks = {kind: at for at, kind in enumerate(_RANK)}
        best: dict[int, int] = {}
        for mark in self._marks:
            rank = ranks.get(mark.kind)
            if rank is None:
                continue
            x = self.cell_of(mark.step, width)
            if rank < best.get(x, len(_RANK)):
                best[x] = rank
        self._signs = (width, best)
        return best

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.refresh()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        place = event.get_content_offset(self)
        if place is not None and place.y == 0:
            self._dragging = True
            self.capture_mouse()
            self._go_to(place.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragging:
            self._go_to(event.screen_x - self.content_region.x)

    def _go_to(self, cell: int) -> None:
        self.post_message(self.Went(self.step_at(cell, self.size.width)))

    def on_mouse_up(self) -> None:
        self._dragging = False
        self.release_mouse()
