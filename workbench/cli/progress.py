"""What has happened so far in a segment, as facts that can be painted: nodes in the order they started, and
the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.core.graph import Graph

ENDS = {
    "NodeRunSucceeded": "succeeded",
    "NodeRunFailed": "failed",
    "NodeRunException": "exception",
    "NodeRunPauseRequested": "paused",
    "NodeRunRetry": "retry",
}


@dataclass
class NodeLine:
    """One node that has started.

    Attributes:
        rounds: how often it started (in a loop).
        note: the handle it chose, or its error.
    """

    id: str
    title: str
    type: str
    depth: int
    status: str = "running"
    began: float = 0.0
    seconds: float | None = None
    rounds: int = 0
    note: str = ""


@dataclass
class Progress:
    """The facts, updated event by event."""

    graph: Graph
    nodes: dict[str, NodeLine] = field(default_factory=dict)
    pieces: list[str] = field(default_factory=list)
    last: NodeLine | None = None

    def event(self, at: float, event: Mapping[str, Any]) -> NodeLine | None:
        """Take an event in; the node's line when its status changed, else None."""
        kind = event["kind"]
        node_id = event.get("node")
        if not isinstance(node_id, str):
            return None
        if kind == "NodeRunStarted":
            line = self._line(node_id, event)
            line.status, line.began, line.seconds, line.note = "running", at, None, ""
            line.rounds += 1
            return line
        status = ENDS.get(kind)
        if status is None:
            return None
        line = self._line(node_id, event)
        line.status = status
        line.seconds = event.get("elapsed") if event.get("elapsed") is not None else at - (line.began or at)
        line.note = _note(event)
        return line

    def stream(self, chunks: Sequence[Sequence[Any]]) -> None:
        """Take streamed text in."""
        self.pieces.extend(chunk[2] for chunk in chunks)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def _line(self, node_id: str, event: Mapping[str, Any]) -> NodeLine:
        line = self.nodes.get(node_id)
        if line is None:
            node = self.graph.nodes.get(node_id)
            title = (node.title if node else "") or event.get("title") or node_id
            line = NodeLine(
                node_id, title, node.type if node else event.get("type", ""), self._depth(node_id)
            )
            self.nodes[node_id] = line
        return line

    def _depth(self, node_id: str) -> int:
        depth, seen = 0, set()
        node = self.graph.nodes.get(node_id)
        while node is not None and node.parent and node.parent not in seen:
            seen.add(node.parent)
            depth += 1
            node = self.graph.nodes.get(node.parent)
        return depth


def _note(event: Mapping[str, Any]) -> str:
    if event.get("error"):
        return str(event["error"])
    handle = event.get("handle")
    return f"→ {handle}" if handle and handle != "source" else ""


def duration(seconds: float) -> str:
    """A time for people: "3 ms", "1.2 s", "2 min 5 s"."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds // 60)} min {int(seconds % 60)} s"
