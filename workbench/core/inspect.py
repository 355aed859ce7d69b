"""Everything that a saved pause says, in words that can be read: variables and who wrote them, tasks, open
containers, forms, the Answers' templates with their cursors, buffers with their read positions, the entity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.core.edits import Document
from workbench.core.edits.frames import frames_of
from workbench.core.edits.gate import responses
from workbench.core.edits.gate_parts import entries, index_of, phase_of, stream_name
from workbench.core.edits.states import edges_path, mapping, nodes_path
from workbench.core.edits.variables import POOL, pool_of
from workbench.core.graph import Text
from workbench.core.writers import writer


@dataclass(frozen=True, slots=True)
class VariableView:
    """A variable. `writer` says who wrote it, `step` when (of a run whose journal is known, else None)."""

    node: str
    title: str
    name: str
    type: str
    value: Any = field(repr=False)
    writer: str
    step: int | None = None


@dataclass(frozen=True, slots=True)
class TaskView:
    """A node that is to run; `list` is "ready", "deferred" or "paused"."""

    list: str
    node: str
    title: str
    frame: str


@dataclass(frozen=True, slots=True)
class ContainerView:
    """An open loop or iteration; `rounds` are its open rounds by index."""

    kind: str
    node: str
    title: str
    done: int
    total: int | None
    rounds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SessionView:
    """An Answer in the gate; `parts` are its template, `index` is the next part to stream."""

    node: str
    title: str
    phase: str
    index: int | None
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BufferView:
    """A stream that the gate holds; `position` pieces of it were read."""

    stream: str
    pieces: tuple[str, ...] = field(repr=False)
    position: int
    closed: bool


@dataclass(frozen=True)
class Inspection:
    """A saved pause. Edge ids are the DSL's where the app is known."""

    variables: tuple[VariableView, ...]
    nodes: Mapping[str, str]
    edges: Mapping[str, str]
    tasks: tuple[TaskView, ...]
    containers: tuple[ContainerView, ...]
    reasons: tuple[Mapping[str, Any], ...]
    sessions: tuple[SessionView, ...]
    buffers: tuple[BufferView, ...]
    execution: Mapping[str, Any]
    entity: Mapping[str, Any]
    app_config: Mapping[str, Any]


def inspect(doc: Document, steps: Mapping[tuple[str, str], int] | None = None) -> Inspection:
    """What a saved state says.

    Args:
        steps: when a variable was written last, where a journal tells (`core.writers.written_at`).
    """
    entity = doc.value(doc.entity_path) if doc.entity_path is not None else None
    entity = entity if isinstance(entity, dict) else {}
    config = entity.get("app_config")
    has_state = doc.state_path is not None
    edges = mapping(doc, edges_path(doc)) if has_state else {}
    reasons = doc.execution().get("pause_reasons")
    return Inspection(
        variables=tuple(_variables(doc, steps or {})),
        nodes=mapping(doc, nodes_path(doc)) if has_state else {},
        edges={doc.dsl_edge(edge): state for edge, state in edges.items()},
        tasks=tuple(_tasks(doc)),
        containers=tuple(_containers(doc)),
        reasons=tuple(each for each in reasons if isinstance(each, dict))
        if isinstance(reasons, list)
        else (),
        sessions=tuple(_sessions(doc)),
        buffers=tuple(_buffers(doc)),
        execution={k: v for k, v in doc.execution().items() if not isinstance(v, list | dict)},
        entity={key: value for key, value in entity.items() if key != "app_config"},
        app_config=config if isinstance(config, dict) else {},
    )


def _variables(doc: Document, steps: Mapping[tuple[str, str], int]) -> Iterator[VariableView]:
    if doc.state_path is None:
        return
    states = mapping(doc, nodes_path(doc))
    for node, held in pool_of(doc, (*doc.state_path, *POOL)).items():
        for name, variable in held.items() if isinstance(held, dict) else ():
            shape = variable if isinstance(variable, dict) else {}
            yield VariableView(
                node,
                _title(doc, node),
                name,
                str(shape.get("value_type") or "unknown"),
                shape.get("value", variable if not shape else None),
                writer(doc.graph, states, node, name),
                steps.get((node, name)),
            )


def _tasks(doc: Document) -> Iterator[TaskView]:
    for name, key in (("ready", "ready_queue"), ("deferred", "deferred_ready_tasks")):
        path = doc.nested(key)
        found = doc.value((*path, "items")) if path is not None else None
        for task in found if isinstance(found, list) else ():
            shape = task if isinstance(task, dict) else {"node_id": task}
            node = str(shape.get("node_id") or shape.get("invocation_id") or "")
            yield TaskView(name, node, _title(doc, node), str(shape.get("frame_id") or "root"))
    if doc.state_path is None:
        return
    for name in ("paused", "deferred"):
        found = doc.state().get(f"{name}_nodes")
        for node in found if isinstance(found, list) else ():
            yield TaskView(name, str(node), _title(doc, str(node)), "root")


def _containers(doc: Document) -> Iterator[ContainerView]:
    runs = doc.state().get("container_runs") if doc.state_path is not None else None
    frames = [doc.value(path) for _, path in frames_of(doc)]
    for run in runs if isinstance(runs, list) else ():
        if not isinstance(run, dict):
            continue
        node, items = str(run.get("node_id")), run.get("items")
        total = len(items) if isinstance(items, list) else run.get("loop_count")
        done = run.get("completed_count")
        rounds = [
            frame.get("index")
            for frame in frames
            if isinstance(frame, dict) and frame.get("parent_invocation_id") == run.get("invocation_id")
        ]
        yield ContainerView(
            str(run.get("kind")),
            node,
            _title(doc, node),
            done if isinstance(done, int) else 0,
            total if isinstance(total, int) else None,
            tuple(index for index in rounds if isinstance(index, int)),
        )


def _sessions(doc: Document) -> Iterator[SessionView]:
    gate = doc.gate()
    if gate is None:
        return
    for answer in responses(doc):
        phase, session = phase_of(gate, answer)
        node = doc.graph.nodes.get(answer) if doc.graph else None
        parts = tuple(
            part.text if isinstance(part, Text) else f"{{{{#{'.'.join(part.selector)}#}}}}"
            for part in (node.template if node else ())
        )
        index = session.get("index", 0) if session is not None else None
        yield SessionView(
            answer, _title(doc, answer), phase, index if isinstance(index, int) else None, parts
        )


def _buffers(doc: Document) -> Iterator[BufferView]:
    gate = doc.gate() or {}
    closed = gate.get("closed_streams")
    for buffer in entries(gate, "stream_buffers"):
        selector = buffer.get("selector")
        at = index_of(gate, "stream_positions", selector) if isinstance(selector, list) else None
        position = gate["stream_positions"][at].get("position") if at is not None else 0
        events = buffer.get("events")
        found = events if isinstance(events, list) else ()
        pieces = [event.get("chunk") if isinstance(event, dict) else "" for event in found]
        yield BufferView(
            stream_name(buffer),
            tuple(str(piece or "") for piece in pieces),
            position if isinstance(position, int) else 0,
            isinstance(closed, list) and selector in closed,
        )


def _title(doc: Document, node: str) -> str:
    found = doc.graph.nodes.get(node) if doc.graph else None
    return found.title if found else ""
