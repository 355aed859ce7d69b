"""Runtime snapshot 2.0: Dify 1.17, graphon 0.7. Tasks belong to frames (a container's round is one), edge ids
are positions over the whole graph; a waiting human-input node is a `start` task among the deferred ones.
"""

from __future__ import annotations

from workbench.records.runtime_state import Parts, Task
from workbench.records.shapes import Shape, mappings


def read(top: Shape) -> Parts:
    """What this version and the next have."""
    deferred = _tasks(top, "deferred_ready_tasks")
    runs = mappings(top.items("container_runs"), "container_runs", top.notes)
    frames = mappings(top.items("container_frames"), "container_frames", top.notes)
    waiting = dict.fromkeys(task.node for task in deferred if task.kind == "start" and task.node)
    return Parts(
        node_states=top.texts("graph_node_states"),
        edge_states=top.texts("graph_edge_states"),
        paused_nodes=tuple(node for node in waiting if node),
        ready=_tasks(top, "ready_queue"),
        deferred=deferred,
        container_runs=tuple(runs),
        container_frames=tuple(frames),
    )


def _tasks(top: Shape, key: str) -> tuple[Task, ...]:
    items = mappings(top.nested(key).items("items", needed=False), key, top.notes)
    shapes = [Shape(item, f"{key} item", top.notes) for item in items]
    return tuple(
        Task(
            kind=shape.text("kind") or "start",
            frame=shape.text("frame_id", needed=False) or "root",
            node=shape.text("node_id", needed=False),
            invocation=shape.text("invocation_id", needed=False),
        )
        for shape in shapes
    )
