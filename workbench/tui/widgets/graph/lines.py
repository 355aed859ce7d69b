"""The lines of a picture's edges. A step changes few of them: only their cells are drawn anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from workbench.core.layout import Layout, Point, Route
from workbench.core.picture.looks import URGENCY, EdgeLook
from workbench.tui.widgets.graph.canvas import Canvas
from workbench.tui.widgets.graph.strokes import DOWN, LEFT, RIGHT, STROKES, UP, joint

RANK: Final = {look: at for at, look in enumerate(URGENCY)}
"""Of two looks in one place the one with the higher rank is seen."""

Cell = tuple[Point, int, int]
"""A cell of a route with the direction it is entered from and the one it is left to."""


def cells(route: Route) -> Iterator[Cell]:
    """Each cell of a route."""
    points = route.points
    came = LEFT
    x, y = points[0]
    for tx, ty in points[1:]:
        goes = RIGHT if tx > x else LEFT if tx < x else DOWN if ty > y else UP
        dx, dy = ((0, -1), (1, 0), (0, 1), (-1, 0))[goes]
        while (x, y) != (tx, ty):
            yield (x, y), came, goes
            x, y, came = x + dx, y + dy, (goes + 2) % 4
    yield (x, y), came, RIGHT


class LineLayer:
    """All lines of a layout on a canvas of their own.

    Attributes:
        cells: the cells of each edge.
    """

    def __init__(self, layout: Layout) -> None:
        self.cells: Final = {edge: tuple(cells(route)) for edge, route in layout.routes.items()}
        self._canvas = Canvas(layout.width, layout.height)
        self._looks: dict[str, EdgeLook] = {}
        self._users: dict[Point, list[tuple[str, int, int]]] = {}
        for edge, own in self.cells.items():
            for point, came, goes in own:
                self._users.setdefault(point, []).append((edge, came, goes))

    def drawn(self, looks: Mapping[str, EdgeLook]) -> Canvas:
        """The lines with these looks, on a canvas that the caller may draw on."""
        changed = {
            edge: look for edge in self.cells if self._looks.get(edge) != (look := looks.get(edge, "unknown"))
        }
        self._looks |= changed
        for point in {point for edge in changed for point, _, _ in self.cells[edge]}:
            self._draw(point)
        return self._canvas.copy()

    def alone(self, edge: str) -> list[Point]:
        """The cells of an edge that no other one uses, in straight runs across."""
        across = ((LEFT, RIGHT), (RIGHT, LEFT))
        return [
            point
            for point, came, goes in self.cells[edge]
            if (came, goes) in across and self._uses(point) == 1
        ]

    def _uses(self, point: Point) -> int:
        return len(self._users[point])

    def _draw(self, point: Point) -> None:
        sides: list[EdgeLook | None] = [None, None, None, None]
        for edge, came, goes in sorted(self._users[point], key=lambda user: RANK[self._looks[user[0]]]):
            sides[came] = sides[goes] = self._looks[edge]
        top = max((side for side in sides if side), key=lambda side: RANK[side])
        up, right, down, left = sides
        if right and left and not up and not down and right == left:
            char = STROKES[top].across
        elif up and down and not right and not left and up == down:
            char = STROKES[top].down
        else:
            up_, right_, down_, left_ = (STROKES[side].weight if side else 0 for side in sides)
            char = joint((up_, right_, down_, left_))
        self._canvas.put(*point, char, f"edge-{top}")
