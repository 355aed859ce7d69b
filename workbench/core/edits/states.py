"""Targets that are states of nodes and edges, and tasks: `node:llm`, `edge:a->b`, `tasks:ready`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from workbench.core.edits.document import Document
from workbench.core.edits.models import TASK
from workbench.core.edits.plan import MISSING, Edit, Place, Plan, Step, needs_value, put, title_of, unknown
from workbench.core.edits.values import Given, as_list
from workbench.errors import UsageError
from workbench.records.json_places import Path

STATES: Final = ("unknown", "taken", "skipped")
_ARROW: Final = "->"


def nodes_path(doc: Document) -> Path:
    """Where the root's node states are."""
    base = doc.needs_state()
    return (*base, "graph_state", "nodes") if doc.version == "1.0" else (*base, "graph_node_states")


def edges_path(doc: Document) -> Path:
    """Where the root's edge states are."""
    base = doc.needs_state()
    return (*base, "graph_state", "edges") if doc.version == "1.0" else (*base, "graph_edge_states")


def mapping(doc: Document, path: Path) -> Mapping[str, Any]:
    """The mapping at a path, {} where there is none."""
    found = doc.value(path)
    return found if isinstance(found, dict) else {}


class Nodes:
    """`node:ID=taken`."""

    def plan(self, doc: Document, rest: str, edit: Edit, states: Path | None = None) -> Plan:
        path = states or nodes_path(doc)
        held = mapping(doc, path)
        node = node_named(doc, rest, held)
        state = _state(needs_value(edit), edit.target)
        return Plan(
            f"state of node {node}", (put(doc, (*path, node), state),), held.get(node, MISSING), state
        )

    def places(self, doc: Document) -> Iterator[Place]:
        if doc.state_path is not None:
            for node, state in mapping(doc, nodes_path(doc)).items():
                yield Place(f"node:{node}", state, "", title_of(doc, node))


class Edges:
    """`edge:ID=taken`, `edge:SOURCE->TARGET=taken`, `edge:SOURCE:HANDLE->TARGET=taken`."""

    def plan(self, doc: Document, rest: str, edit: Edit, states: Path | None = None) -> Plan:
        path = states or edges_path(doc)
        held = mapping(doc, path)
        edge = edge_named(doc, rest, list(held))
        state = _state(needs_value(edit), edit.target)
        notes = _gate_note(doc, doc.dsl_edge(edge), state) if states is None else ()
        return Plan(
            f"state of edge {doc.dsl_edge(edge)}",
            (put(doc, (*path, edge), state),),
            held.get(edge, MISSING),
            state,
            notes,
        )

    def places(self, doc: Document) -> Iterator[Place]:
        if doc.state_path is not None:
            for edge, state in mapping(doc, edges_path(doc)).items():
                yield Place(f"edge:{doc.dsl_edge(edge)}", state, "", edge_words(doc, doc.dsl_edge(edge)))


class Tasks:
    """`tasks:ready`, `tasks:deferred`, `tasks:paused`: node ids, or (2.0 and later) whole tasks as JSON."""

    def plan(self, doc: Document, rest: str, edit: Edit) -> Plan:
        held = dict(_task_lists(doc))
        if rest not in held:
            raise unknown("list of tasks", rest, list(held))
        path, current = held[rest]
        items = _items(needs_value(edit), edit.target)
        nodes = mapping(doc, nodes_path(doc))
        framed = doc.version != "1.0"
        value: list[Any] = []
        for item in items:
            if framed and isinstance(item, dict):
                value.append(_task(item, edit.target))
                continue
            if not isinstance(item, str):
                raise UsageError(
                    f"{edit.target} takes node ids.", f"{item!r} is none.", "For example: llm,answer"
                )
            node = node_named(doc, item, nodes)
            value.append({"kind": "start", "frame_id": "root", "node_id": node} if framed else node)
        return Plan(f"tasks that are {rest}", (put(doc, path, value),), current, value)

    def places(self, doc: Document) -> Iterator[Place]:
        for name, (_, current) in _task_lists(doc):
            yield Place(f"tasks:{name}", current)


def _task(item: dict[str, Any], target: str) -> dict[str, Any]:
    """A whole task, as graphon 0.7 and later write it."""
    found = next(TASK(item, "the task"), None)
    if found is not None:
        raise UsageError(
            f"{target} takes no such task.", found.message, "Name the node, or copy a task that is there."
        )
    return item


def _task_lists(doc: Document) -> Iterator[tuple[str, tuple[Path, Any]]]:
    if doc.state_path is None:
        return
    queue = doc.nested("ready_queue")
    if queue is not None:
        yield "ready", ((*queue, "items"), doc.value((*queue, "items")))
    if doc.version == "1.0":
        for name in ("deferred", "paused"):
            path = (*doc.state_path, f"{name}_nodes")
            yield name, (path, doc.value(path))
        return
    deferred = doc.nested("deferred_ready_tasks")
    if deferred is not None:
        yield "deferred", ((*deferred, "items"), doc.value((*deferred, "items")))


def _items(given: Given, target: str) -> list[Any]:
    given = as_list(given)
    if given.is_text:
        return [
            part.strip() for part in str(given.value).split(",") if part.strip() and part.strip() != "none"
        ]
    if isinstance(given.value, list):
        return given.value
    raise UsageError(f"{target} takes a list.", "", f"For example: {target}=node1,node2")


def _state(given: Given, target: str) -> str:
    state = given.value
    if isinstance(state, str) and state.strip() in STATES:
        return state.strip()
    raise UsageError(
        f"{target} takes no {state!r}.", f"Valid: {', '.join(STATES)}.", f"For example: {target}=taken"
    )


def node_named(doc: Document, name: str, held: Mapping[str, Any]) -> str:
    """The node that an id or a title means.

    Raises:
        UsageError: none does.
    """
    known = dict.fromkeys([*held, *(doc.graph.nodes if doc.graph else ())])
    if name in known:
        return name
    titled = [each.id for each in doc.graph.nodes.values() if each.title == name] if doc.graph else []
    if len(titled) == 1:
        return titled[0]
    raise unknown("node", name, list(known))


def edge_named(doc: Document, name: str, saved: list[str]) -> str:
    """The saved id of the edge that a DSL id, a saved id or `SOURCE:HANDLE->TARGET` means.

    Raises:
        UsageError: none does, or several.
    """
    for edge in (name, doc.saved_edge(name)):
        if edge in saved:
            return edge
    graph = doc.graph
    if graph is not None and _ARROW in name:
        source, target = (part.strip() for part in name.split(_ARROW, 1))
        handle = None
        if source not in graph.nodes and ":" in source:
            source, handle = source.rsplit(":", 1)
        found = [
            edge.id
            for edge in graph.edges.values()
            if edge.source == source and edge.target == target and handle in (None, edge.handle)
        ]
        if len(found) == 1:
            return doc.saved_edge(found[0])
        if found:
            handles = ", ".join(f"{source}:{graph.edges[edge].handle}->{target}" for edge in found)
            raise UsageError(f"{name} means {len(found)} edges.", f"They are: {handles}.", "Name the handle.")
    if graph is not None and name in graph.edges:
        return doc.saved_edge(name)
    raise unknown("edge", name, [doc.dsl_edge(edge) for edge in saved])


def edge_words(doc: Document, edge: str) -> str:
    """An edge by the titles of its ends, "" without an app."""
    found = doc.graph.edges.get(edge) if doc.graph else None
    if found is None:
        return ""
    handle = "" if found.handle == "source" else f" ({found.handle})"
    source, target = (title_of(doc, end) or end for end in (found.source, found.target))
    return f"{source}{handle} → {target}"


def _gate_note(doc: Document, edge: str, state: str) -> tuple[str, ...]:
    """The gate has its own memory of taken edges."""
    paths = (doc.gate() or {}).get("paths_map")
    if state != "taken" or not isinstance(paths, dict):
        return ()
    saved = doc.gate_edge(edge)
    waiting = [
        node
        for node, listed in paths.items()
        if isinstance(listed, list) and any(isinstance(path, list) and saved in path for path in listed)
    ]
    if not waiting:
        return ()
    return (f"The gate still waits for this edge at {', '.join(waiting)}: strike it with gate:taken=+{edge}",)


__all__ = [
    "STATES",
    "Edges",
    "Nodes",
    "Step",
    "Tasks",
    "edge_named",
    "edge_words",
    "edges_path",
    "node_named",
]
