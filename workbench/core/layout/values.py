"""What a layout takes and gives: plain numbers in abstract cells, so that text and SVG paint the same
picture.

A cell is one character in a terminal; a front end that draws pixels multiplies. x grows to the right, y
downwards, and the picture begins at (0, 0).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Point = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Size:
    """How large a node is to be drawn.

    Attributes:
        width, height: in cells. A container's are minima: it grows with its children.
        port: the row, counted from the node's top, where edges enter, and leave when their handle has no
            own row.
        handles: the row where edges of a handle leave, for nodes that list their handles.
    """

    width: int
    height: int
    port: int = 0
    handles: Mapping[str, int] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Spacing:
    """Distances in cells.

    Attributes:
        channel: the least width of the lane between two columns; it grows with the edges that turn there.
        gap: empty rows between two nodes of a column.
        step: rows by which a node that stands lower on the canvas is at least lower here.
        inset: left, top, right, bottom margin inside a container.
    """

    channel: int = 4
    gap: int = 1
    step: int = 2
    inset: tuple[int, int, int, int] = (2, 1, 2, 1)


@dataclass(frozen=True, slots=True)
class Placed:
    """A node with its place; children of containers have places of the whole picture, not of their
    container.
    """

    id: str
    x: int
    y: int
    width: int
    height: int
    column: int
    parent: str | None = None
    container: bool = False

    @property
    def right(self) -> int:
        """The first cell right of the node."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """The first row below the node."""
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class Route:
    """The way of an edge: corner points of a line of horizontal and vertical runs.

    It starts in the cell right of its source and ends in the cell left of its target (where the arrow head
    belongs).
    """

    edge: str
    points: tuple[Point, ...]
    label: Point | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """The whole picture. `origin` says whether the author's canvas was followed or the nodes were layered
    anew.
    """

    width: int
    height: int
    nodes: Mapping[str, Placed]
    routes: Mapping[str, Route]
    origin: Literal["canvas", "layered"]


@dataclass(frozen=True, slots=True)
class Spot:
    """A node's place in the grid of a scope, before cells are counted."""

    column: int
    row: int
    order: int
