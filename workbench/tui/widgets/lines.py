"""A list of lines that paints only what can be seen: ten thousand events or runs cost nothing until they
are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

Cell = tuple[str, str]
"""A piece of a line: clean text and the name of its style ("" for none)."""


class LineView[Row](ScrollView, can_focus=True):
    """Rows of one line each, with a cursor.

    Args:
        draw: gives the pieces of a row for a width in cells; called for visible rows only.
        styles: names that `draw` may use; each is a component class `line--NAME`.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line--cursor",
        "line--marked",
        "line--dim",
        "line--good",
        "line--bad",
        "line--warn",
        "line--gate",
        "line--name",
        "line--head",
        "line--changed",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "Down", show=False, id="lines.down"),
        Binding("k,up", "move(-1)", "Up", show=False, id="lines.up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="lines.page_down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="lines.page_up"),
        Binding("home", "go(0)", "First", show=False, id="lines.first"),
        Binding("end,G", "go(-1)", "Last", show=False, id="lines.last"),
        Binding("enter", "choose", "Open", show=False, id="lines.choose"),
        Binding("h,left", "pan(-12)", "Left", show=False, id="lines.left"),
        Binding("l,right", "pan(12)", "Right", show=False, id="lines.right"),
    ]

    cursor: reactive[int] = reactive(0)

    class Moved(Message):
        """The cursor stands on another row."""

        def __init__(self, view: LineView[Any], index: int) -> None:
            super().__init__()
            self.view, self.index = view, index

        @property
        def control(self) -> LineView[Any]:
            """The list."""
            return self.view

    class Chosen(Moved):
        """The row was chosen by enter or a click."""

    def __init__(
        self,
        draw: Callable[[Row, int], Sequence[Cell]],
        *,
        head: Callable[[int], Sequence[Cell]] | None = None,
        empty: str = "",
        wide: int = 0,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._draw, self._head, self._wide = draw, head, wide
        self.empty = empty
        self.rows: Sequence[Row] = ()
        self.marked: int | None = None

    @property
    def _top(self) -> int:
        return 1 if self._head else 0

    def set_rows(self, rows: Sequence[Row], cursor: int | None = None) -> None:
        """Show other rows; the cursor stays where it is unless told."""
        self.rows = rows
        self.virtual_size = Size(self._wide, len(rows) + self._top)
        wanted = self.cursor if cursor is None else cursor
        self.set_reactive(LineView.cursor, max(0, min(wanted, len(rows) - 1)))
        self._reveal()
        self.refresh()

    def mark(self, index: int | None) -> None:
        """Mark one row as the current one, and show it."""
        self.marked = index
        if index is not None:
            self.cursor = index
        self.refresh()

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    # painting ------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        inner = max(width, self._wide)
        base = self.rich_style
        if self._head and y == 0:
            return self._strip(self._head(inner), inner, self._look("head"), width)
        index = y - self._top + self.scroll_offset.y
        if not self.rows and y == self._top and self.empty:
            return self._strip([(self.empty, "dim")], inner, base, width)
        if not 0 <= index < len(self.rows):
            return Strip.blank(width, base)
        under = base
        if index == self.marked:
            under = self._look("marked")
        if index == self.cursor and self.has_focus:
            under = self._look("cursor")
        return self._strip(self._draw(self.rows[index], inner), inner, under, width)

    def _look(self, name: str) -> Style:
        return self.get_component_rich_style(f"line--{name}")

    def _strip(self, cells: Sequence[Cell], inner: int, under: Style, width: int) -> Strip:
        pieces = []
        for text, style in cells:
            look = under
            if style and under != self._look("cursor"):
                # Not in part: a colour such as $text-muted is made for the background that it stands on.
                own = self._look(style)
                look = under + Style(
                    color=own.color, bold=own.bold, dim=own.dim, italic=own.italic, underline=own.underline
                )
            pieces.append(Segment(text, look))
        strip = Strip(pieces).adjust_cell_length(inner, under)
        x = self.scroll_offset.x
        return strip.crop(x, x + width).adjust_cell_length(width, under)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.refresh()

    # moving --------------------------------------------------------------

    def validate_cursor(self, cursor: int) -> int:
        return max(0, min(cursor, len(self.rows) - 1))

    def watch_cursor(self, cursor: int) -> None:
        self._reveal()
        self.refresh()
        if self.rows:
            self.post_message(self.Moved(self, cursor))

    def _reveal(self) -> None:
        if self.rows:
            self.scroll_to_region(
                Region(self.scroll_offset.x, self.cursor, 1, 1 + self._top), animate=False, force=True
            )

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        self.cursor += by

    def action_page(self, by: int) -> None:
        """Move the cursor by a page."""
        self.cursor += by * max(1, self.size.height - self._top - 1)

    def action_go(self, index: int) -> None:
        """Move the cursor to a row; -1 is the last."""
        self.cursor = len(self.rows) - 1 if index < 0 else index

    def action_pan(self, by: int) -> None:
        """Move the view sideways."""
        self.scroll_relative(x=by, animate=False)

    def action_choose(self) -> None:
        """Choose the row under the cursor."""
        if self.row is not None:
            self.post_message(self.Chosen(self, self.cursor))

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is None:
            return
        index = place.y - self._top + self.scroll_offset.y
        if place.y >= self._top and 0 <= index < len(self.rows):
            self.cursor = index
            self.post_message(self.Chosen(self, index))


def plain_line(cells: Sequence[Cell]) -> Content:
    """The pieces of a row as one content, to be copied or shown elsewhere."""
    return Content("".join(text for text, _ in cells))
