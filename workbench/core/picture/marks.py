"""What is worth stopping at on a timeline: starts and ends of nodes, gate changes, pauses, errors, the
first chunk.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from workbench.core.graph import Graph
from workbench.core.picture.gate_view import edge_view, title_of

MarkKind = Literal[
    "run",
    "start",
    "end",
    "edge",
    "gate",
    "chunk",
    "first-chunk",
    "pause",
    "error",
    "variable",
    "form",
    "other",
]

_ENDS = {"NodeRunSucceeded", "NodeRunIterationSucceeded", "NodeRunLoopSucceeded"}
_ERRORS = {
    "NodeRunFailed",
    "NodeRunException",
    "NodeRunRetry",
    "GraphRunFailed",
    "NodeRunIterationFailed",
    "NodeRunLoopFailed",
}


@dataclass(frozen=True, slots=True)
class Mark:
    """One step of a run in one line. `step` counts from 1; `node` is the node it is about."""

    step: int
    kind: MarkKind
    text: str
    node: str | None = None
    container: str | None = None


def event_node(event: Mapping[str, Any]) -> str | None:
    """The node that an event is about: its own, or where an edge leads."""
    found = event.get("node") or event.get("target")
    return found if isinstance(found, str) else None


def _kind(event: Mapping[str, Any]) -> MarkKind:
    name = str(event.get("kind", ""))
    if name == "GraphRunPaused":
        return "pause"
    if name in _ERRORS:
        return "error"
    if name.startswith("GraphRun"):
        return "run"
    if name in ("NodeRunStarted", "NodeRunIterationStarted", "NodeRunLoopStarted"):
        return "start"
    if name in _ENDS:
        return "end"
    if name in ("GraphEdgeTaken", "GraphEdgeSkipped"):
        return "edge"
    if name in ("NodeRunStreamChunk", "NodeRunReasoningChunk"):
        return "chunk"
    if name == "NodeRunVariableUpdated":
        return "variable"
    if name.startswith("NodeRunHumanInput") or name == "NodeRunPauseRequested":
        return "form"
    return "other"


_VERBS = {
    "NodeRunStarted": "starts",
    "NodeRunSucceeded": "succeeded",
    "NodeRunFailed": "failed",
    "NodeRunException": "failed, and its error strategy took over",
    "NodeRunRetry": "is retried",
    "NodeRunPauseRequested": "asks for a pause",
    "NodeRunHumanInputFormFilled": "got its form",
    "NodeRunHumanInputFormTimeout": "timed out",
    "NodeRunRetrieverResource": "names its sources",
    "NodeRunAgentLog": "logs",
}
_RUNS = {
    "GraphRunStarted": "The run starts",
    "GraphRunSucceeded": "The run succeeded",
    "GraphRunPartialSucceeded": "The run succeeded in part",
    "GraphRunFailed": "The run failed",
    "GraphRunAborted": "The run was stopped",
    "GraphRunPaused": "The run is paused",
}


def describe(graph: Graph, event: Mapping[str, Any]) -> str:
    """An event in one line of plain words, without line breaks."""
    name = str(event.get("kind", ""))
    if name in ("GraphEdgeTaken", "GraphEdgeSkipped"):
        words = edge_view(graph, str(event.get("edge", "")), "unknown").words
        return f"{words} {'taken' if name == 'GraphEdgeTaken' else 'skipped'}"
    if name in _RUNS:
        again = name == "GraphRunStarted" and event.get("reason") == "resumption"
        detail = str(event.get("error") or "")
        return ("The run resumes" if again else _RUNS[name]) + (f": {detail}" if detail else "")
    title = title_of(graph, str(event.get("node", "")))
    if name in ("NodeRunStreamChunk", "NodeRunReasoningChunk"):
        selector = ".".join(map(str, event.get("selector") or ()))
        text = str(event.get("text", ""))
        return f"{selector or title} writes {text!r}" + (" and closes" if event.get("final") else "")
    if name == "NodeRunVariableUpdated":
        return f"{title} sets {'.'.join(map(str, event.get('selector') or ()))}"
    if name.endswith("Next"):
        return f"{title}: round {event.get('round', '?')}"
    verb = (
        _VERBS.get(name)
        or name.removeprefix("NodeRun").removeprefix("Iteration").removeprefix("Loop").lower()
    )
    detail = str(event.get("error") or event.get("action_text") or event.get("action") or "")
    return f"{title} {verb}" + (f": {detail}" if detail else "")


def marks(
    graph: Graph,
    events: Iterable[Mapping[str, Any]],
    gate_steps: Iterable[int] = (),
    known: Sequence[Mark] = (),
) -> tuple[Mark, ...]:
    """One mark for every event, in order.

    Args:
        gate_steps: steps at which an Answer's state or blocking edges changed.
        known: the marks of the steps before the first of `events`.
    """
    changed = set(gate_steps)
    found: list[Mark] = list(known)
    first = not any(mark.kind == "first-chunk" for mark in known)
    for step, event in enumerate(events, start=len(known) + 1):
        kind = _kind(event)
        if kind == "chunk" and first and event.get("text"):
            kind, first = "first-chunk", False
        elif step in changed and kind in ("edge", "run", "chunk", "end", "other"):
            kind = "gate"
        container = event.get("container")
        found.append(
            Mark(
                step,
                kind,
                describe(graph, event),
                event_node(event),
                container if isinstance(container, str) else None,
            )
        )
    return tuple(found)


def steps_of(found: Sequence[Mark], *kinds: MarkKind) -> tuple[int, ...]:
    """The steps of all marks of these kinds, in order."""
    return tuple(m.step for m in found if m.kind in kinds)


def next_step(steps: Sequence[int], now: int) -> int | None:
    """The first of sorted `steps` after `now`."""
    at = bisect_right(steps, now)
    return steps[at] if at < len(steps) else None


def previous_step(steps: Sequence[int], now: int) -> int | None:
    """The last of sorted `steps` before `now`."""
    at = bisect_left(steps, now)
    return steps[at - 1] if at else None
