"""One run of an app without an engine: every node does its work at once, branches go where they are told.

The order is graphon 0.5's (graph_engine/: edge_processor, skip_propagator, event_handlers) with one worker:
first come, first served; when a form pauses the run, what was ready still runs, what that makes ready waits
for the resume. Every gate that could have been there is fed with the same events.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from workbench.core.answers import phase_of
from workbench.core.blocking import Scope
from workbench.core.findings.handles import TIMEOUT, possible_handles
from workbench.core.findings.outputs import outputs_of
from workbench.core.findings.streaming import is_streamed
from workbench.core.gate import Chunk, Gate, StreamClosedError
from workbench.core.graph import Graph, Node, Selector, Variable
from workbench.core.machine import Machine
from workbench.core.state import Rules

Decide = Callable[[str, tuple[str, ...]], str]
"""The handle that a node takes, out of those that it can; "" is one without an edge."""

FORM = "human-input"
MOST_PAUSES = 40
"""Pauses of one walk that get a gate of their own, which is told all that comes after; no later ones do."""
_FIRST = ("sys", "env", "conversation")


@dataclass
class Pause:
    """A pause that was resumed with a fresh gate beside the real one.

    Attributes:
        answered: the form that was submitted.
        before: what each Answer had streamed by then.
        texts: what the fresh gate lets each Answer stream after it; `stream` all of it in order.
    """

    answered: str
    before: dict[str, str]
    gate: Gate
    texts: dict[str, str] = field(default_factory=dict)
    stream: list[str] = field(default_factory=list)


@dataclass
class Walk:
    """How it went.

    Attributes:
        decisions: the handles taken, by node, in the order of the run.
        ran: the nodes that ran, in order.
        texts: what each Answer streamed, with every gate kept; `stream` all of it in order.
    """

    gate: Gate
    decisions: dict[str, str] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    stream: list[str] = field(default_factory=list)
    pauses: list[Pause] = field(default_factory=list)
    edges: dict[str, str] = field(default_factory=dict)

    def is_done(self, gate: Gate, response: str) -> bool:
        return phase_of(gate, response) == "done"


class Walker:
    """Walks through one app; what does not change between runs is prepared once."""

    def __init__(self, graph: Graph, scope: Scope) -> None:
        self.graph, self.scope = graph, scope
        self._incoming: dict[str, list[str]] = {}
        for edge in scope.edges.values():
            self._incoming.setdefault(edge.target, []).append(edge.id)
        self._order = {node: place for place, node in enumerate(graph.nodes)}
        named = {
            part.selector
            for response in scope.responses
            for part in scope.nodes[response].template
            if isinstance(part, Variable) and len(part.selector) > 1
        }
        self._named: dict[str, list[Selector]] = {}
        for selector in sorted(named):
            self._named.setdefault(selector[0], []).append(selector)
        self._first: dict[str, dict[str, Any]] = {}
        for space in _FIRST:
            for selector in self._named.get(space, ()):
                self._put(self._first.setdefault(space, {}), selector[1:], f"<{'.'.join(selector)}>")

    def walk(self, decide: Decide) -> Walk:
        """One run, from its start to its end, every form answered."""
        return _Run(self, decide).go()

    def handles(self, node: Node) -> tuple[str, ...]:
        """Where a branch can go: its edges' handles in their order, and "" when a case has no edge.

        An edge of a case that the node no longer has is never taken; a form's time limit counts only where it
        is drawn.
        """
        known = possible_handles(node)
        drawn = dict.fromkeys(
            edge.handle for edge in self.scope.out.get(node.id, ()) if known is None or edge.handle in known
        )
        loose = [handle for handle in known or () if handle not in drawn and handle != TIMEOUT]
        return (*drawn, *([""] if loose or not drawn else []))

    def outputs(self, node: Node) -> dict[str, Any]:
        """Telling values for all that Answers name of a node."""
        known = outputs_of(node)
        values: dict[str, Any] = {}
        for selector in self._named.get(node.id, ()):
            if known is None or selector[1] in known:
                self._put(values, selector[1:], f"<{'.'.join(selector)}>")
        return values

    @staticmethod
    def _put(values: dict[str, Any], names: Selector, text: str) -> None:
        for name in names[:-1]:
            inner = values.setdefault(name, {})
            if not isinstance(inner, dict):
                return
            values = inner
        values.setdefault(names[-1], text)

    def first(self) -> dict[str, dict[str, Any]]:
        return {space: dict(names) for space, names in self._first.items()}

    def sorted(self, nodes: list[str]) -> list[str]:
        return sorted(dict.fromkeys(nodes), key=self._order.__getitem__)

    def incoming(self, node: str) -> list[str]:
        return self._incoming.get(node, [])


class _Run:
    def __init__(self, walker: Walker, decide: Decide) -> None:
        self.w, self.decide = walker, decide
        rules = Rules.of("graphon-0.8")  # the root graph alone: Answers in containers have no part in it
        self.machine = Machine(walker.graph, walker.scope, rules, walker.first())
        self.walk = Walk(self.machine.gate)
        self.ready: deque[str] = deque()
        self.deferred: list[str] = []
        self.waiting: list[str] = []
        self.answers: str | None = None
        self.paused = False
        self._states: dict[str, str] = {}  # of edges whose events are about to be told

    def go(self) -> Walk:
        self._tell({"kind": "GraphRunStarted"})
        self.ready.append(self.w.scope.root)
        while True:
            while self.ready:
                self._run(self.ready.popleft())
            if not self.waiting:
                break
            self._pause()
        self._tell({"kind": "GraphRunSucceeded"})
        self.walk.edges = dict(self.machine.edges)
        return self.walk

    def _run(self, node_id: str) -> None:
        node = self.w.scope.nodes[node_id]
        if node.type == FORM and node_id != self.answers:
            self._tell({"kind": "NodeRunStarted", "node": node_id, "xid": node_id})
            self._tell({"kind": "NodeRunPauseRequested", "node": node_id, "xid": node_id})
            self.waiting.append(node_id)
            self.paused = True
            return
        self.answers = None if node_id == self.answers else self.answers
        self.walk.ran.append(node_id)
        self._tell({"kind": "NodeRunStarted", "node": node_id, "xid": node_id})
        outputs = self.w.outputs(node)
        for name in outputs:
            if is_streamed(self.w.graph, (node_id, name)):
                told = {
                    "kind": "NodeRunStreamChunk",
                    "node": node_id,
                    "xid": node_id,
                    "selector": [node_id, name],
                }
                self._tell({**told, "text": outputs[name]})
                self._tell({**told, "text": "", "final": True})
        for selector in sorted(node.writes):
            value = f"<{'.'.join(selector)} by {node_id}>"
            self._tell(
                {
                    "kind": "NodeRunVariableUpdated",
                    "node": node_id,
                    "selector": list(selector),
                    "value": value,
                }
            )
        handle = None
        if node.kind == "branch":
            handle = self.decide(node_id, self.w.handles(node))
            self.walk.decisions[node_id] = handle
        self._leave(node, handle, outputs)

    def _leave(self, node: Node, handle: str | None, outputs: Mapping[str, Any]) -> None:
        leaving = self.w.scope.out.get(node.id, ())
        taken = [edge for edge in leaving if handle is None or edge.handle == handle]
        done = {"kind": "NodeRunSucceeded", "node": node.id, "xid": node.id, "outputs": outputs}
        events: list[dict[str, Any]] = []
        for edge in leaving:
            if edge not in taken:
                self._skip(edge.id, events)
        made: list[str] = []
        for edge in taken:
            events.append({"kind": "GraphEdgeTaken", "edge": edge.id})
            self._states[edge.id] = "taken"
            states = [
                self._states.get(each, self.machine.edges[each]) for each in self.w.incoming(edge.target)
            ]
            if "unknown" not in states:
                made.append(edge.target)
        events.append(done)
        for place, event in enumerate(events):
            self._tell(event, (done,) if place == 0 else ())
        self._states.clear()
        (self.deferred if self.paused else self.ready).extend(made)

    def _skip(self, edge_id: str, events: list[dict[str, Any]]) -> None:
        todo = [edge_id]
        while todo:
            current = todo.pop()
            self._states[current] = "skipped"
            events.append({"kind": "GraphEdgeSkipped", "edge": current})
            target = self.w.scope.edges[current].target
            states = {self._states.get(each, self.machine.edges[each]) for each in self.w.incoming(target)}
            if "unknown" in states:
                continue
            if "taken" in states:
                self.ready.append(target)
            else:
                todo.extend(reversed([edge.id for edge in self.w.scope.out.get(target, ())]))

    def _pause(self) -> None:
        self._tell({"kind": "GraphRunPaused"})
        waiting = tuple(self.waiting)
        self.answers = self.decide("", waiting) if len(waiting) > 1 else waiting[0]
        self.ready.extend(self.w.sorted([*self.waiting, *self.deferred]))
        self.waiting, self.deferred, self.paused = [], [], False
        if len(self.walk.pauses) < MOST_PAUSES:
            gate = Gate(self.w.scope, self.machine.pool, skipped=self.machine.skipped)
            self.walk.pauses.append(Pause(self.answers, dict(self.walk.texts), gate))
        self._tell({"kind": "GraphRunStarted"})

    def _tell(self, event: dict[str, Any], completed: tuple[dict[str, Any], ...] = ()) -> None:
        with suppress(StreamClosedError):
            _add(self.walk.texts, self.machine.apply(event, completed), self.walk.stream)
        ends = event["kind"] in ("GraphRunSucceeded", "GraphRunPaused")
        for pause in self.walk.pauses:
            with suppress(StreamClosedError):
                _add(pause.texts, pause.gate.feed(event), pause.stream)
                if ends:
                    _add(pause.texts, pause.gate.flush(), pause.stream)


def _add(texts: dict[str, str], chunks: list[Chunk], stream: list[str]) -> None:
    for chunk in chunks:
        if chunk.text:
            stream.append(chunk.text)
            texts[chunk.answer] = texts.get(chunk.answer, "") + chunk.text
