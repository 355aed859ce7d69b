"""Would graphon load this gate? `ResponseStreamFilter.loads` and `initialize` of graphon 0.5 to 0.8."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workbench.core.blocking import Scope, scope_of
from workbench.core.edits import models
from workbench.core.edits.document import COORDINATOR, Document
from workbench.core.edits.gate_parts import entries, index_of, stream_name
from workbench.core.edits.schema import Fault
from workbench.core.state import Rules


def gate_faults(doc: Document) -> Iterator[Fault]:
    """The faults of the document's gate."""
    gate = doc.gate() or {}
    path = doc.gate_path or ()
    is_old = COORDINATOR in path  # no engine kernel reads it where it stands
    if not is_old:
        yield from unreadable(gate, doc.kernel)
    yield from _read_beyond(gate)
    if doc.graph is not None:
        scope = scope_of(doc.graph, whole=Rules.of(doc.kernel).whole)
        narrowed = is_old or (not scope.whole and gate.get("version", "1.0") == "1.0")
        yield from _sessions(gate, scope, narrowed)
        yield from _edges(doc, gate, scope, narrowed and not is_old)


def unreadable(gate: Mapping[str, Any], kernel: str) -> Iterator[Fault]:
    """What in a gate state, as it was saved, the loader of that engine kernel refuses; the graph aside."""
    yield from _head(kernel, gate)
    yield from models.gate(kernel)(gate, "gate")


def _head(kernel: str, gate: Mapping[str, Any]) -> Iterator[Fault]:
    if gate.get("type", "ResponseStreamFilter") != "ResponseStreamFilter":
        yield Fault("gate.type", f"The gate is a {gate.get('type')!r}; graphon loads a ResponseStreamFilter.")
    version = gate.get("version")
    known = ("1.0", "2.0") if kernel == "graphon-0.8" else ("1.0",)
    missing = version is None and kernel != "graphon-0.8"
    if version not in known and not missing:
        yield Fault("gate.version", f"{kernel} loads no gate of version {version!r}.")
    if gate.get("paths_map", {}) is None:
        yield Fault("gate.paths_map", "The gate lists no paths (they were too many): graphon can't load it.")


def _read_beyond(gate: Mapping[str, Any]) -> Iterator[Fault]:
    for entry in entries(gate, "stream_positions"):
        at = index_of(gate, "stream_buffers", entry.get("selector") or [])
        held = gate["stream_buffers"][at].get("events") if at is not None else []
        position = entry.get("position", 0)
        if isinstance(held, list) and _is_whole(position) and position > len(held):
            name = stream_name(entry)
            message = f"{position} pieces of {name} count as read, {len(held)} are there."
            yield Fault(f"gate:position.{name}", message, refused=False)


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
        if not isinstance(name, str) or name not in scope.nodes or not _is_whole(session.get("index")):
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


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
