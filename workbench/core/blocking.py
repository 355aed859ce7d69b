"""Which edges hold an Answer back, and which Answers are open: graph facts of the stream gate, and
reachability.

An edge blocks an Answer when its source is a branch, a container or a response node, or an assigner that
writes a variable of the Answer's template. graphon lists every path from the root to every Answer and
strikes taken edges from the lists; an Answer opens when one of its lists is empty. That is the same as: the
Answer is reachable from the root over edges that do not block it or have been taken (facts:
graphon-in-practice, 4.2), which is linear.

Rules: graphon 0.8 `engine/filter/builtin/response_stream/filter.py`, the same in 0.5 to 0.7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Final

from workbench.core.graph import Edge, Graph, Node, Selector, Variable

BLOCKING_KINDS: Final = frozenset({"branch", "container", "response"})


@dataclass(frozen=True, eq=False)
class Scope:
    """A graph as one filter sees it, prepared once and shared by all gates on it.

    Attributes:
        graph: the whole app.
        out: edges by their source, in the order of the DSL.
        responses: ids of the response nodes, sorted: the filter's own order.
        stops: for each response node, the nodes whose outgoing edges block it. Responses that are blocked
            by the same nodes share one set, so that reachability is computed once for all of them.
        whole: the filter sees the containers' children too (graphon 0.5 to 0.7).
        lists, counts: what `path_lists` has listed and counted so far.
    """

    graph: Graph
    nodes: Mapping[str, Node]
    edges: Mapping[str, Edge]
    root: str
    out: Mapping[str, tuple[Edge, ...]]
    responses: tuple[str, ...]
    stops: Mapping[str, frozenset[str]]
    whole: bool = False
    lists: dict[str, tuple[tuple[str, ...], ...] | None] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def groups(self) -> dict[frozenset[str], list[str]]:
        """Response nodes by their set of blocking nodes."""
        groups: dict[frozenset[str], list[str]] = {}
        for response in self.responses:
            groups.setdefault(self.stops[response], []).append(response)
        return groups

    def blocks(self, edge: Edge, response: str) -> bool:
        """Does this edge hold that response node back?"""
        return edge.source in self.stops[response]

    def selectors(self, response: str) -> frozenset[Selector]:
        """Full selectors that a response node's template names; empty for an unknown node."""
        node = self.nodes.get(response)
        return variables_of(node) if node is not None else frozenset()


def variables_of(node: Node) -> frozenset[Selector]:
    return frozenset(part.selector for part in node.template if isinstance(part, Variable))


def scope_of(graph: Graph, *, whole: bool = False) -> Scope:
    """What the filter of an engine sees: the root graph (graphon 0.8), or with `whole` the containers'
    children too.

    graphon 0.5 to 0.7 build one graph of all nodes; there Answers inside a container are registered, have
    no path, and wait for ever.
    """
    nodes = {i: n for i, n in graph.nodes.items() if whole or n.parent is None}
    edges = {i: e for i, e in graph.edges.items() if whole or e.parent is None}
    out: dict[str, list[Edge]] = {}
    for edge in edges.values():
        out.setdefault(edge.source, []).append(edge)
    responses = tuple(sorted(i for i, n in nodes.items() if n.kind == "response"))
    return Scope(
        graph=graph,
        nodes=nodes,
        edges=edges,
        root=graph.root,
        out={source: tuple(leaving) for source, leaving in out.items()},
        responses=responses,
        stops=_stops(nodes, responses),
        whole=whole,
    )


def _stops(nodes: Mapping[str, Node], responses: Iterable[str]) -> dict[str, frozenset[str]]:
    always = frozenset(i for i, n in nodes.items() if n.kind in BLOCKING_KINDS)
    writers = [(i, n.writes) for i, n in nodes.items() if n.writes and i not in always]
    shared: dict[frozenset[str], frozenset[str]] = {frozenset(): always}
    stops = {}
    for response in responses:
        wanted = {selector[:2] for selector in variables_of(nodes[response])}
        extra = frozenset(i for i, writes in writers if writes & wanted) if wanted else frozenset()
        if extra not in shared:
            shared[extra] = always | extra
        stops[response] = shared[extra]
    return stops


class Reach:
    """The nodes that can be reached from the root for one set of blocking nodes; grows as edges are taken."""

    __slots__ = ("_scope", "_stops", "seen")

    def __init__(self, scope: Scope, stops: frozenset[str], taken: Set[str]) -> None:
        self._scope = scope
        self._stops = stops
        self.seen: set[str] = {scope.root}
        self._expand(scope.root, taken)

    def take(self, edge: Edge, taken: Set[str]) -> set[str]:
        """One edge was taken (it is in `taken` already): the nodes that this makes reachable."""
        if edge.source not in self._stops or edge.source not in self.seen or edge.target in self.seen:
            return set()
        self.seen.add(edge.target)
        return self._expand(edge.target, taken)

    def _expand(self, start: str, taken: Set[str]) -> set[str]:
        seen, out, stops = self.seen, self._scope.out, self._stops
        fresh = {start}
        todo = [start]
        while todo:
            node = todo.pop()
            held = node in stops
            for edge in out.get(node, ()):
                if edge.target not in seen and (not held or edge.id in taken):
                    seen.add(edge.target)
                    fresh.add(edge.target)
                    todo.append(edge.target)
        return fresh

    def copy(self) -> Reach:
        twin = object.__new__(Reach)
        twin._scope, twin._stops, twin.seen = self._scope, self._stops, set(self.seen)
        return twin
