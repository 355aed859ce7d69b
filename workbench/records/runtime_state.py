"""A runtime snapshot: what graphon's RuntimeState.dumps() writes, versions 1.0, 2.0 and 3.0.

Lenient: unknown keys are tolerated, what is missing or damaged is named in `notes`; the text is kept
untouched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from workbench.errors import BadInputError
from workbench.records.reading import STATE_LIMIT, check_size, parse_json
from workbench.records.shapes import STATE_VALUES, Notes, Shape, mappings, top_mapping
from workbench.records.variable_pool import Variables, read_pool

WHAT = "a runtime state (graphon's RuntimeState)"

KEYS = frozenset({"variable_pool", "graph_execution", "ready_queue"})
"""Keys that every version has; a text with two of them is taken for a runtime state."""


@dataclass(frozen=True, slots=True)
class Task:
    """A node that is to run next.

    Attributes:
        kind: "start", or "resume" of a container's invocation.
        frame: "root", or the frame of a container's round.
        node: None for a resume.
    """

    kind: str
    frame: str
    node: str | None
    invocation: str | None = None


@dataclass(frozen=True, slots=True)
class NodeExecution:
    """What the engine remembers of a node that has started."""

    node: str
    execution_id: str | None
    retries: int
    frame: str = "root"


@dataclass(frozen=True, slots=True)
class Execution:
    """`graph_execution`: the state of the run as a whole."""

    workflow_id: str | None
    started: bool
    completed: bool
    aborted: bool
    paused: bool
    error: str | None
    exceptions_count: int
    nodes: tuple[NodeExecution, ...]


@dataclass(frozen=True)
class RuntimeState:
    """A runtime snapshot.

    Attributes:
        text: the snapshot as it was given.
        data: its outermost mapping, nested JSON still as texts.
        variables, variable_types: plain values and graphon's types by node and name.
        node_states, edge_states: "unknown", "taken" or "skipped"; edge ids as saved ("edge_3" before 3.0).
        paused_nodes: nodes that run (again) at the resume.
        ready, deferred: tasks in the two queues.
        pause_reasons: as saved, with their `TYPE`.
        container_runs, container_frames: open loops and iterations (2.0 and later), as saved.
        response_coordinator: the gate of Dify 1.13 and 1.14, as text.
        notes: what is missing or damaged, one sentence each.
    """

    version: str
    text: str = field(repr=False)
    data: Mapping[str, Any] = field(repr=False)
    variables: Mapping[str, Mapping[str, Any]]
    variable_types: Mapping[str, Mapping[str, str]]
    node_states: Mapping[str, str]
    edge_states: Mapping[str, str]
    paused_nodes: tuple[str, ...]
    ready: tuple[Task, ...]
    deferred: tuple[Task, ...]
    pause_reasons: tuple[Mapping[str, Any], ...]
    outputs: Mapping[str, Any]
    execution: Execution
    start_at: float | None
    node_run_steps: int
    total_tokens: int
    usage: Mapping[str, Any]
    container_runs: tuple[Mapping[str, Any], ...] = ()
    container_frames: tuple[Mapping[str, Any], ...] = ()
    response_coordinator: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def has_positional_edges(self) -> bool:
        """Whether edge ids are graphon's own ("edge_3") and need the app to be understood."""
        return self.version in {"1.0", "2.0"}


def read_runtime_state(text: str, source: str = "runtime state") -> RuntimeState:
    """Read a runtime snapshot of any version.

    Raises:
        BadInputError: it is no JSON, too large, or no runtime snapshot at all.
    """
    check_size(len(text), source, STATE_LIMIT)
    data = top_mapping(parse_json(text, source, max_values=STATE_VALUES), source, WHAT)
    return runtime_state_of(data, text, source)


def runtime_state_of(data: Mapping[str, Any], text: str, source: str) -> RuntimeState:
    """The runtime state in a parsed snapshot.

    Raises:
        BadInputError: it is no runtime snapshot at all.
    """
    from workbench.records import runtime_state_v1, runtime_state_v2, runtime_state_v3

    if len(KEYS & data.keys()) < 2:
        missing = ", ".join(sorted(KEYS - data.keys()))
        raise BadInputError(
            f"{source} is not {WHAT}",
            f"It has no {missing}. Its keys: {', '.join(sorted(map(str, data))[:8]) or 'none'}.",
            "`workbench import` tells what a file is.",
        )
    notes = Notes()
    top = Shape(data, "runtime state", notes)
    version = _version(top)
    readers = {"1.0": runtime_state_v1.read, "2.0": runtime_state_v2.read}
    parts = readers.get(version, runtime_state_v3.read)(top)
    execution = top.nested("graph_execution")
    pool = read_pool(top.mapping("variable_pool"), notes)
    usage = top.mapping("llm_usage")
    tokens = top.integer("total_tokens", needed=False) or Shape(usage, "llm_usage", notes).integer(
        "total_tokens"
    )
    return RuntimeState(
        version=version,
        text=text,
        data=data,
        variables=pool.values,
        variable_types=pool.types,
        node_states=parts.node_states,
        edge_states=parts.edge_states,
        paused_nodes=parts.paused_nodes,
        ready=parts.ready,
        deferred=parts.deferred,
        pause_reasons=tuple(
            mappings(execution.items("pause_reasons"), "graph_execution.pause_reasons", notes)
        ),
        outputs=top.mapping("outputs"),
        execution=_execution(execution),
        start_at=top.number("start_at"),
        node_run_steps=top.integer("node_run_steps"),
        total_tokens=tokens,
        usage=usage,
        container_runs=parts.container_runs,
        container_frames=parts.container_frames,
        response_coordinator=parts.response_coordinator,
        notes=notes.told(),
    )


@dataclass(frozen=True, slots=True)
class Parts:
    """What the versions write differently."""

    node_states: Mapping[str, str]
    edge_states: Mapping[str, str]
    paused_nodes: tuple[str, ...]
    ready: tuple[Task, ...]
    deferred: tuple[Task, ...]
    container_runs: tuple[Mapping[str, Any], ...] = ()
    container_frames: tuple[Mapping[str, Any], ...] = ()
    response_coordinator: str | None = None


Version = Literal["1.0", "2.0", "3.0"]


def _version(top: Shape) -> str:
    """The version, by its shape when it is not told."""
    told = top.text("version")
    if told in {"1.0", "2.0", "3.0"}:
        return told
    guess = "1.0" if "graph_state" in top.data or "paused_nodes" in top.data else "3.0"
    if told is not None:
        top.note(f"Version {told} is not known; it is read like {guess}")
    return told or guess


def _execution(shape: Shape) -> Execution:
    error = shape.data.get("error")
    if isinstance(error, dict):  # 1.0: {"qualname", "message"}
        error = error.get("message")
    return Execution(
        workflow_id=shape.text("workflow_id", needed=False),
        started=shape.flag("started", needed=False),
        completed=shape.flag("completed", needed=False),
        aborted=shape.flag("aborted", needed=False),
        paused=shape.flag("paused", needed=False),
        error=error if isinstance(error, str) else None,
        exceptions_count=shape.integer("exceptions_count", needed=False),
        nodes=tuple(
            _node(Shape(node, "graph_execution.node_executions", shape.notes))
            for node in mappings(
                shape.items("node_executions", needed=False), "graph_execution.node_executions", shape.notes
            )
        ),
    )


def _node(shape: Shape) -> NodeExecution:
    return NodeExecution(
        node=shape.text("node_id") or "",
        execution_id=shape.text("execution_id", needed=False),
        retries=shape.integer("retry_count", needed=False),
        frame=shape.text("frame_id", needed=False) or "root",
    )


__all__ = [
    "KEYS",
    "Execution",
    "NodeExecution",
    "Parts",
    "RuntimeState",
    "Task",
    "Variables",
    "read_runtime_state",
    "runtime_state_of",
]
