"""How large each node is drawn at each zoom level, and what stands in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from rich.cells import cell_len, set_cell_size

from workbench.core.graph import Graph, Node
from workbench.core.layout import Size, Spacing
from workbench.tui.text import clip, one_line

Zoom = Literal["full", "line", "overview"]
ZOOMS: tuple[Zoom, ...] = ("overview", "line", "full")


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of each node is drawn: the zoom level, the cells of a title and of a handle's name, rows of
    a title.
    """

    zoom: Zoom
    title: int
    handle: int
    rows: int = 1


FULL: Final = Detail("full", 20, 16)
LINE: Final = Detail("line", 16, 9)
OVERVIEW: Final = Detail("overview", 0, 0)
BY_ZOOM: Final[Mapping[Zoom, Detail]] = {"full": FULL, "line": LINE, "overview": OVERVIEW}
FITS: Final = (
    FULL,
    *(Detail("full", title, handle, rows=2) for title, handle in ((16, 14), (13, 12), (11, 10), (9, 9))),
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
    """The node's title in one row."""
    return clip(node.title or node.id, detail.title)


def title_rows(node: Node, detail: Detail) -> tuple[str, ...]:
    """The node's title in as many rows as there may be, broken at words; what is cut off ends in `…`."""
    whole = one_line(node.title or node.id, 400)
    if detail.rows < 2 or cell_len(whole) <= detail.title:
        return (clip(whole, detail.title),)
    first = ""
    for word in whole.split(" "):
        longer = f"{first} {word}" if first else word
        if cell_len(longer) > detail.title:
            break
        first = longer
    first = first or set_cell_size(whole, detail.title).rstrip()
    rest = clip(whole[len(first) :].lstrip(), detail.title)
    return (first, rest) if rest else (first,)


def handle_name(name: str, detail: Detail) -> str:
    """A handle's name as it is drawn."""
    return clip(name, detail.handle)


def sizes(graph: Graph, handles: Mapping[str, Mapping[str, str]], detail: Detail) -> dict[str, Size]:
    """The size of every node. `handles`: per node its named handles in use (`handles_in_use`)."""
    if detail.zoom == "overview":
        return dict.fromkeys(graph.nodes, Size(3, 1))
    if detail.zoom == "line":
        return {
            n.id: Size(cell_len(title(n, detail)) + (7 if n.kind == "container" else 5), 1)
            for n in graph.nodes.values()
        }
    return {n.id: _box(n, handles.get(n.id, {}), detail) for n in graph.nodes.values()}


def _box(node: Node, named: Mapping[str, str], detail: Detail) -> Size:
    if node.kind == "container":
        return Size(cell_len(title(node, detail)) + 10, 4, port=1)
    rows = title_rows(node, detail)
    wide = max(map(cell_len, rows)) + 6
    head = 1 + len(rows)
    if named:
        names = max(cell_len(handle_name(name, detail)) for name in named.values())
        leaves = {handle: head + i for i, handle in enumerate(named)}
        return Size(max(wide, names + 4), head + len(named) + 1, 1, leaves)
    if node.kind == "response":
        return Size(max(wide, 14), head + 2, port=1)
    return Size(wide, head + 1, port=1)


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
