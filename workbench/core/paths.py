"""Simple paths from the root to a response node: how many there are, and which.

graphon's ResponseStreamFilter lists every one of them when a run begins (0.8: engine/filter/builtin/
response_stream/filter.py, `_find_all_paths`), which is exponential. Counting is linear without circles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from workbench.core.graph import Graph

PATH_LIMIT = 4096
"""Above this many paths to one response node the workbench does not list them (DESIGN)."""

MAX_STEPS = 2_000_000
"""Edges followed before counting on a graph with circles gives up: about a second."""

SECONDS_A_CALL = 3e-6

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SearchCost:
    """What graphon's own enumeration would do for all response nodes of a graph.

    Attributes:
        paths: paths it lists, by response node.
        calls: recursive calls it makes, dead ends included.
        capped: True when a circle made exact counting too long and the numbers are lower bounds.
    """

    paths: Mapping[str, int]
    calls: int
    capped: bool

    @property
    def seconds(self) -> float:
        """About what it takes graphon (65,536 paths behind 16 diamonds: 1 s, 393,212 calls)."""
        return self.calls * SECONDS_A_CALL if self.calls < 2**53 else float("inf")


def _outgoing(graph: Graph) -> dict[str, list[tuple[str, str]]]:
    """(edge id, target) by source, in the graph's order; edges inside containers are not followed."""
    found: dict[str, list[tuple[str, str]]] = {node: [] for node in graph.nodes}
    for edge in graph.edges.values():
        if edge.parent is None:
            found[edge.source].append((edge.id, edge.target))
    return found


def _order(graph: Graph) -> list[str] | None:
    """Nodes so that every edge points forward; None when edges run in a circle."""
    sorter: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(graph.nodes, ()))
    for edge in graph.edges.values():
        if edge.parent is None:
            sorter.add(edge.target, edge.source)
    try:
        return list(sorter.static_order())
    except CycleError:
        return None


def count_paths(graph: Graph, response_id: str, limit: int | None = None) -> int:
    """How many simple paths lead from the root to the node; `limit` caps the answer.

    Exact on graphs without circles, whatever their size. With circles paths are walked one by one within
    `MAX_STEPS`, so that the answer is a lower bound.
    """
    order = _order(graph)
    if order is not None:
        counted = _counts(graph, order)[response_id]
        return counted if limit is None else min(counted, limit)
    counted = 0
    for _ in _walks(graph, response_id, MAX_STEPS):
        counted += 1
        if counted == limit:
            break
    return counted


def _counts(graph: Graph, order: list[str]) -> dict[str, int]:
    """Simple paths from the root to every node."""
    outgoing = _outgoing(graph)
    count = dict.fromkeys(graph.nodes, 0)
    count[graph.root] = 1
    for node in order:
        if count[node]:
            for _, target in outgoing[node]:
                count[target] += count[node]
    return count


def _onward(graph: Graph, order: list[str]) -> dict[str, int]:
    """Paths that begin at every node, the one without an edge included."""
    outgoing = _outgoing(graph)
    count = dict.fromkeys(graph.nodes, 1)
    for node in reversed(order):
        count[node] += sum(count[target] for _, target in outgoing[node])
    return count


def paths_to(graph: Graph, response_id: str, max_steps: int | None = None) -> Iterator[Path]:
    """Edge ids of each simple path, in graphon's order: depth first, edges in graph order.

    Ends after `max_steps` followed edges: with circles most walks may lead nowhere.
    """
    for path in _walks(graph, response_id, max_steps):
        yield tuple(path)


def _walks(graph: Graph, response_id: str, max_steps: int | None) -> Iterator[list[str]]:
    """As `paths_to`; always the same list, good until the next step."""
    if response_id == graph.root:
        yield []
        return
    outgoing, useful = _outgoing(graph), _reaching(graph, response_id)
    path: list[str] = []
    visited = {graph.root}
    stack = [iter(outgoing[graph.root])]
    nodes = [graph.root]
    steps = 0
    while stack and steps != max_steps:
        steps += 1
        edge = next(stack[-1], None)
        if edge is None:
            stack.pop()
            visited.discard(nodes.pop())
            if path:
                path.pop()
            continue
        edge_id, target = edge
        if target == response_id:
            path.append(edge_id)
            yield path
            path.pop()
        elif target not in visited and target in useful:
            path.append(edge_id)
            visited.add(target)
            nodes.append(target)
            stack.append(iter(outgoing[target]))


def _reaching(graph: Graph, node_id: str) -> set[str]:
    """Nodes from which the node can be reached; graphon walks the others too, in vain."""
    incoming: dict[str, list[str]] = {}
    for edge in graph.edges.values():
        if edge.parent is None:
            incoming.setdefault(edge.target, []).append(edge.source)
    seen, waiting = {node_id}, [node_id]
    while waiting:
        for source in incoming.get(waiting.pop(), ()):
            if source not in seen:
                seen.add(source)
                waiting.append(source)
    return seen


def search_cost(graph: Graph) -> SearchCost:
    """What `ResponseStreamFilter.initialize` would cost: for each response node it follows every edge.

    Exact without circles: a node is visited once for each path that leads to it and not through the response
    node; those through it are its paths times the ways on from it. graphon prunes nothing, so ends that can't
    reach the response node count too.
    """
    responses = [node.id for node in graph.nodes.values() if node.kind == "response" and node.parent is None]
    order = _order(graph)
    if order is None:
        counts = {node: count_paths(graph, node) for node in responses}
        return SearchCost(counts, sum(counts.values()), True)
    counted, onward = _counts(graph, order), _onward(graph, order)
    total = sum(counted.values())
    visits = [total - counted[each] * (onward[each] - 1) for each in responses if each != graph.root]
    return SearchCost({each: counted[each] for each in responses}, sum(visits), False)
