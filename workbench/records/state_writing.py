"""Writing a runtime snapshot that graphon loads: versions 1.0 (graphon 0.5, 0.6), 2.0 (0.7) and 3.0 (0.8).

Shapes: graphon `runtime/graph_runtime_state.py` (1.0, 2.0) and `runtime/runtime_state/snapshot.py` (3.0);
variables: `variables/segments.py`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import NAMESPACE_OID, uuid5

from workbench.records.usage import NO_USAGE

Variables = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class NewState:
    """What a snapshot says.

    Attributes:
        variables, variable_types: the pool; a type that is not told follows from the value.
        node_states, edge_states: "unknown", "taken" or "skipped"; edge ids are the DSL's.
        ready: nodes that run next, in their order; `waiting` are those of them that asked for a pause.
        executions: execution ids of nodes that have started.
        outputs: outputs of the run so far.
        usage: tokens and price so far, keys as in graphon's LLMUsage.
    """

    variables: Variables
    node_states: Mapping[str, str]
    edge_states: Mapping[str, str]
    ready: tuple[str, ...]
    waiting: tuple[str, ...] = ()
    variable_types: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    executions: Mapping[str, str] = field(default_factory=dict)
    outputs: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, Any] = field(default_factory=dict)
    node_run_steps: int = 0
    exceptions_count: int = 0
    start_at: float = 0.0
    workflow_id: str = "workbench"


def write_state(state: NewState, version: str, positional: Mapping[str, str]) -> str:
    """The snapshot as text.

    Args:
        version: "1.0", "2.0" or "3.0".
        positional: the app's edges as graphon numbers them before 3.0: {DSL id: "edge_3"}.
    """
    edges = state.edge_states
    if version != "3.0":
        edges = {positional[edge]: known for edge, known in edges.items() if edge in positional}
    common = {
        "version": version,
        "start_at": state.start_at,
        "node_run_steps": state.node_run_steps,
        "llm_usage": {**NO_USAGE, **state.usage},
        "outputs": dict(state.outputs),
        "variable_pool": {"variable_dictionary": _pool(state)},
    }
    own = _first(state, edges) if version == "1.0" else _framed(state, edges)
    return json.dumps(common | own, separators=(",", ":"))


def _first(state: NewState, edges: Mapping[str, str]) -> dict[str, Any]:
    executions = [
        {"node_id": node, "state": "taken", "retry_count": 0, "execution_id": xid, "error": None}
        for node, xid in sorted(state.executions.items())
    ]
    queued = [node for node in state.ready if node not in state.waiting]
    return {
        "total_tokens": int(state.usage.get("total_tokens", 0)),
        "ready_queue": _text({"type": "InMemoryReadyQueue", "version": "1.0", "items": []}),
        "graph_execution": _text({"type": "GraphExecution", **_execution(state, "1.0", executions)}),
        "paused_nodes": list(state.waiting),
        "deferred_nodes": queued,
        "graph_state": {"nodes": dict(state.node_states), "edges": dict(edges)},
    }


def _framed(state: NewState, edges: Mapping[str, str]) -> dict[str, Any]:
    executions = [
        {"frame_id": "root", "node_id": node, "retry_count": 0, "execution_id": xid}
        for node, xid in sorted(state.executions.items())
    ]
    tasks = [{"kind": "start", "frame_id": "root", "node_id": node} for node in state.ready]
    return {
        "ready_queue": _text({"version": "2.0", "items": []}),
        "graph_execution": _text(_execution(state, "2.0", executions)),
        "deferred_ready_tasks": _text({"version": "2.0", "items": tasks}),
        "container_runs": [],
        "container_frames": [],
        "graph_node_states": dict(state.node_states),
        "graph_edge_states": dict(edges),
    }


def _execution(state: NewState, version: str, executions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "version": version,
        "workflow_id": state.workflow_id,
        "started": True,
        "completed": False,
        "aborted": False,
        "paused": True,
        "pause_reasons": [],
        "error": None,
        "exceptions_count": state.exceptions_count,
        "node_executions": list(executions),
    }


def _pool(state: NewState) -> dict[str, dict[str, Any]]:
    return {
        node: {
            name: _variable(node, name, value, state.variable_types.get(node, {}).get(name))
            for name, value in values.items()
        }
        for node, values in state.variables.items()
    }


def _variable(node: str, name: str, value: Any, known: str | None) -> dict[str, Any]:
    kind = known if known is not None and _fits(value, known) else type_of(value)
    return {
        "value_type": kind,
        "value": value,
        "id": str(uuid5(NAMESPACE_OID, f"{node}.{name}")),
        "name": name,
        "description": "",
        "selector": [node, name],
    }


def type_of(value: Any) -> str:
    """graphon's value type of a plain value (`build_segment`)."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "float"
    if isinstance(value, str):
        return "string"
    if isinstance(value, Mapping):
        return "file" if _is_file(value) else "object"
    kinds = {type_of(item) for item in value}
    if kinds <= {"integer", "float"} and kinds:
        return "array[number]"
    only = kinds.pop() if len(kinds) == 1 else "any"
    return f"array[{only}]" if only in ("string", "object", "boolean", "file") else "array[any]"


_PLAIN: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,),
    "secret": (str,),
    "integer": (int,),
    "float": (int, float),
    "number": (int, float),
    "boolean": (bool,),
    "object": (Mapping,),
    "file": (Mapping,),
    "none": (type(None),),
}


def _fits(value: Any, kind: str) -> bool:
    if kind.startswith("array["):
        return isinstance(value, list | tuple)
    return isinstance(value, _PLAIN.get(kind, ())) and (kind == "boolean" or not isinstance(value, bool))


def _is_file(value: Mapping[str, Any]) -> bool:
    return value.get("dify_model_identity") == "__dify__file__"


def _text(value: Mapping[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"))
