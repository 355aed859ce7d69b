"""The gate at a step as a reader wants it: where each Answer stands, the queue, the buffers, and why
nothing streams now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from workbench.core.finding import AnswerPhase, AnswerState
from workbench.core.graph import Graph, Selector, Text
from workbench.core.picture.handles import name_of
from workbench.core.picture.looks import EdgeLook, Standing, edge_looks

PartState = Literal["streamed", "next", "later"]


class Gated(Standing, Protocol):
    """What is read of `workbench.core.state.State` here."""

    @property
    def gate(self) -> Mapping[str, Any]: ...
    @property
    def event(self) -> Mapping[str, Any] | None: ...
    @property
    def stream_error(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class EdgeView:
    """A blocking edge in words: `source —handle→ target`, and the step that took it, where known."""

    edge: str
    source: str
    handle: str
    target: str
    look: EdgeLook
    taken_at: int | None = None

    @property
    def words(self) -> str:
        """One line, such as `Above 100? —if→ Ask the team lead`."""
        return (
            f"{self.source} —{self.handle}→ {self.target}"
            if self.handle
            else f"{self.source} → {self.target}"
        )


@dataclass(frozen=True, slots=True)
class PartView:
    """A part of an Answer's template: a literal text, or the selector of a variable joined by dots."""

    text: str
    variable: bool
    state: PartState


@dataclass(frozen=True, slots=True)
class AnswerView:
    """One response node. `left` and `taken` are the blocking edges of its nearest path."""

    node_id: str
    title: str
    phase: AnswerPhase
    left: tuple[EdgeView, ...]
    taken: tuple[EdgeView, ...]
    template: tuple[PartView, ...]


@dataclass(frozen=True, slots=True)
class BufferView:
    """One stream: what an Answer has read of it, and what still waits in it."""

    selector: Selector
    read: str
    unread: str
    chunks_read: int
    chunks_unread: int
    closed: bool


@dataclass(frozen=True, slots=True)
class GateView:
    """All of it. `queue` are node ids, the active one first."""

    sentence: str
    answers: tuple[AnswerView, ...]
    queue: tuple[str, ...]
    buffers: tuple[BufferView, ...]


def edge_view(graph: Graph, edge_id: str, look: EdgeLook, taken_at: int | None = None) -> EdgeView:
    """An edge in words; an id that the graph does not hold stands for itself."""
    edge = graph.edges.get(edge_id)
    if edge is None:
        return EdgeView(edge_id, edge_id, "", "(not in this graph)", look, taken_at)
    return EdgeView(
        edge_id,
        title_of(graph, edge.source),
        name_of(graph.nodes.get(edge.source), edge.handle),
        title_of(graph, edge.target),
        look,
        taken_at,
    )


def title_of(graph: Graph, node_id: str) -> str:
    """A node's title, or its id."""
    node = graph.nodes.get(node_id)
    return (node.title if node else "") or node_id


def _session(entry: Any) -> tuple[str, int] | None:
    if isinstance(entry, Mapping) and isinstance(entry.get("node_id"), str):
        index = entry.get("index")
        return entry["node_id"], index if isinstance(index, int) else 0
    return None


def _sessions(gate: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Active session first, then the waiting ones."""
    entries = [gate.get("active_session"), *(gate.get("waiting_sessions") or ())]
    return [found for entry in entries if (found := _session(entry))]


def _chunk_text(event: Any) -> str:
    if isinstance(event, Mapping):
        text = event.get("chunk", event.get("text", ""))
        return text if isinstance(text, str) else ""
    return event if isinstance(event, str) else ""


def _selector(value: Any) -> Selector:
    return (
        tuple(str(part) for part in value)
        if isinstance(value, Sequence) and not isinstance(value, str)
        else ()
    )


def buffers(gate: Mapping[str, Any]) -> tuple[BufferView, ...]:
    """The stream buffers of a filter's dump."""
    positions = {
        _selector(p.get("selector")): p.get("position") or 0 for p in gate.get("stream_positions") or ()
    }
    closed = {_selector(c) for c in gate.get("closed_streams") or ()}
    views = []
    for entry in gate.get("stream_buffers") or ():
        selector = _selector(entry.get("selector"))
        texts = [_chunk_text(event) for event in entry.get("events") or ()]
        at = positions.get(selector, 0)
        views.append(
            BufferView(
                selector,
                "".join(texts[:at]),
                "".join(texts[at:]),
                min(at, len(texts)),
                max(0, len(texts) - at),
                selector in closed,
            )
        )
    return tuple(views)


def _template(graph: Graph, answer: AnswerState, index: int | None) -> tuple[PartView, ...]:
    node = graph.nodes.get(answer.node_id)
    parts = []
    for at, segment in enumerate(node.template if node else ()):
        if answer.state == "done":
            state: PartState = "streamed"
        elif index is None or at > index:
            state = "later"
        else:
            state = "streamed" if at < index else "next"
        if isinstance(segment, Text):
            parts.append(PartView(segment.text, False, state))
        else:
            parts.append(PartView(".".join(segment.selector), True, state))
    return tuple(parts)


def gate_view(graph: Graph, state: Gated, taken_at: Mapping[str, int] | None = None) -> GateView:
    """The gate of a step. `taken_at`: the step at which each edge was taken, where known."""
    looks = edge_looks(graph, state)
    steps = taken_at or {}
    sessions = _sessions(state.gate)
    index = dict(sessions)

    def views(edges: Sequence[str]) -> tuple[EdgeView, ...]:
        return tuple(edge_view(graph, e, looks.get(e, "blocking"), steps.get(e)) for e in edges)

    answers = tuple(
        AnswerView(
            answer.node_id,
            title_of(graph, answer.node_id),
            answer.state,
            views(answer.blocking),
            views(answer.taken),
            _template(graph, answer, index.get(answer.node_id)),
        )
        for answer in state.answers
    )
    streams = buffers(state.gate)
    return GateView(
        why_silent(graph, state, answers, streams), answers, tuple(n for n, _ in sessions), streams
    )


def why_silent(
    graph: Graph, state: Gated, answers: Sequence[AnswerView], streams: Sequence[BufferView]
) -> str:
    """One plain sentence: what streams now, or why nothing does."""
    if state.stream_error:
        return f"The stream is dead: {state.stream_error}. The run goes on, but nothing more is shown."
    if not answers:
        return "This app has no Answer or End node in its root graph: nothing can stream."
    active = next((a for a in answers if a.phase == "active"), None)
    if active is not None:
        return _why_active_waits(graph, state, active, streams, answers)
    kind = str((state.event or {}).get("kind", ""))
    locked = [a for a in answers if a.phase == "locked"]
    if not locked:
        return "Every Answer has been streamed."
    if kind.startswith("GraphRun") and kind not in ("GraphRunStarted", "GraphRunPaused"):
        lost = next((a for a in locked if any(e.look == "lost" for e in a.left)), None)
        if lost is not None:
            return f"The run has ended, and {_lost_words(lost)}"
        if any(a.phase == "done" for a in answers):
            return "The run has ended. What is still locked lies on branches that were not taken."
        return "The run has ended without streaming: no Answer's edges were all taken."
    nearest = min(
        locked, key=lambda a: (not any(e.look == "lost" for e in a.left), _dead(a, state, graph), len(a.left))
    )
    if any(e.look == "lost" for e in nearest.left):
        return f"Nothing streams: {_lost_words(nearest)}"
    if _dead(nearest, state, graph):
        return "Nothing streams: every Answer still locked lies behind a branch that was not taken."
    waits = _edge_list(nearest.left)
    paused = _paused_at(graph, state)
    pause = f" The run is paused at “{paused}” until its form is answered." if paused else ""
    return f"Nothing streams: “{nearest.title}” waits for {waits}.{pause}"


def _edge_list(edges: Sequence[EdgeView]) -> str:
    first = edges[0].words if edges else "no edge"
    more = len(edges) - 1
    return f"the edge {first}" + (f" and {more} more" if more > 0 else "")


def _lost_words(answer: AnswerView) -> str:
    edge = next(e for e in answer.left if e.look == "lost")
    when = f" (step {edge.taken_at})" if edge.taken_at else ""
    return (
        f"“{answer.title}” stays locked: {edge.words} was taken before the pause{when}, "
        "and the gate of this resume never heard of it."
    )


def _dead(answer: AnswerView, state: Standing, graph: Graph) -> bool:
    """Whether the nearest path can't be completed any more: one of its edges, or its end, was skipped."""
    return any(
        e.look == "skipped" or state.nodes.get(_source(graph, e.edge)) == "skipped" for e in answer.left
    )


def _source(graph: Graph, edge_id: str) -> str:
    edge = graph.edges.get(edge_id)
    return edge.source if edge else ""


def _paused_at(graph: Graph, state: Gated) -> str:
    return ", ".join(title_of(graph, n) for n, status in state.status.items() if status == "paused")


def _why_active_waits(
    graph: Graph,
    state: Gated,
    active: AnswerView,
    streams: Sequence[BufferView],
    answers: Sequence[AnswerView],
) -> str:
    behind = sum(a.phase == "queued" for a in answers)
    queue = "" if not behind else f" {behind} more {'waits' if behind == 1 else 'wait'} behind it."
    part = next((p for p in active.template if p.state == "next"), None)
    if part is None:
        return f"“{active.title}” is streaming.{queue}"
    if not part.variable:
        return f"“{active.title}” streams its text.{queue}"
    selector = tuple(part.text.split("."))
    stream = next((s for s in streams if s.selector == selector), None)
    source = selector[0] if selector else ""
    status = state.status.get(source)
    title = title_of(graph, source)
    if status == "running" and stream is not None:
        return f"“{active.title}” streams {part.text} as “{title}” writes it.{queue}"
    if state.nodes.get(source) == "skipped":
        why = f"“{title}” was skipped, so its value never comes"
    elif status == "paused":
        why = f"“{title}” is paused"
    elif status == "running":
        why = f"“{title}” is running and has written nothing yet"
    elif status is None and source in graph.nodes:
        why = f"“{title}” has not started"
    else:
        why = "that stream has not been closed"
    return f"“{active.title}” is active and waits for {part.text}: {why}.{queue}"
