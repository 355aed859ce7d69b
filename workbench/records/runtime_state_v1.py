"""Runtime snapshot 1.0: Dify 1.13 to 1.16, graphon up to 0.6. Queues are node ids, edge ids are positions.

Dify 1.13 and 1.14 keep their gate in it as well (`response_coordinator`); graphon 0.5 and 0.6 ignore that
key.
"""

from __future__ import annotations

from workbench.records.runtime_state import Parts, Task
from workbench.records.shapes import Shape


def read(top: Shape) -> Parts:
    """What only this version has."""
    states = Shape(top.mapping("graph_state"), "graph_state", top.notes)
    paused = top.names("paused_nodes")
    ready = top.nested("ready_queue").names("items", needed=False)
    deferred = top.names("deferred_nodes")
    coordinator = top.data.get("response_coordinator")
    if coordinator is not None and not isinstance(coordinator, str):
        top.note("response_coordinator is no text")
    return Parts(
        node_states=states.texts("nodes", needed=False),
        edge_states=states.texts("edges", needed=False),
        paused_nodes=paused,
        ready=tuple(Task("start", "root", node) for node in ready),
        deferred=tuple(Task("start", "root", node) for node in deferred),
        response_coordinator=coordinator if isinstance(coordinator, str) else None,
    )
