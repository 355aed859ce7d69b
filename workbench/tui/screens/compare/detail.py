"""The whole values of one row, side by side: lines aligned, changed words marked, long lines wrapped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, get_character_cell_size
from textual import events
from textual.message import Message

from workbench.core.textdiff import Pair, Span
from workbench.tui.widgets.lines import Cell, LineView

MOST_SHOWN = 200_000
"""Lines on screen at most; that there are more is said."""


@dataclass(frozen=True, slots=True)
class Beside:
    """One line on screen: the pieces of both columns with whether each is changed, and the sign between."""

    before: tuple[tuple[str, bool], ...]
    sign: str
    after: tuple[tuple[str, bool], ...]
    before_there: bool = True
    after_there: bool = True


def column(width: int) -> int:
    """The width of one of both columns."""
    return max(1, (width - 3) // 2)


def wrapped(line: str | None, spans: Sequence[Span], width: int) -> list[tuple[tuple[str, bool], ...]]:
    """A clean line in rows of at most `width` cells, cut into pieces that are changed or not."""
    if line is None:
        return []
    if not spans and len(line) <= width and line.isascii():
        return [((line, False),)]
    rows: list[tuple[tuple[str, bool], ...]] = []
    pieces: list[tuple[str, bool]] = []
    used, start, mode = 0, 0, False
    marked = iter([*spans, (len(line), len(line) + 1)])
    first, last = next(marked)
    for at, char in enumerate(line):
        while at >= last:
            first, last = next(marked)
        changed = first <= at < last
        size = get_character_cell_size(char)
        if used + size > width and at > start:
            pieces.append((line[start:at], mode))
            rows.append(tuple(pieces))
            pieces, used, start = [], 0, at
        elif changed != mode and at > start:
            pieces.append((line[start:at], mode))
            start = at
        mode = changed
        used += size
    pieces.append((line[start:], mode))
    rows.append(tuple(pieces))
    return rows


def laid_out(pairs: Sequence[Pair], width: int) -> list[Beside]:
    """All lines on screen for a width of the panel."""
    return list(_laid_out(pairs, column(width)))[:MOST_SHOWN]


def _laid_out(pairs: Sequence[Pair], width: int) -> Iterator[Beside]:
    for pair in pairs:
        before = wrapped(pair.before, pair.before_spans, width)
        after = wrapped(pair.after, pair.after_spans, width)
        sign = "│" if pair.equal else "+" if pair.before is None else "-" if pair.after is None else "≠"
        for at in range(max(len(before), len(after))):
            yield Beside(
                before[at] if at < len(before) else (),
                sign,
                after[at] if at < len(after) else (),
                pair.before is not None,
                pair.after is not None,
            )


class DetailPanel(LineView[Beside]):
    """Both values of the row under the cursor."""

    HELP = """
    Both values whole, side by side. Between them: │ the same line, ≠ changed, - only left, + only right.
    The changed words are underlined.

    j k          scroll             z     only this panel, or all again
    """

    class Resized(Message):
        """The panel has another width: lines have to be wrapped anew."""

    def __init__(self) -> None:
        super().__init__(self._line, empty="", id="compare-detail")
        self._wide_at = 0

    def show(self, lines: Sequence[Beside]) -> None:
        """Show other values."""
        self.set_rows(lines, 0)

    def next_change(self, direction: int) -> bool:
        """To the next line that differs; False where there is none."""
        at = self.cursor + direction
        while 0 <= at < len(self.rows):
            here, before = self.rows[at].sign, self.rows[at - 1].sign if at else "│"
            if here != "│" and (before == "│" or direction < 0):
                self.cursor = at
                return True
            at += direction
        return False

    @property
    def inner_width(self) -> int:
        """The cells of a line."""
        return self.scrollable_content_region.width

    def on_resize(self, event: events.Resize) -> None:
        if self.inner_width != self._wide_at:
            self._wide_at = self.inner_width
            self.post_message(self.Resized())

    def _line(self, row: Beside, width: int) -> Sequence[Cell]:
        wide = column(width)
        style = {"│": "", "≠": "warn", "-": "bad", "+": "good"}[row.sign]
        return [
            *_side(row.before, wide, style),
            (f" {row.sign} ", style or "dim"),
            *_side(row.after, wide, style),
        ]


def _side(pieces: Sequence[tuple[str, bool]], width: int, style: str) -> Iterator[Cell]:
    used = 0
    for text, changed in pieces:
        used += cell_len(text)
        yield text, "changed" if changed else style if style in ("good", "bad") else ""
    yield " " * max(0, width - used), ""
