"""A sheet of cells to draw on. A cell is one character and the name of its style; wide characters take two
cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from rich.cells import get_character_cell_size

BLANK = ""


class Canvas:
    """`width` times `height` cells. Drawing outside is ignored."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self._chars = [[" "] * width for _ in range(height)]
        self._styles = [[BLANK] * width for _ in range(height)]

    def put(self, x: int, y: int, char: str, style: str) -> None:
        """Put one single-cell character."""
        if 0 <= x < self.width and 0 <= y < self.height:
            self._chars[y][x] = char
            self._styles[y][x] = style

    def at(self, x: int, y: int) -> str:
        """The character of a cell, a blank outside."""
        return self._chars[y][x] if 0 <= x < self.width and 0 <= y < self.height else " "

    def write(self, x: int, y: int, text: str, style: str) -> None:
        """Write clean text from a cell to the right."""
        for char in text:
            size = get_character_cell_size(char)
            if size == 0:
                if 0 < x <= self.width and 0 <= y < self.height:
                    self._chars[y][x - 1] += char
                continue
            if size == 2 and x + 1 >= self.width:
                char, size = ".", 1
            self.put(x, y, char, style)
            if size == 2:
                self.put(x + 1, y, "", style)
            x += size

    def copy(self) -> Canvas:
        """The same sheet, to be drawn on without changing this one."""
        made = Canvas(0, 0)
        made.width, made.height = self.width, self.height
        made._chars = [row.copy() for row in self._chars]
        made._styles = [row.copy() for row in self._styles]
        return made

    def differing(self, other: Canvas) -> set[int]:
        """The rows in which a sheet of the same size is different."""
        pairs = zip(self._chars, other._chars, self._styles, other._styles, strict=True)
        return {y for y, (a, b, c, d) in enumerate(pairs) if a != b or c != d}

    def runs(self, y: int, marked: tuple[int, int, str] | None = None) -> Iterator[tuple[str, str]]:
        """The text and style of each run of equal style in a row.

        Args:
            marked: cells that have another style: the first one, how many, the style.
        """
        chars, styles = self._chars[y], self._styles[y]
        if marked is not None:
            first, end = max(0, marked[0]), min(self.width, marked[0] + marked[1])
            styles = [*styles[:first], *[marked[2]] * (end - first), *styles[end:]]
        at = 0
        for style, group in groupby(styles):
            end = at + sum(1 for _ in group)
            yield "".join(chars[at:end]), style
            at = end

    def text(self) -> str:
        """The whole sheet without styles."""
        return "\n".join("".join(row).rstrip() for row in self._chars)
