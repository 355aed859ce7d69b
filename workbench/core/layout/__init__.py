"""Where to draw a graph: the author's canvas first, a layered layout where there is none or on "tidy".

Pure and without a front end: `lay_out` gives nodes with places and orthogonal routes in abstract cells.
Containers are laid out from the inside to the outside; no route crosses a container's border, because no
edge of a DSL does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from workbench.core.graph import Edge, Graph, Node
from workbench.core.layout import canvas, layered
from workbench.core.layout.scope import ScopeLayout, lay_out_scope, move_route
from workbench.core.layout.values import Layout, Placed, Point, Route, Size, Spacing

__all__ = ["Layout", "Placed", "Point", "Route", "Size", "Spacing", "lay_out"]

_DEPTH = 20


def _scopes(graph: Graph) -> dict[str | None, list[Node]]:
    """Nodes by scope. A node whose parent is missing, or holds itself, counts as one of the root scope."""
    scopes: dict[str | None, list[Node]] = {None: []}
    for node in graph.nodes.values():
        parent, seen = node.parent, {node.id}
        sound = parent is None
        above = parent
        for _ in range(_DEPTH):
            if above is None:
                sound = True
                break
            if above in seen or above not in graph.nodes:
                break
            seen.add(above)
            above = graph.nodes[above].parent
        scopes.setdefault(parent if sound else None, []).append(node)
    return scopes


def _shifted(inner: ScopeLayout, x: int, y: int) -> ScopeLayout:
    return ScopeLayout(
        inner.width,
        inner.height,
        tuple(replace(p, x=p.x + x, y=p.y + y) for p in inner.nodes),
        tuple(move_route(r, x, y) for r in inner.routes),
    )


def lay_out(
    graph: Graph,
    sizes: Mapping[str, Size],
    spacing: Spacing | None = None,
    *,
    labels: Mapping[str, int] | None = None,
    tidy: bool = False,
) -> Layout:
    """The picture of a whole app graph.

    Args:
        graph: containers' children included.
        sizes: for every node how large it is drawn; a container's size is a minimum.
        spacing: distances; default `Spacing()`.
        labels: the width of each edge's name, for edges that have one drawn beside them.
        tidy: leave the author's canvas aside and layer the nodes.

    Edges that join two scopes, or name a node that is not there, have no route: a DSL holds none that means
    anything.
    """
    space = spacing or Spacing()
    scopes = _scopes(graph)
    home = {node.id: scope for scope, nodes in scopes.items() for node in nodes}
    edges: dict[str | None, list[Edge]] = {}
    for edge in graph.edges.values():
        if edge.source in home and edge.target in home and home[edge.source] == home[edge.target]:
            edges.setdefault(home[edge.source], []).append(edge)
    origins: set[str] = set()

    def build(scope: str | None) -> ScopeLayout:
        nodes = scopes.get(scope, [])
        own = dict(sizes)
        inside: dict[str, ScopeLayout] = {}
        left, top, right, bottom = space.inset
        for node in nodes:
            if node.id in scopes:
                inner = inside[node.id] = build(node.id)
                least = sizes[node.id]
                own[node.id] = replace(
                    least,
                    width=max(least.width, inner.width + left + right),
                    height=max(least.height, inner.height + top + bottom),
                )
        followed = not tidy and canvas.usable(nodes)
        if nodes:
            origins.add("canvas" if followed else "layered")
        spots = canvas.spots(nodes) if followed else layered.spots(nodes, edges.get(scope, []))
        result = lay_out_scope(nodes, edges.get(scope, []), spots, own, space, labels or {})
        placed, routes = list(result.nodes), list(result.routes)
        for place in result.nodes:
            if place.id in inside:
                within = _shifted(inside[place.id], place.x + left, place.y + top)
                placed += within.nodes
                routes += within.routes
        return ScopeLayout(result.width, result.height, tuple(placed), tuple(routes))

    whole = build(None)
    return Layout(
        whole.width,
        whole.height,
        {p.id: p for p in whole.nodes},
        {r.edge: r for r in whole.routes},
        "canvas" if "canvas" in origins else "layered",
    )
