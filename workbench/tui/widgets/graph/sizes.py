"""How large each node is drawn at each zoom level, and what stands in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from rich.cells import cell_len

from workbench.core.graph import Graph, Node
from workbench.core.layout import Size, Spacing
from workbench.tui.text import clip

Zoom = Literal["full", "line", "overview"]
ZOOMS: tuple[Zoom, ...] = ("overview", "line", "full")
TITLE = {"full": 20, "line": 14, "overview": 0}
HANDLE = {"full": 16, "line": 9, "overview": 0}

SPACING: dict[Zoom, Spacing] = {
    "full": Spacing(channel=4, gap=1, step=2, inset=(2, 2, 2, 1)),
    "line": Spacing(channel=4, gap=1, step=2, inset=(1, 1, 1, 1)),
    "overview": Spacing(channel=4, gap=1, step=2, inset=(1, 1, 1, 1)),
}


def title(node: Node, zoom: Zoom) -> str:
    """The node's title as it is drawn."""
    return clip(node.title or node.id, TITLE[zoom])


def handle_name(name: str, zoom: Zoom) -> str:
    """A handle's name as it is drawn."""
    return clip(name, HANDLE[zoom])


def sizes(graph: Graph, handles: Mapping[str, Mapping[str, str]], zoom: Zoom) -> dict[str, Size]:
    """The size of every node. `handles`: per node its named handles in use (`handles_in_use`)."""
    result: dict[str, Size] = {}
    for node in graph.nodes.values():
        named = handles.get(node.id, {})
        if zoom == "overview":
            result[node.id] = Size(3, 1)
            continue
        wide = cell_len(title(node, zoom)) + 4
        if zoom == "line":
            result[node.id] = Size(wide + 3 if node.kind == "container" else wide + 1, 1)
            continue
        names = [cell_len(handle_name(n, zoom)) for n in named.values()]
        if node.kind == "container":
            result[node.id] = Size(wide + 6, 4, port=1)
        elif names:
            result[node.id] = Size(
                max(wide + 2, max(names) + 4), 3 + len(names), 1, {h: 2 + i for i, h in enumerate(named)}
            )
        elif node.kind == "response":
            result[node.id] = Size(max(wide + 2, 17), 4, port=1)
        else:
            result[node.id] = Size(wide + 2, 3, port=1)
    return result


def edge_names(graph: Graph, handles: Mapping[str, Mapping[str, str]], zoom: Zoom) -> dict[str, str]:
    """The names that are written beside edges: only one-line nodes have no room for them inside."""
    if zoom != "line":
        return {}
    return {
        edge.id: handle_name(name, zoom)
        for edge in graph.edges.values()
        if (name := handles.get(edge.source, {}).get(edge.handle))
    }


def width_of(text: str) -> int:
    """The cells that a text takes."""
    return cell_len(text)
