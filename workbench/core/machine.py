"""One engine, followed event by event: variables, node and edge states, status, and the gate that reads
them.

The order of graphon (0.5 to 0.8, `event_handlers.py` / `engine/event/processor.py`): when a node completes,
its outputs are stored first, then its edges are taken or skipped, then its own event is told. So the
outputs of a NodeRunSucceeded or NodeRunException are there before the edge events that directly precede it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from workbench.core.blocking import Scope
from workbench.core.gate import Chunk, Gate, StreamClosedError
from workbench.core.graph import Edge, Graph
from workbench.core.pool import Pool
from workbench.core.state import Base, Event, Rules
from workbench.errors import BadInputError

COMPLETIONS: Final = frozenset({"NodeRunSucceeded", "NodeRunException"})
EDGES: Final = frozenset({"GraphEdgeTaken", "GraphEdgeSkipped"})
BETWEEN: Final = frozenset({"NodeRunHumanInputFormFilled", "NodeRunHumanInputFormTimeout"})
"""May stand between a node's edges and its completion."""
ROUNDS: Final = frozenset(
    {"NodeRunLoopStarted", "NodeRunLoopNext", "NodeRunIterationStarted", "NodeRunIterationNext"}
)
ENDS: Final = frozenset(
    {"GraphRunSucceeded", "GraphRunPartialSucceeded", "GraphRunPaused", "GraphRunAborted"}
)
"""After these the filter is flushed. graphon raises after GraphRunFailed, so there it is not."""
_STATUS: Final = {
    "NodeRunStarted": "running",
    "NodeRunSucceeded": "succeeded",
    "NodeRunFailed": "failed",
    "NodeRunException": "exception",
    "NodeRunRetry": "retry",
    "NodeRunPauseRequested": "paused",
}
_EMPTY: Final[Mapping[str, Any]] = {"string": "", "secret": "", "object": {}}


def effects(events: Sequence[Event], graph: Graph, start: int = 0) -> dict[int, list[Event]]:
    """For the index of an event: the completions whose outputs are visible from it on.

    Args:
        start: the index of the first completion that is looked at.
    """
    at: dict[int, list[Event]] = {}
    for index in range(start, len(events)):
        event = events[index]
        if event["kind"] not in COMPLETIONS:
            continue
        first = index
        for before in range(index - 1, -1, -1):
            earlier = events[before]
            if earlier["kind"] in EDGES and _same_place(earlier, event, graph):
                first = before
            elif earlier["kind"] not in BETWEEN or earlier.get("node") != event["node"]:
                break
        at.setdefault(first, []).append(event)
    return at


def _same_place(edge_event: Event, event: Event, graph: Graph) -> bool:
    edge, node = graph.edges.get(edge_event["edge"]), graph.nodes.get(event["node"])
    if edge is None or node is None:
        return edge_event.get("container") == event.get("container")
    return edge.parent == node.parent


class Machine:
    """The state of a run while its events are applied. Mutable, owned by a player or a timeline.

    Attributes:
        stream_error: why the gate is dead in this segment; it stays as it was when it died.
    """

    def __init__(
        self, graph: Graph, scope: Scope, rules: Rules, variables: Mapping[str, Mapping[str, Any]]
    ) -> None:
        self.graph = graph
        self.rules = rules
        self.pool = Pool(variables)
        self.nodes = dict.fromkeys(graph.nodes, "unknown")
        self.edges = dict.fromkeys(graph.edges, "unknown")
        self.status: dict[str, str] = {}
        self.skipped: set[str] = set()
        self.stream_error: str | None = None
        self._incoming = _incoming(graph)
        self._skip_idle_roots(scope)
        self.gate = Gate(scope, self.pool, skipped=self.skipped)

    def enter(
        self, scope: Scope, rules: Rules, gate: Mapping[str, Any] | str | None, base: Base | None
    ) -> None:
        """A segment begins.

        Args:
            gate: a saved state to go on from, "fresh", or None to go on with the gate as it is.
        """
        self.rules = rules
        self.stream_error = None
        if base is not None:
            self.pool.values = {node: dict(names) for node, names in base.variables.items()}
            self.nodes = {node: base.node_states.get(node, "unknown") for node in self.graph.nodes}
            self.edges = {edge: base.edge_states.get(edge, "unknown") for edge in self.graph.edges}
            self.skipped.clear()
            self.skipped.update(n for n, s in self.nodes.items() if s == "skipped" and self._at_root(n))
        if gate is None and scope is self.gate.scope:
            return
        dump = self.gate.dump() if gate is None else None if isinstance(gate, str) else gate
        try:
            self.gate = Gate(scope, self.pool, skipped=self.skipped, dump=dump)
        except BadInputError as error:
            self.gate = Gate(scope, self.pool, skipped=self.skipped)
            self.stream_error = f"{error.title}: {error.cause}"

    def copy(self) -> Machine:
        twin = object.__new__(Machine)
        twin.graph, twin.rules, twin._incoming = self.graph, self.rules, self._incoming
        twin.pool = self.pool.copy()
        twin.nodes, twin.edges, twin.status = dict(self.nodes), dict(self.edges), dict(self.status)
        twin.skipped = set(self.skipped)
        twin.stream_error = self.stream_error
        twin.gate = self.gate.clone(twin.pool, twin.skipped)
        return twin

    # ---- events

    def apply(self, event: Event, completed: Sequence[Event] = ()) -> list[Chunk]:
        """One event, and the completions whose outputs become visible with it (see `effects`).

        Raises:
            StreamClosedError: the real filter fails here; everything but the gate has been applied, and
                `stream_error` says so from now on.
        """
        kind = event["kind"]
        for completion in completed:
            self._store_outputs(completion)
        if kind in EDGES:
            self._edge(event, kind)
        elif kind in _STATUS:
            self._node(event, kind)
        elif kind == "NodeRunVariableUpdated":
            self._update(event)
        elif kind == "NodeRunLoopStarted":
            self._loop_variables(event)
        chunks = self._feed(event, kind)
        if kind in ROUNDS:
            self._new_round(event)
        return chunks

    def _feed(self, event: Event, kind: str) -> list[Chunk]:
        if self.stream_error is not None:
            return []
        try:
            chunks = self.gate.feed(event)
        except StreamClosedError as error:
            self.stream_error = str(error)
            raise
        return [*chunks, *self.gate.flush()] if kind in ENDS else chunks

    def _edge(self, event: Event, kind: str) -> None:
        edge = self.graph.edges.get(event["edge"])
        if edge is None:
            return
        self.edges[edge.id] = "taken" if kind == "GraphEdgeTaken" else "skipped"
        if edge.target not in self.nodes:
            return
        states = {self.edges[e] for e in self._incoming.get(edge.target, ())}
        if "unknown" in states:
            return
        if "taken" in states:
            self.nodes[edge.target] = "taken"
        else:
            self._skip(edge.target)

    def _skip(self, node: str) -> None:
        self.nodes[node] = "skipped"
        if self._at_root(node):
            self.skipped.add(node)

    def _node(self, event: Event, kind: str) -> None:
        node = event["node"]
        self.status[node] = _STATUS[kind]
        if node in self.nodes:
            self.nodes[node] = "unknown" if kind == "NodeRunPauseRequested" else "taken"

    # ---- variables

    def _reaches_root(self, container: str | None) -> bool:
        """Do a child's own outputs land in the root's variables?"""
        while container is not None:
            node = self.graph.nodes.get(container)
            if node is None or not self.rules.shared_loops or node.type != "loop":
                return False
            container = node.parent
        return True

    def _store_outputs(self, event: Event) -> None:
        if self._reaches_root(event.get("container")):
            for name, value in event.get("outputs", {}).items():
                self.pool.set(event["node"], name, value)

    def _update(self, event: Event) -> None:
        selector = event["selector"]
        if len(selector) == 2 and self._update_reaches_root(event.get("container"), selector):
            kind = str(event.get("type", ""))
            empty = [] if kind.startswith("array") else _EMPTY.get(kind)
            self.pool.set(selector[0], selector[1], event.get("value", empty))

    def _update_reaches_root(self, container: str | None, selector: Sequence[str]) -> bool:
        if container is None or self.rules.loose_updates or self._reaches_root(container):
            return True
        if self.rules.shared_loops:
            return False
        loops = True  # graphon 0.8: written back from loop to loop as far as the variable exists
        while container is not None:
            node = self.graph.nodes.get(container)
            loops = loops and node is not None and node.type == "loop"
            container = node.parent if node is not None else None
        return loops and self.pool.has(selector[0], selector[1])

    def _loop_variables(self, event: Event) -> None:
        node = self.graph.nodes.get(event["node"])
        declared = node.data.get("loop_variables") if node is not None else None
        if not isinstance(declared, list) or not self._reaches_root(event.get("container")):
            return
        inputs = event.get("inputs", {})
        for variable in declared:
            label = variable.get("label") if isinstance(variable, Mapping) else None
            if isinstance(label, str) and label in inputs:
                self.pool.set(event["node"], label, inputs[label])

    def _new_round(self, event: Event) -> None:
        """The children start over; where rounds share the parent's variables, theirs are dropped first."""
        container = event["node"]
        inside = {container}
        for node in self.graph.nodes.values():
            if node.parent not in inside:
                continue
            if node.parent == container and self.rules.shared_loops and self._reaches_root(container):
                self.pool.forget(node.id)
            inside.add(node.id)
            self.nodes[node.id] = "unknown"
        for edge in self.graph.edges.values():
            if edge.parent in inside:
                self.edges[edge.id] = "unknown"

    # ---- the beginning

    def _at_root(self, node: str) -> bool:
        return self.graph.nodes[node].parent is None

    def _skip_idle_roots(self, scope: Scope) -> None:
        """Branches of triggers that did not fire are skipped (graphon `Graph.init`)."""
        roots = [n.id for n in scope.nodes.values() if n.kind == "root" and n.parent is None]
        if self.graph.root not in roots:
            return
        todo = [root for root in roots if root != self.graph.root]
        while todo:
            node = todo.pop()
            self._skip(node)
            for edge in scope.out.get(node, ()):
                self.edges[edge.id] = "skipped"
                target = edge.target
                if target in self.nodes and self.nodes[target] == "unknown" and self._all_skipped(target):
                    todo.append(target)

    def _all_skipped(self, node: str) -> bool:
        return all(self.edges[edge] == "skipped" for edge in self._incoming.get(node, ()))


def _incoming(graph: Graph) -> dict[str, list[str]]:
    incoming: dict[str, list[str]] = {}
    edge: Edge
    for edge in graph.edges.values():
        incoming.setdefault(edge.target, []).append(edge.id)
    return incoming
