"""Moving about in a picture: the node beside another one, the inside of a container."""

from __future__ import annotations

from dataclasses import replace

from workbench.core.graph import Graph
from workbench.core.layout import Layout, Placed


def _middle(placed: Placed) -> tuple[float, float]:
    return placed.x + placed.width / 2, placed.y + placed.height / 2


def neighbour(layout: Layout, node_id: str, direction: str) -> str | None:
    """The nearest node left, right, up or down; rows count for more than columns, as they do to the eye."""
    here_x, here_y = _middle(layout.nodes[node_id])
    best: tuple[float, str] | None = None
    for other in layout.nodes.values():
        if other.id == node_id:
            continue
        x, y = _middle(other)
        dx, dy = x - here_x, (y - here_y) * 3
        ahead, aside = {"left": (-dx, dy), "right": (dx, dy), "up": (-dy, dx), "down": (dy, dx)}[direction]
        if ahead <= 0 or abs(aside) > 3 * ahead:
            continue
        distance = ahead + 2 * abs(aside)
        if best is None or distance < best[0]:
            best = (distance, other.id)
    return best[1] if best else None


def scope_of(graph: Graph, node_id: str) -> str | None:
    """The container that holds a node, None at the root."""
    node = graph.nodes.get(node_id)
    return node.parent if node else None


def within(graph: Graph, container: str | None) -> Graph:
    """The graph inside a container, as if it were a whole one; the graph itself for None."""
    if container is None:
        return graph
    inside = {container}
    for _ in graph.nodes:
        more = {n.id for n in graph.nodes.values() if n.parent in inside} - inside
        if not more:
            break
        inside |= more
    inside.discard(container)
    nodes = {
        n.id: replace(n, parent=None) if n.parent == container else n
        for n in graph.nodes.values()
        if n.id in inside
    }
    edges = {
        e.id: replace(e, parent=None) if e.parent == container else e
        for e in graph.edges.values()
        if e.source in nodes and e.target in nodes
    }
    return Graph(nodes, edges, next(iter(nodes), ""))
