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

    def restyle(self, x: int, y: int, width: int, style: str) -> None:
        """Give a run of cells another style."""
        if 0 <= y < self.height:
            for column in range(max(0, x), min(self.width, x + width)):
                self._styles[y][column] = style

    def runs(self, y: int) -> Iterator[tuple[str, str]]:
        """The text and style of each run of equal style in a row."""
        chars = iter(self._chars[y])
        for style, group in groupby(self._styles[y]):
            yield "".join(next(chars) for _ in group), style

    def text(self) -> str:
        """The whole sheet without styles."""
        return "\n".join("".join(row).rstrip() for row in self._chars)
