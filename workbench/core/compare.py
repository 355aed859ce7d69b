"""What of a run, a step or a saved state is compared, as plain JSON values for `core.diff`.

Left out is what is new in each run and says nothing: execution ids and times. The ids of the run itself and
of its conversation are written `<run id>` and `<conversation id>` wherever they stand.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from workbench.core.replay import Timeline
from workbench.core.state import Event, State

_OWN_IDS: Final = {
    "workflow_run_id": "<run id>",
    "workflow_execution_id": "<run id>",
    "conversation_id": "<conversation id>",
}
"""System variables that are new in each run, and what stands for their values."""
ENDS: Final = {
    "NodeRunSucceeded": "succeeded",
    "NodeRunFailed": "failed",
    "NodeRunException": "exception",
    "NodeRunPauseRequested": "paused",
    "NodeRunRetry": "retry",
}
_KEPT: Final = ("inputs", "outputs", "process_data", "error", "error_type", "handle")
_NEW_IN_EACH_RUN: Final = frozenset({"form_id", "session_id", "xid", "id"})
_NEW_IN_EACH_PAUSE: Final = frozenset(
    {
        *_NEW_IN_EACH_RUN,
        *_OWN_IDS,
        *(f"sys.{name}" for name in _OWN_IDS),
        "execution_id",
        "node_execution_ids",
        "start_at",
        "task_id",
    }
)
_RUNTIME: Final = "serialized_graph_runtime_state"
_GATE: Final = "serialized_response_stream_filter_state"
_TOLD_BY_STEPS: Final = frozenset({"graph_state", "graph_node_states", "graph_edge_states"})
NESTED: Final = frozenset(
    {
        "serialized_graph_runtime_state",
        "serialized_response_stream_filter_state",
        "response_coordinator",
        "ready_queue",
        "deferred_ready_tasks",
        "graph_execution",
    }
)
"""Keys of saved states whose text is JSON itself (facts: dify-pause-resume.md, 1)."""


@dataclass(frozen=True, slots=True)
class Past:
    """What came before the first event of a fork, in the runs it was forked from.

    Attributes:
        run_ids: their ids.
        events: their events up to the fork.
        chunks: what they had streamed by then.
        counts: how many of the events are each run's.
    """

    run_ids: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()
    chunks: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()


def run_view(
    status: str, timeline: Timeline, outputs: Mapping[str, Any], past: Past | None = None
) -> dict[str, Any]:
    """A whole run: how it ended, what the chat user saw, the path taken, and every node, by its occurrences.

    `nodes` holds a list for each node id, one entry for each time it ran: two runs are aligned by node and
    occurrence. A fork is compared with all that came before it.
    """
    past = past or Past()
    last = timeline.at(timeline.steps)
    chunks = [*past.chunks, *(chunk.text for chunk in last.chunks)]
    view = {
        "status": status,
        "streamed": "".join(chunks),
        "chunks": chunks,
        "stream_error": last.stream_error,
        "outputs": outputs,
        "path": [edge for edge, state in last.edges.items() if state == "taken"],
        "nodes": _occurrences([*past.events, *timeline.journal.events]),
        "variables": last.variables,
    }
    return _plain(view, own_ids(last) | dict.fromkeys(past.run_ids, "<run id>"))


def own_ids(state: State) -> dict[str, str]:
    """The ids that only this run has, and what stands for them."""
    system = state.variables.get("sys", {})
    return {str(system[name]): word for name, word in _OWN_IDS.items() if system.get(name)}


def timing_view(events: Sequence[Event], times: Sequence[float]) -> dict[str, Any]:
    """Seconds and tokens by node and occurrence, and of the run; not part of what makes two runs differ."""
    nodes: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        if event["kind"] in ("NodeRunSucceeded", "NodeRunFailed", "NodeRunException"):
            usage = event.get("usage") or {}
            spent = {"seconds": event.get("elapsed", 0.0), "tokens": usage.get("total_tokens", 0)}
            nodes.setdefault(event["node"], []).append(spent)
    seconds = round(times[-1] - times[0], 3) if times else 0.0
    tokens = sum(each["tokens"] for spent in nodes.values() for each in spent)
    return {"seconds": seconds, "tokens": tokens, "nodes": nodes}


def step_view(state: State) -> dict[str, Any]:
    """The state at one step."""
    gate = dict(state.gate)
    gate["node_execution_ids"] = sorted(gate.get("node_execution_ids") or {})
    view = {
        "gate": gate,
        "nodes": dict(state.nodes),
        "edges": dict(state.edges),
        "status": dict(state.status),
        "variables": state.variables,
        "streamed": state.streamed,
        "stream_error": state.stream_error,
        "answers": {a.node_id: a.state for a in state.answers},
    }
    return _plain(view, own_ids(state))


def rest_view(saved: Any) -> Any:
    """What a saved pause holds beside what `step_view` tells: entity, tasks, forms, frames, outputs, counts;
    and of each variable all but its value.

    Args:
        saved: the content of the file, its nested JSON opened (`opened`).
    """
    if not isinstance(saved, Mapping):
        return saved
    if "variable_pool" in saved:
        return _rest_of_runtime(saved)
    if "paths_map" in saved:  # a bare gate
        return {key: saved[key] for key in saved if key == "node_execution_ids"}
    rest = {key: value for key, value in saved.items() if key != _GATE}
    if isinstance(saved.get(_GATE), Mapping):
        rest[_GATE] = rest_view(saved[_GATE])
    if _RUNTIME in rest:
        rest[_RUNTIME] = rest_view(rest[_RUNTIME])
    return rest


def _rest_of_runtime(runtime: Mapping[str, Any]) -> dict[str, Any]:
    rest = {key: value for key, value in runtime.items() if key not in _TOLD_BY_STEPS}
    pool = runtime["variable_pool"]
    known = pool.get("variable_dictionary") if isinstance(pool, Mapping) else None
    if isinstance(known, Mapping):
        kept = {
            node: {name: _valueless(name, variable) for name, variable in variables.items()}
            for node, variables in known.items()
            if isinstance(variables, Mapping)
        }
        rest["variable_pool"] = {**pool, "variable_dictionary": kept}
    return rest


def _valueless(name: str, variable: Any) -> Any:
    """A variable without the value that a step tells; a step does not tell the run's own ids."""
    if not isinstance(variable, Mapping) or name.removeprefix("sys.") in _OWN_IDS:
        return variable
    return {key: value for key, value in variable.items() if key != "value"}


def runtime_version(content: Any) -> Any:
    """The format of the runtime state in a content (`opened`), None where there is none."""
    return _within(content, "version") if _within(content, "variable_pool") else None


def run_id_of(content: Any) -> Any:
    """The run that saved a content (`opened`), None where it does not say."""
    return _within(content, "variable_pool", "variable_dictionary", "sys", "workflow_run_id", "value")


def _within(content: Any, *keys: str) -> Any:
    """A value in the runtime state of a content."""
    value = content.get(_RUNTIME, content) if isinstance(content, Mapping) else None
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def without_new_ids(rest: Any) -> Any:
    """The same without what is new in each run: ids and times."""
    if isinstance(rest, Mapping):
        return {k: without_new_ids(v) for k, v in rest.items() if k not in _NEW_IN_EACH_PAUSE}
    if isinstance(rest, list):
        return [without_new_ids(each) for each in rest]
    return rest


def opened(value: Any) -> Any:
    """A saved state with the JSON inside its strings opened, so that a diff names places in it."""
    if isinstance(value, Mapping):
        return {key: _opened_text(item) if key in NESTED else opened(item) for key, item in value.items()}
    if isinstance(value, list):
        return [opened(item) for item in value]
    return value


def _opened_text(value: Any) -> Any:
    if not isinstance(value, str):
        return opened(value)
    try:
        return opened(json.loads(value))
    except (ValueError, RecursionError):
        return value


def _occurrences(events: Sequence[Event]) -> dict[str, list[dict[str, Any]]]:
    nodes: dict[str, list[dict[str, Any]]] = {}
    for event in events:
        status = ENDS.get(event["kind"])
        if status is None:
            continue
        entry = {"status": status} | {key: event[key] for key in _KEPT if event.get(key)}
        tokens = (event.get("usage") or {}).get("total_tokens")
        if tokens:
            entry["tokens"] = tokens
        if event["kind"] == "NodeRunPauseRequested":
            reason = event.get("reason") or {}
            entry["reason"] = {key: v for key, v in reason.items() if key not in _NEW_IN_EACH_RUN}
        nodes.setdefault(event["node"], []).append(entry)
    return nodes


def _plain(view: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    return {key: _nameless(value, ids) for key, value in view.items()}


def _nameless(value: Any, ids: Mapping[str, str]) -> Any:
    """The value with the run's own ids replaced, at any depth."""
    if isinstance(value, str):
        for own, word in ids.items():
            if own in value:
                value = value.replace(own, word)
        return value
    if isinstance(value, Mapping):
        return {
            key: _nameless(item, ids)
            for key, item in value.items()
            if key not in ("sys.timestamp", "timestamp")
        }
    if isinstance(value, list | tuple):
        return [_nameless(item, ids) for item in value]
    return value
