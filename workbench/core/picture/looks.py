"""How each edge and node stands at a step: what front ends draw differently."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol, get_args

from workbench.core.finding import AnswerState
from workbench.core.graph import Graph

EdgeLook = Literal["unknown", "taken", "skipped", "unlocked", "blocking", "lost"]
"""unknown: not reached. unlocked: taken, and it was one an Answer waited for. blocking: an Answer waits for
it. lost: taken, but the gate never heard of it (a resume with a fresh gate, or a stale saved one), so an
Answer still waits.
"""

NodeLook = Literal[
    "unknown", "taken", "running", "succeeded", "failed", "exception", "paused", "retry", "skipped"
]

_BY_NAME: dict[str, NodeLook] = {look: look for look in get_args(NodeLook)}

URGENCY: tuple[EdgeLook, ...] = ("unknown", "skipped", "taken", "unlocked", "blocking", "lost")
"""Where two edges share a cell, the one further right is drawn."""


class Standing(Protocol):
    """What is read of `workbench.core.state.State`."""

    @property
    def nodes(self) -> Mapping[str, str]: ...
    @property
    def edges(self) -> Mapping[str, str]: ...
    @property
    def status(self) -> Mapping[str, str]: ...
    @property
    def answers(self) -> tuple[AnswerState, ...]: ...


def lost_edges(state: Standing) -> frozenset[str]:
    """Edges that an Answer waits for although they were taken."""
    return frozenset(e for a in state.answers for e in a.blocking if state.edges.get(e) == "taken")


def edge_looks(graph: Graph, state: Standing | None) -> dict[str, EdgeLook]:
    """The look of every edge; without a state all are unknown."""
    if state is None:
        return dict.fromkeys(graph.edges, "unknown")
    wanted = {e for a in state.answers for e in a.blocking}
    opened = {e for a in state.answers for e in a.taken}
    lost = lost_edges(state)
    looks: dict[str, EdgeLook] = {}
    for edge in graph.edges:
        known = state.edges.get(edge, "unknown")
        if edge in lost:
            looks[edge] = "lost"
        elif known == "taken":
            looks[edge] = "unlocked" if edge in opened else "taken"
        elif known == "skipped":
            looks[edge] = "skipped"
        else:
            looks[edge] = "blocking" if edge in wanted else "unknown"
    return looks


def node_looks(graph: Graph, state: Standing | None) -> dict[str, NodeLook]:
    """The look of every node: its run status where it has one, else whether it was reached."""
    looks: dict[str, NodeLook] = {}
    for node in graph.nodes:
        status = state.status.get(node, "") if state else ""
        known = state.nodes.get(node, "") if state else ""
        looks[node] = _BY_NAME.get(status) or _BY_NAME.get(known, "unknown")
    return looks
