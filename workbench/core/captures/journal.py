"""A recorded stream as a journal: which edges were taken is inferred from outputs, forms and node order.

The stream tells nodes and texts, never edges. A node's edges follow from its outputs (if-else:
`selected_case_id`; question-classifier: `class_id`; human-input: `__action_id`), from the form's event, or
else from which of its targets started first after it. What is replayed then is the gate that this app had.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from workbench.core.captures.run import CapturedRun, NodeRun
from workbench.core.findings.streaming import is_streamed
from workbench.core.graph import Edge, Graph
from workbench.core.state import DEFAULT_KERNEL, Event, Journal, Segment

_CHOICE: Final = {
    "if-else": "selected_case_id", "question-classifier": "class_id", "human-input": "__action_id"
}  # fmt: skip
_TIMEOUT: Final = "__timeout"
_FAIL: Final = "fail-branch"
_ENDS: Final = {
    "succeeded": "GraphRunSucceeded", "partial-succeeded": "GraphRunPartialSucceeded",
    "failed": "GraphRunFailed", "stopped": "GraphRunAborted",
}  # fmt: skip


@dataclass
class Inferred:
    """A journal out of a recording.

    Attributes:
        starts: the step of the first event of each segment.
        unknown: nodes of the recording that the app does not have.
        guessed: branch nodes of which the stream does not tell the way: node order decided.
    """

    graph: Graph
    events: list[Event] = field(default_factory=list)
    edges: dict[str, str] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    guessed: list[str] = field(default_factory=list)

    @cached_property
    def out(self) -> Mapping[str, list[Edge]]:
        """The edges that leave each node."""
        found: dict[str, list[Edge]] = {}
        for edge in self.graph.edges.values():
            found.setdefault(edge.source, []).append(edge)
        return found

    @cached_property
    def into(self) -> Mapping[str, list[str]]:
        """The ids of the edges that lead to each node."""
        found: dict[str, list[str]] = {}
        for edge in self.graph.edges.values():
            found.setdefault(edge.target, []).append(edge.id)
        return found

    def journal(self, variables: Mapping[str, Mapping[str, Any]], modes: Sequence[str]) -> Journal:
        """The journal with these gate modes of its segments ("fresh" or "restored")."""
        segments = tuple(
            Segment(step, mode if number else "fresh")
            for number, (step, mode) in enumerate(zip(self.starts, ("fresh", *modes), strict=True))
        )
        return Journal(variables, segments, tuple(self.events), DEFAULT_KERNEL)


def infer(graph: Graph, run: CapturedRun) -> Inferred:
    """The journal of a run that is recorded from its start."""
    found = Inferred(graph)
    for _, what, subject in sorted(_moments(run), key=lambda moment: moment[:2]):
        if what == _START_OF_SEGMENT:
            found.starts.append(len(found.events) + 1)
            reason = "initial" if len(found.starts) == 1 else "resumption"
            found.events.append({"kind": "GraphRunStarted", "reason": reason})
        elif what == _PAUSE:
            _pause(found, run, subject)
        elif what == _END:
            end: dict[str, Any] = {"kind": _ENDS.get(run.status or "", "GraphRunSucceeded")}
            found.events.append(end | {"outputs": dict(run.outputs or {}), "error": run.error})
        elif subject.node not in graph.nodes:
            found.unknown += [] if subject.node in found.unknown else [subject.node]
        elif what == _STARTED:
            found.events.append(_event(graph, "NodeRunStarted", subject))
        else:
            _finished(found, run, subject)
    return found


_START_OF_SEGMENT, _STARTED, _FINISHED, _PAUSE, _END = range(5)


def _moments(run: CapturedRun) -> Iterator[tuple[int, int, Any]]:
    for first in run.segments:
        yield first, _START_OF_SEGMENT, None
    for pause in run.pauses:
        yield pause, _PAUSE, pause
    for node in run.nodes:
        done = node.finished is not None and node.status not in ("paused", "running")
        if node.started is not None and (not done or node.started < (node.finished or 0)):
            yield node.started, _STARTED, node
        if done:
            yield node.finished or 0, _FINISHED, node
    if run.ended is not None:
        last = max([run.ended, *(node.finished or 0 for node in run.nodes)])
        yield last, _END, None


def _pause(found: Inferred, run: CapturedRun, number: int) -> None:
    waiting = [
        n
        for n in run.nodes
        if n.paused and (n.finished is None or n.status == "paused" or n.finished > number)
    ]
    for node in waiting:
        if node.node in found.graph.nodes and run.segments[node.begun] < number:
            event = _event(found.graph, "NodeRunPauseRequested", node)
            found.events.append({**event, "reason": {"type": "human_input_required", "node_id": node.node}})
    found.events.append({"kind": "GraphRunPaused", "reasons": []})


def _finished(found: Inferred, run: CapturedRun, node: NodeRun) -> None:
    if node.status in ("failed", "stopped"):
        found.events += _chunks(found.graph, run, node)
        found.events.append(_event(found.graph, "NodeRunFailed", node) | {"error": node.error or ""})
        return
    found.events += _chunks(found.graph, run, node)
    if found.graph.nodes[node.node].parent is None:
        for edge, taken in _left(found, run, node):
            _edge(found, edge, taken=taken)
    kind = "NodeRunException" if node.status == "exception" else "NodeRunSucceeded"
    found.events.append(_event(found.graph, kind, node) | {"outputs": dict(node.outputs or {})})


def _chunks(graph: Graph, run: CapturedRun, node: NodeRun) -> Iterator[Event]:
    """What a model said, in the pieces that the client was sent; in one piece where it was sent none."""
    if not is_streamed(graph, (node.node, "text")):
        return
    said = (node.outputs or {}).get("text") if node.status == "succeeded" else None
    texts = run.sent_of(node) or ([said] if isinstance(said, str) and said else [])
    event = _event(graph, "NodeRunStreamChunk", node) | {"selector": [node.node, "text"]}
    yield from ({**event, "text": text} for text in texts)
    if texts and node.status == "succeeded":
        yield {**event, "text": "", "final": True}


def _event(graph: Graph, kind: str, node: NodeRun) -> dict[str, Any]:
    event = {"kind": kind, "node": node.node, "xid": node.xid, "type": node.type, "title": node.title}
    parent = graph.nodes[node.node].parent
    return event if parent is None else {**event, "container": parent}


def _left(found: Inferred, run: CapturedRun, node: NodeRun) -> list[tuple[Edge, bool]]:
    """The edges that leave a node, each with whether it was taken; skipped ones first, as the engine "
    "tells."""
    out = found.out.get(node.node, [])
    handles = list(dict.fromkeys(edge.handle for edge in out))
    handle = _handle(found, run, node, handles) if handles else None
    if handle is None:
        return [] if found.graph.nodes[node.node].kind == "branch" else [(edge, True) for edge in out]
    return sorted(((edge, edge.handle == handle) for edge in out), key=lambda pair: pair[1])


def _handle(found: Inferred, run: CapturedRun, node: NodeRun, handles: list[str]) -> str | None:
    if node.status == "exception" and _FAIL in handles:
        return _FAIL
    if found.graph.nodes[node.node].kind != "branch":
        return handles[0] if len(handles) == 1 else None
    choice = (node.outputs or {}).get(_CHOICE.get(node.type, ""))
    told = _TIMEOUT if node.expired is not None else choice if isinstance(choice, str) else node.action
    if told in handles:
        return told
    if node.type not in _CHOICE:
        return next((handle for handle in handles if handle != _FAIL), None)
    return _by_order(found, run, node)


def _by_order(found: Inferred, run: CapturedRun, node: NodeRun) -> str | None:
    """The handle whose target started first after the node; None where none did."""
    after = sorted(
        (n.first, n.node) for n in run.nodes if n.first > (node.finished or 0) and n.node != node.node
    )
    for _, target in after:
        for edge in found.out.get(node.node, ()):
            if edge.target == target:
                found.guessed.append(node.node)
                return edge.handle
    return None


def _edge(found: Inferred, edge: Edge, *, taken: bool) -> None:
    """Tell an edge; what lies behind only skipped edges is skipped with it, as graphon does."""
    todo = [(edge, taken)]
    while todo:
        each, is_taken = todo.pop()
        found.edges[each.id] = "taken" if is_taken else "skipped"
        found.events.append(
            {
                "kind": "GraphEdgeTaken" if is_taken else "GraphEdgeSkipped",
                "edge": each.id,
                "source": each.source,
                "target": each.target,
                "handle": each.handle,
            }
        )
        into = found.into.get(each.target, ())
        if not is_taken and all(found.edges.get(e) == "skipped" for e in into):
            todo += [(e, False) for e in found.out.get(each.target, ())]
