"""How large each node is drawn at each zoom level, and what stands in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from rich.cells import cell_len

from workbench.core.graph import Graph, Node
from workbench.core.layout import Size, Spacing
from workbench.tui.text import clip

Zoom = Literal["full", "line", "overview"]
ZOOMS: tuple[Zoom, ...] = ("overview", "line", "full")


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of each node is drawn: the zoom level, and the cells that a title and a handle's name get."""

    zoom: Zoom
    title: int
    handle: int


FULL: Final = Detail("full", 20, 16)
LINE: Final = Detail("line", 16, 9)
OVERVIEW: Final = Detail("overview", 0, 0)
BY_ZOOM: Final[Mapping[Zoom, Detail]] = {"full": FULL, "line": LINE, "overview": OVERVIEW}
FITS: Final = (
    FULL,
    *(Detail("full", title, handle) for title, handle in ((17, 14), (14, 12), (12, 10), (10, 9))),
    LINE,
    *(Detail("line", title, handle) for title, handle in ((13, 9), (11, 8), (9, 7), (7, 6))),
)
"""What is tried, in this order, until a picture fits its panel."""
PANNED: Final = Detail("line", 11, 8)
"""What is drawn of a picture that does not fit, and has to be panned."""

SPACING: Final[Mapping[Zoom, Spacing]] = {
    "full": Spacing(channel=4, gap=1, step=2, inset=(2, 2, 2, 1)),
    "line": Spacing(channel=4, gap=1, step=2, inset=(1, 1, 1, 1)),
    "overview": Spacing(channel=4, gap=1, step=2, inset=(1, 1, 1, 1)),
}


def title(node: Node, detail: Detail) -> str:
    """The node's title as it is drawn."""
    return clip(node.title or node.id, detail.title)


def handle_name(name: str, detail: Detail) -> str:
    """A handle's name as it is drawn."""
    return clip(name, detail.handle)


def sizes(graph: Graph, handles: Mapping[str, Mapping[str, str]], detail: Detail) -> dict[str, Size]:
    """The size of every node. `handles`: per node its named handles in use (`handles_in_use`)."""
    result: dict[str, Size] = {}
    for node in graph.nodes.values():
        named = handles.get(node.id, {})
        if detail.zoom == "overview":
            result[node.id] = Size(3, 1)
            continue
        wide = cell_len(title(node, detail)) + 4
        if detail.zoom == "line":
            result[node.id] = Size(wide + 3 if node.kind == "container" else wide + 1, 1)
            continue
        names = [cell_len(handle_name(n, detail)) for n in named.values()]
        if node.kind == "container":
            result[node.id] = Size(wide + 6, 4, port=1)
        elif names:
            result[node.id] = Size(
                max(wide + 2, max(names) + 4), 3 + len(names), 1, {h: 2 + i for i, h in enumerate(named)}
            )
        elif node.kind == "response":
            result[node.id] = Size(max(wide + 2, 14), 4, port=1)
        else:
            result[node.id] = Size(wide + 2, 3, port=1)
    return result


def edge_names(graph: Graph, handles: Mapping[str, Mapping[str, str]], detail: Detail) -> dict[str, str]:
    """The names that are written beside edges: only one-line nodes have no room for them inside."""
    if detail.zoom != "line":
        return {}
    return {
        edge.id: handle_name(name, detail)
        for edge in graph.edges.values()
        if (name := handles.get(edge.source, {}).get(edge.handle))
    }


def width_of(text: str) -> int:
    """The cells that a text takes."""
    return cell_len(text)
