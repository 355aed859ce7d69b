"""Rebuilding a gate that was lost or went stale, from the runtime state of the pause alone.

A fresh gate is fed every edge that the runtime state says was taken, with the variables of the pause. What it
streams meanwhile is what the chat user has been shown already, so it is thrown away; what is left is the gate
as it would have been saved. Three things the runtime state does not tell, and they are treated openly:

* the order in which Answers opened: the variable pool keeps nodes in the order of their first output; where a
  node has none and that decides, it is told as a doubt;
* what really reached the chat user, when an earlier resume went on with a lost gate: the message text
  decides, if there is one (core/shown.py);
* chunk boundaries: a text from before the pause is streamed as one piece.

Rules: graphon 0.5 to 0.8 `ResponseStreamFilter`; core/gate.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.blocking import Scope, scope_of
from workbench.core.gate import Gate
from workbench.core.graph import Graph, Selector, Variable
from workbench.core.pool import Pool
from workbench.core.shown import position, trust, value_of
from workbench.core.state import Base, Rules

_MOST_MOVED = 64
"""Unknown ends that are tried the other way round, one by one."""
_STEP = 1e-4
"""Smaller than the distance of two known ends, whatever hangs between them."""
_STREAMING_TYPES = frozenset({"llm", "agent", "tool"})
"""Node types whose `text` is streamed in chunks, then closed: a later Answer finds it empty."""


@dataclass(frozen=True, slots=True)
class Healed:
    """A rebuilt gate.

    Attributes:
        gate: the filter's own keys, edge ids of the DSL.
        shown: what the rebuilt gate holds for already streamed; not streamed again at the resume.
        evidence: what it was made from, one sentence each.
        doubts: what could not be known, one sentence each; empty when the rebuilt gate must be right.
    """

    gate: Mapping[str, Any]
    shown: str
    evidence: tuple[str, ...]
    doubts: tuple[str, ...] = ()


def stale_edges(gate: Mapping[str, Any], base: Base) -> tuple[str, ...]:
    """Edges that a saved gate still waits for although the runtime state says they were taken."""
    lists = gate.get("paths_map") or {}
    waits = {edge for paths in lists.values() for path in paths for edge in path}
    return tuple(edge for edge, state in base.edge_states.items() if state == "taken" and edge in waits)


def rebuild(
    graph: Graph,
    base: Base,
    *,
    kernel: str,
    execution_ids: Mapping[str, str] | None = None,
    message: str | None = None,
) -> Healed:
    """The gate that the pause should have saved.

    Args:
        kernel: the engine kernel that is to load it (its scope decides).
        execution_ids: execution ids of nodes that have started, for the filter's `node_execution_ids`.
        message: what the chat user has been shown so far, when known.
    """
    scope = scope_of(graph, whole=Rules.of(kernel).whole)
    ends = _Ends(scope, base)
    likely = _follow(scope, base, ends.sorted(ends.likely))
    others = [_follow(scope, base, edges) for edges in ends.other_orders()]
    gate = likely.gate
    gate.state.ids.update({n: x for n, x in (execution_ids or {}).items() if n in scope.nodes})
    taken = sum(state == "taken" for state in base.edge_states.values())
    evidence = [f"The runtime state: {taken} edges taken, {len(likely.opened)} Answers opened."]
    doubts = list(dict.fromkeys(doubt for other in others if (doubt := _difference(likely, other))))
    text = likely.shown
    if message is not None:
        told = trust(gate, likely.opened, text, message)
        text = told.shown
        (evidence if told.agrees else doubts).append(told.sentence)
        if told.agrees and len(gate.state.waiting) < 2:
            doubts.clear()
    _refill_streams(gate, likely.opened, base)
    return Healed(gate.dump(full_events=True), text, tuple(evidence), tuple(doubts))


@dataclass(frozen=True)
class _Rebuilt:
    """A gate that was fed all taken edges; `opened` are its response nodes in the order of their opening."""

    gate: Gate
    opened: tuple[str, ...]
    shown: str


def _follow(scope: Scope, base: Base, edges: Sequence[str]) -> _Rebuilt:
    skipped = {n for n, state in base.node_states.items() if state == "skipped"}
    gate = Gate(scope, Pool(base.variables), skipped=skipped)
    opened: list[str] = []
    shown = ""
    for event in ({"kind": "GraphRunStarted"}, *({"kind": "GraphEdgeTaken", "edge": e} for e in edges)):
        pending = set(gate.state.pending)
        shown += "".join(chunk.text for chunk in gate.feed(event))
        opened += sorted(pending - set(gate.state.pending))
    return _Rebuilt(gate, tuple(opened), shown)


class _Ends:
    """When each node ended, as a number that only its order matters of.

    Nodes with outputs are known: the pool keeps them in the order of their first output. A node without
    outputs ended between the nodes before it and those behind it, and so did a container, whose own variables
    are there from its start.
    """

    def __init__(self, scope: Scope, base: Base) -> None:
        self._scope = scope
        self._edges = [e for e in scope.edges if base.edge_states.get(e) == "taken"]
        self._known = {
            node: float(at)
            for at, node in enumerate(base.variables)
            if node in scope.nodes and scope.nodes[node].kind != "container"
        }
        self._sources: dict[str, list[str]] = {}
        self._targets: dict[str, list[str]] = {}
        for edge in (scope.edges[e] for e in self._edges):
            self._sources.setdefault(edge.target, []).append(edge.source)
            self._targets.setdefault(edge.source, []).append(edge.target)
        self._early: dict[str, float] = {}
        self._late: dict[str, float] = {}

    def sorted(self, ended: Callable[[str], float]) -> tuple[str, ...]:
        """The taken edges by the end of their sources; ties as in the DSL."""
        return tuple(sorted(self._edges, key=lambda e: ended(self._scope.edges[e].source)))

    def other_orders(self) -> list[tuple[str, ...]]:
        """Orders that could have been as well: all ends early, all late, and each unknown one moved alone."""
        unknown = [n for n in self._targets if n not in self._known and self.early(n) != self.late(n)]
        keys = [self.early, self.late, *(self._moved(node) for node in unknown[:_MOST_MOVED])]
        usual = self.sorted(self.likely)
        return [edges for edges in dict.fromkeys(tuple(self.sorted(key)) for key in keys) if edges != usual]

    def _moved(self, moved: str) -> Callable[[str], float]:
        other = self.early(moved) if self.likely(moved) != self.early(moved) else self.late(moved)
        return lambda node: other if node == moved else self.likely(node)

    def early(self, node: str) -> float:
        """Right after the last node before it."""
        if node in self._known:
            return self._known[node]
        if node not in self._early:
            self._early[node] = -1.0  # a cycle ends here
            before = [self.early(source) for source in self._sources.get(node, ())]
            self._early[node] = max(before, default=-1.0) + _STEP
        return self._early[node]

    def late(self, node: str) -> float:
        """Just before the first node behind it."""
        if node in self._known:
            return self._known[node]
        if node not in self._late:
            self._late[node] = self.early(node)
            behind = [self.late(target) for target in self._targets.get(node, ())]
            self._late[node] = max(self.early(node), min(behind, default=float(len(self._known))) - _STEP)
        return self._late[node]

    def likely(self, node: str) -> float:
        """A container ends after its rounds: late. A node without outputs is quick: early."""
        return self.late(node) if self._scope.nodes[node].kind == "container" else self.early(node)


def _difference(likely: _Rebuilt, other: _Rebuilt) -> str | None:
    """A sentence when another order of ends gives another gate."""
    if _turn(likely) == _turn(other):
        return None
    names = [_name(likely.gate, r) for r in likely.opened if r in (*_turn(likely), *_turn(other))]
    return (
        f"In which order {' and '.join(names)} opened is not in the runtime state: "
        "nodes that ran side by side could have ended either way."
    )


def _turn(rebuilt: _Rebuilt) -> tuple[str, ...]:
    state = rebuilt.gate.state
    active = () if state.active is None else (state.active.node_id,)
    return (*active, *(session.node_id for session in state.waiting))


def _refill_streams(gate: Gate, opened: Sequence[str], base: Base) -> None:
    """Give each model's stream back: empty where an Answer has read it, else as one piece."""
    read = {
        part.selector
        for response in opened
        for part in gate.scope.nodes[response].template[: position(gate, response)]
        if isinstance(part, Variable)
    }
    for response in gate.scope.responses:
        for selector in sorted(gate.scope.selectors(response)):
            if not _was_streamed(gate.scope, selector, base):
                continue
            gate.state.closed.add(selector)
            if selector not in read:
                gate.state.buffers[selector] = [_whole_text(gate, selector)]
                gate.state.positions[selector] = 0


def _whole_text(gate: Gate, selector: Selector) -> dict[str, Any]:
    node = gate.scope.nodes[selector[0]]
    return {
        "id": gate.state.ids.get(node.id, ""),
        "node_id": node.id,
        "node_type": node.type,
        "selector": list(selector),
        "chunk": value_of(gate, selector),
        "is_final": True,
    }


def _was_streamed(scope: Scope, selector: Selector, base: Base) -> bool:
    node = scope.nodes.get(selector[0]) if len(selector) == 2 else None
    if node is None or node.type not in _STREAMING_TYPES or selector[1] != "text":
        return False
    values = base.variables.get(node.id, {})
    return "text" in values and "error_message" not in values


def _name(gate: Gate, response: str) -> str:
    title = gate.scope.nodes[response].title
    return f"{title!r} ({response})" if title else response
