"""Would graphon load this gate? `ResponseStreamFilter.loads` and `initialize` of graphon 0.5 to 0.8."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from workbench.core.blocking import Scope, scope_of
from workbench.core.edits.document import COORDINATOR, Document
from workbench.core.edits.gate_parts import entries, index_of, stream_name
from workbench.core.edits.rules_parts import Fault, is_whole
from workbench.core.state import Rules

_EVENT: Final = ("id", "node_id", "node_type")


def gate_faults(doc: Document) -> Iterator[Fault]:
    """The faults of the document's gate."""
    gate = doc.gate() or {}
    path = doc.gate_path or ()
    is_old = COORDINATOR in path  # no engine kernel reads it where it stands
    if not is_old:
        yield from _head(doc, gate)
    yield from _shapes(gate)
    yield from _streams(gate)
    if doc.graph is not None:
        scope = scope_of(doc.graph, whole=Rules.of(doc.kernel).whole)
        narrowed = not scope.whole and gate.get("version", "1.0") == "1.0"
        yield from _sessions(gate, scope, narrowed)
        yield from _edges(doc, gate, scope, narrowed)


def _head(doc: Document, gate: Mapping[str, Any]) -> Iterator[Fault]:
    if gate.get("type", "ResponseStreamFilter") != "ResponseStreamFilter":
        yield Fault("gate.type", f"The gate is a {gate.get('type')!r}; graphon loads a ResponseStreamFilter.")
    version = gate.get("version")
    known = ("1.0", "2.0") if doc.kernel == "graphon-0.8" else ("1.0",)
    missing = version is None and doc.kernel != "graphon-0.8"
    if version not in known and not missing:
        yield Fault("gate.version", f"{doc.kernel} loads no gate of version {version!r}.")
    if gate.get("paths_map", {}) is None:
        yield Fault("gate.paths_map", "The gate lists no paths (they were too many): graphon can't load it.")


def _shapes(gate: Mapping[str, Any]) -> Iterator[Fault]:
    if not _texts(gate.get("response_nodes", [])):
        yield Fault("gate.response_nodes", "gate.response_nodes is no list of node ids.")
    ids = gate.get("node_execution_ids", {})
    if not isinstance(ids, dict) or not all(isinstance(value, str) for value in ids.values()):
        yield Fault("gate.node_execution_ids", "gate.node_execution_ids is no mapping of ids.")
    paths = gate.get("paths_map", {})
    if isinstance(paths, dict):
        for answer, listed in paths.items():
            if not isinstance(listed, list) or not all(_texts(path) for path in listed):
                yield Fault(f"gate:{answer}.paths", f"The paths to {answer} are no lists of edges.")
    elif paths is not None:
        yield Fault("gate.paths_map", "gate.paths_map is no mapping.")
    active = gate.get("active_session")
    if active is not None:
        yield from _session(active, "gate.active_session")
    for key in ("waiting_sessions", "pending_sessions"):
        value = gate.get(key, [])
        if not isinstance(value, list):
            yield Fault(f"gate.{key}", f"gate.{key} is no list.")
            continue
        for index, session in enumerate(value):
            yield from _session(session, f"gate.{key}[{index}]")


def _session(session: Any, where: str) -> Iterator[Fault]:
    if not isinstance(session, dict) or not isinstance(session.get("node_id"), str):
        yield Fault(where, f"{where} names no Answer.")
        return
    index = session.get("index", 0)
    if not is_whole(index) or index < 0:
        yield Fault(f"{where}.index", f"{where}.index is no whole number, 0 or more.")


def _streams(gate: Mapping[str, Any]) -> Iterator[Fault]:
    for key in ("stream_buffers", "stream_positions"):
        value = gate.get(key, [])
        if not isinstance(value, list):
            yield Fault(f"gate.{key}", f"gate.{key} is no list.")
            continue
        for index, entry in enumerate(value):
            where = f"gate.{key}[{index}]"
            if not isinstance(entry, dict) or not _texts(entry.get("selector")):
                yield Fault(where, f"{where} has no selector.")
            elif key == "stream_buffers":
                yield from _events(entry.get("events", []), where)
            else:
                position = entry.get("position", 0)
                if not is_whole(position) or position < 0:
                    yield Fault(where, f"{where}.position is no whole number, 0 or more.")
    closed = gate.get("closed_streams", [])
    if not isinstance(closed, list) or not all(_texts(selector) for selector in closed):
        yield Fault("gate.closed_streams", "gate.closed_streams is no list of selectors.")
    for entry in entries(gate, "stream_positions"):
        at = index_of(gate, "stream_buffers", entry.get("selector") or [])
        held = gate["stream_buffers"][at].get("events") if at is not None else []
        position = entry.get("position", 0)
        if isinstance(held, list) and is_whole(position) and position > len(held):
            name = stream_name(entry)
            yield Fault(
                f"gate:position.{name}", f"{position} pieces of {name} count as read, {len(held)} are there.",
                refused=False,
            )  # fmt: skip


def _events(events: Any, where: str) -> Iterator[Fault]:
    if not isinstance(events, list):
        yield Fault(where, f"{where}.events is no list.")
        return
    for index, event in enumerate(events):
        if not isinstance(event, dict):
            yield Fault(where, f"{where}.events[{index}] is no event.")
            continue
        for key in (*_EVENT, "chunk"):
            if not isinstance(event.get(key), str):
                yield Fault(where, f"{where}.events[{index}].{key} is no text.")
        if not _texts(event.get("selector")):
            yield Fault(where, f"{where}.events[{index}] has no selector.")


def _sessions(gate: Mapping[str, Any], scope: Scope, narrowed: bool) -> Iterator[Fault]:
    """Sessions and Answers that the graph does not have; where 0.8 narrows an old gate it drops them."""
    found = [
        gate.get("active_session"),
        *entries(gate, "waiting_sessions"),
        *entries(gate, "pending_sessions"),
    ]
    names = [str(each.get("node_id")) for each in found if isinstance(each, dict)]
    for name in dict.fromkeys(names):
        if name not in scope.responses:
            yield Fault(
                f"gate:{name}", f"The gate has a session of {name!r}, which is no Answer of the app.",
                refused=not narrowed,
            )  # fmt: skip
        elif names.count(name) > 1:
            yield Fault(f"gate:{name}", f"The gate has {name!r} in two places at once.", refused=False)
    known = gate.get("response_nodes")
    for name in known if isinstance(known, list) else ():
        if isinstance(name, str) and name not in scope.responses:
            inside = name in scope.nodes
            yield Fault(
                f"gate:{name}", f"The gate counts {name!r} as an Answer, which the app has not.",
                refused=inside and not narrowed,
            )  # fmt: skip
    yield from _indexes(found, scope)


def _indexes(sessions: list[Any], scope: Scope) -> Iterator[Fault]:
    for session in sessions:
        name = session.get("node_id") if isinstance(session, dict) else None
        if not isinstance(name, str) or name not in scope.nodes or not is_whole(session.get("index")):
            continue
        index, most = session["index"], len(scope.nodes[name].template)
        if index > most:
            message = f"{name} stands at part {index} of a template with {most} parts."
            yield Fault(f"gate:{name}.index", message, refused=False)


def _edges(doc: Document, gate: Mapping[str, Any], scope: Scope, narrowed: bool) -> Iterator[Fault]:
    paths = gate.get("paths_map")
    for answer, listed in paths.items() if isinstance(paths, dict) else ():
        for edge in _unknown(doc, listed, scope):
            refused = narrowed and answer in scope.responses and doc.dsl_edge(edge) not in doc.names.values()
            yield Fault(
                f"gate:{answer}.paths",
                f"{answer} waits for the edge {edge!r}, which the app does not have.",
                refused,
            )


def _unknown(doc: Document, listed: Any, scope: Scope) -> Iterator[str]:
    seen = set()
    for path in listed if isinstance(listed, list) else ():
        for edge in path if isinstance(path, list) else ():
            if isinstance(edge, str) and doc.dsl_edge(edge) not in scope.edges and edge not in seen:
                seen.add(edge)
                yield edge


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
