"""Where a run can be forked, and what a fork goes on with: everything that was true between two nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from workbench.core.graph import Graph
from workbench.core.machine import Machine
from workbench.core.replay import Timeline
from workbench.core.state import Event, Rules

_DONE: Final = frozenset({"succeeded", "exception", "failed"})
_SUMMED: Final = ("prompt_tokens", "completion_tokens", "total_tokens")


@dataclass(frozen=True)
class Boundary:
    """A place between two nodes.

    Attributes:
        step: the step of the run.
        variables, node_states, edge_states: as they were.
        gate: the filter's own keys with whole buffered events, edge ids of the DSL.
        ready: nodes that run next, in the engine's order (the last edge that made them ready); those that had
            asked for a pause are `waiting` too.
        executions: execution ids of the nodes that have started.
        outputs, usage, node_run_steps, exceptions_count: sums of the run so far.
    """

    step: int
    variables: Mapping[str, Mapping[str, Any]]
    node_states: Mapping[str, str]
    edge_states: Mapping[str, str]
    gate: Mapping[str, Any]
    ready: tuple[str, ...]
    waiting: tuple[str, ...]
    executions: Mapping[str, str]
    outputs: Mapping[str, Any]
    usage: Mapping[str, Any]
    node_run_steps: int
    exceptions_count: int


def boundaries(timeline: Timeline) -> tuple[int, ...]:
    """The steps at which no node runs: a fork can start there. Ends of runs are none."""
    found: list[int] = []
    running: set[str] = set()
    for step, event in enumerate(timeline.journal.events, 1):
        kind = event["kind"]
        if kind == "NodeRunStarted" and not event.get("container"):
            running.add(event["node"])
        elif kind in _CLOSES and not event.get("container"):
            running.discard(event["node"])
        if not running and kind in _BETWEEN and not event.get("container"):
            found.append(step)
    return tuple(found)


_CLOSES: Final = frozenset({"NodeRunSucceeded", "NodeRunException", "NodeRunFailed", "NodeRunPauseRequested"})
_BETWEEN: Final = frozenset(
    {"GraphRunStarted", "NodeRunSucceeded", "NodeRunException", "NodeRunPauseRequested", "GraphRunPaused"}
)


def boundary_at(timeline: Timeline, step: int, past: Sequence[Event] = ()) -> Boundary | None:
    """The last place at or before a step where a fork can start; None when there is none.

    Args:
        past: events of the runs that this one was forked from.
    """
    places = [place for place in boundaries(timeline) if place <= step]
    if not places:
        return None
    place = places[-1]
    machine = timeline.machine_at(place)
    events = [*past, *timeline.journal.events[:place]]
    ready = _ready(timeline.graph, machine, events)
    started = [e for e in events if e["kind"] == "NodeRunStarted" and not e.get("container")]
    return Boundary(
        step=place,
        variables=machine.pool.values,
        node_states=_in_scope(timeline.graph, machine, machine.nodes),
        edge_states={e: s for e, s in machine.edges.items() if e in machine.gate.scope.edges},
        gate=machine.gate.dump(full_events=True),
        ready=ready,
        waiting=tuple(node for node in ready if machine.status.get(node) == "paused"),
        executions={event["node"]: event["xid"] for event in started if event.get("xid")},
        outputs=_outputs(timeline.graph, events),
        usage=_usage(events),
        node_run_steps=len(started),
        exceptions_count=_exceptions(events, timeline.journal.kernel),
    )


def _in_scope(graph: Graph, machine: Machine, states: Mapping[str, str]) -> dict[str, str]:
    return {node: state for node, state in states.items() if node in machine.gate.scope.nodes}


def _ready(graph: Graph, machine: Machine, events: Sequence[Event]) -> tuple[str, ...]:
    """Nodes whose incoming edges are all decided and one of them taken, that have not ended."""
    incoming: dict[str, list[str]] = {}
    for edge in graph.edges.values():
        incoming.setdefault(edge.target, []).append(machine.edges[edge.id])
    ended = {e["node"] for e in events if e["kind"] in ("NodeRunSucceeded", "NodeRunException")}
    found = [
        node.id
        for node in graph.nodes.values()
        if node.parent is None
        and node.id not in ended
        and machine.status.get(node.id) not in _DONE
        and _is_due(node.id == graph.root, incoming.get(node.id, ()))
    ]
    last = {event["target"]: at for at, event in enumerate(events) if event["kind"].startswith("GraphEdge")}
    return tuple(sorted(found, key=lambda node: last.get(node, -1)))


def _is_due(root: bool, incoming: Iterable[str]) -> bool:
    states = set(incoming)
    return root if not states else "unknown" not in states and "taken" in states


def _outputs(graph: Graph, events: Sequence[Event]) -> dict[str, Any]:
    """Outputs of response nodes merged as graphon does (`merge_response_outputs`): answers in a row."""
    merged: dict[str, Any] = {}
    for event in events:
        node = graph.nodes.get(event.get("node", ""))
        if event["kind"] != "NodeRunSucceeded" or node is None or node.kind != "response":
            continue
        for name, value in event.get("outputs", {}).items():
            if name == "answer" and isinstance(merged.get(name), str):
                merged[name] += str(value)
            else:
                merged[name] = value
    return merged


def _exceptions(events: Sequence[Event], kernel: str) -> int:
    """Handled failures so far.

    One in a container's child counts where the children share the engine: graphon 0.7 and 0.8.
    """
    apart = Rules.of(kernel).loose_updates
    return sum(
        event["kind"] in ("NodeRunException", "NodeRunRetry")
        or (event["kind"] == "NodeRunFailed" and bool(event.get("container")))
        for event in events
        if not (apart and event.get("container"))
    )


def _usage(events: Sequence[Event]) -> dict[str, Any]:
    spent = [event["usage"] for event in events if event.get("usage")]
    return {name: sum(int(usage.get(name, 0)) for usage in spent) for name in _SUMMED} if spent else {}
