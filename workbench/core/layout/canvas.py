"""Columns and rows from where the author put the nodes on Dify's canvas.

Distances on a canvas are mostly air. What tells the author's picture is order: who stands left of whom, who
above whom. So x positions are gathered into columns and y positions into rows, and everything between them
is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from workbench.core.graph import Node
from workbench.core.layout.values import Spot

_LEAST_COLUMN = 40.0
_LEAST_ROW = 30.0


def _groups(values: Sequence[float], tolerance: float) -> list[int]:
    """The group of each value: a group spans at most `tolerance` from its smallest member."""
    index = [0] * len(values)
    group, begin = -1, 0.0
    for at in sorted(range(len(values)), key=lambda i: values[i]):
        if group < 0 or values[at] - begin > tolerance:
            group, begin = group + 1, values[at]
        index[at] = group
    return index


def spots(nodes: Sequence[Node]) -> dict[str, Spot]:
    """The grid place of each node; all of them must have a box."""
    boxes = [node.box for node in nodes if node.box is not None]
    plain = [n.box for n in nodes if n.box is not None and n.kind != "container"] or boxes
    columns = _groups([b.x for b in boxes], max(_LEAST_COLUMN, 0.5 * median(b.width for b in plain)))
    rows = _groups([b.y for b in boxes], max(_LEAST_ROW, 0.55 * median(b.height for b in plain)))
    ranked = sorted(range(len(boxes)), key=lambda i: (rows[i], boxes[i].y, boxes[i].x, i))
    order = {at: rank for rank, at in enumerate(ranked)}
    return {node.id: Spot(columns[i], rows[i], order[i]) for i, node in enumerate(nodes)}


def usable(nodes: Sequence[Node]) -> bool:
    """Whether the canvas tells anything: every node has a box, and they do not all lie on one heap."""
    if not nodes or any(node.box is None for node in nodes):
        return False
    places = {(n.box.x, n.box.y) for n in nodes if n.box is not None}
    return len(nodes) < 2 or len(places) * 2 > len(nodes)
