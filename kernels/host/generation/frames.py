"""Containers of graphon 0.7 and 0.8: every round is a frame with its own graph and node instances."""

from __future__ import annotations

from typing import Any


def rounds(node: Any, root_state: Any) -> tuple[int, ...]:
    """The indexes of the frames around a running node, outermost first.

    An execution belongs to (frame, node); frames know the invocation they serve, invocations the frame they
    run in.
    """
    frame_id = next(
        (
            frame
            for (frame, node_id), execution in list(root_state.graph_execution.node_executions.items())
            if node_id == node.id and execution.execution_id == node.execution_id
        ),
        None,
    )
    found: list[int] = []
    frames = {frame.frame_id: frame for frame in root_state.container_frames()}
    while frame_id in frames:
        frame = frames[frame_id]
        found.append(frame.index)
        frame_id = root_state.get_container_run(frame.parent_invocation_id).frame_id
    return tuple(reversed(found))
