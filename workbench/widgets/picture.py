"""A graph as plain numbers in pixels: what the front end and the still picture paint alike."""

from __future__ import annotations

from typing import Any

from workbench.core.graph import Graph
from workbench.core.layout import Layout, Size, Spacing, lay_out
from workbench.core.picture.handles import handles_in_use
from workbench.core.secrets import Mask
from workbench.views.safe import cut, safe_line, width

CELL = (8, 12)
"""Pixels of a cell of the layout."""

LEAST, MOST = 10, 26
"""Columns of a node's title."""

MARGIN = 12


def picture(graph: Graph, mask: Mask, *, tidy: bool = False) -> dict[str, Any]:
    """`{"width", "height", "nodes": [...], "edges": [...]}`; the characters of a frame go by the order of
    these lists. Containers come before what they hold.
    """
    handles = handles_in_use(graph)
    titles = {node.id: safe_line(mask.text(node.title or node.id)) for node in graph.nodes.values()}
    names = {
        node: {h: cut(safe_line(mask.text(n)), 16) for h, n in of.items()} for node, of in handles.items()
    }
    layout = lay_out(
        graph,
        {node: _size(titles[node], names.get(node, {})) for node in graph.nodes},
        Spacing(channel=5, gap=2, step=2, inset=(3, 4, 3, 2)),
        tidy=tidy,
    )
    x, y = CELL
    placed = sorted(layout.nodes.values(), key=lambda p: (not p.container, p.parent or ""))
    nodes = []
    for place in placed:
        node = graph.nodes[place.id]
        rows = _rows(names.get(node.id, {}))
        nodes.append(
            {
                "id": node.id,
                "title": titles[node.id],
                "shown": cut(titles[node.id], max(1, place.width - 3)),
                "type": safe_line(node.type),
                "kind": node.kind,
                "x": place.x * x + MARGIN,
                "y": place.y * y + MARGIN,
                "w": place.width * x,
                "h": place.height * y,
                "container": place.container,
                "handles": [[names[node.id][h], row * y + y // 2] for h, row in rows.items()],
            }
        )
    return {
        "width": layout.width * x + 2 * MARGIN,
        "height": layout.height * y + 2 * MARGIN,
        "nodes": nodes,
        "edges": _edges(graph, layout),
    }


def _edges(graph: Graph, layout: Layout) -> list[dict[str, Any]]:
    x, y = CELL
    found = []
    for route in layout.routes.values():
        edge = graph.edges[route.edge]
        points = [[(px + 0.5) * x + MARGIN, (py + 0.5) * y + MARGIN] for px, py in route.points]
        points[0][0] -= x / 2
        points[-1][0] += x / 2
        found.append({"id": edge.id, "source": edge.source, "target": edge.target, "points": points})
    return found


def _size(title: str, handles: dict[str, str]) -> Size:
    widest = max([width(title) + 3, *(width(name) + 4 for name in handles.values())])
    return Size(max(LEAST, min(widest, MOST)), 3 + (len(handles) + 1 if handles else 0), 1, _rows(handles))


def _rows(handles: dict[str, str]) -> dict[str, int]:
    """The rows of the handles, below the title."""
    return {handle: 3 + at for at, handle in enumerate(handles)}
