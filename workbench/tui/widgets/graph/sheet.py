"""From a drawn canvas to the strips of a panel: each row is made once, and cropped when the view is moved."""

from __future__ import annotations

from collections.abc import Callable

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from workbench.tui.widgets.graph.canvas import Canvas

SELECTED = "node-selected"
Run = tuple[int, int, int]
"""The cells of the selected node that are marked: x, y, width."""


class Sheet:
    """A canvas as strips.

    Args:
        style: gives the style of a name of `drawing`; "" is the panel's own.
    """

    def __init__(self, style: Callable[[str], Style]) -> None:
        self._style = style
        self._styles: dict[str, Style] = {}
        self._rows: dict[int, Strip] = {}
        self.canvas = Canvas(0, 0)
        self._selected: Run | None = None

    def show(self, canvas: Canvas, selected: Run | None) -> set[int] | None:
        """Another drawing; gives the rows that are new in it, None where all are."""
        before, self.canvas = self.canvas, canvas
        if (before.width, before.height) != (canvas.width, canvas.height):
            self._rows.clear()
            self._selected = selected
            return None
        changed = before.differing(canvas)
        for y in changed:
            self._rows.pop(y, None)
        return changed | self.select(selected)

    def select(self, selected: Run | None) -> set[int]:
        """Mark another node of the same drawing; gives the rows that look different."""
        if selected == self._selected:
            return set()
        rows = {run[1] for run in (self._selected, selected) if run is not None}
        for y in rows:
            self._rows.pop(y, None)
        self._selected = selected
        return rows

    def restyle(self) -> None:
        """The styles are others now."""
        self._styles.clear()
        self._rows.clear()

    def look(self, name: str) -> Style:
        """The style of a name."""
        if name not in self._styles:
            self._styles[name] = self._style(name)
        return self._styles[name]

    def row(self, y: int) -> Strip:
        """A whole row; it must be one of the canvas."""
        found = self._rows.get(y)
        if found is None:
            marked = self._selected if self._selected is not None and self._selected[1] == y else None
            runs = self.canvas.runs(y, marked and (marked[0], marked[2], SELECTED))
            found = self._rows[y] = Strip([Segment(text, self.look(style)) for text, style in runs])
        return found
