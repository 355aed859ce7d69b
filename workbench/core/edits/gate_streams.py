"""Targets for what the gate has of streams: `gate:buffer.llm.text`, `gate:position.llm.text`,
`gate:closed.llm.text`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from workbench.core.blocking import scope_of, variables_of
from workbench.core.edits.document import Document
from workbench.core.edits.gate_parts import appended, entries, index_of, stream_name, whole_number
from workbench.core.edits.plan import MISSING, Edit, Plan, Step, needs_value, put, unknown
from workbench.core.edits.values import as_list
from workbench.core.gate_state import GateState, write
from workbench.core.graph import Graph
from workbench.errors import UsageError
from workbench.records.json_places import Path

_EMPTY: Final = scope_of(Graph({}, {}, ""))


def plan_buffer(doc: Document, base: Path, name: str, edit: Edit) -> Plan:
    """The pieces of a stream; those that stay keep their events."""
    gate = doc.gate() or {}
    buffers = entries(gate, "stream_buffers")
    selector = _selector(doc, name, [stream_name(each) for each in buffers])
    at = index_of(gate, "stream_buffers", selector)
    held = gate["stream_buffers"][at].get("events") if at is not None else None
    old: list[Any] = held if isinstance(held, list) else []
    before = [chunk_of(event) for event in old] if at is not None else MISSING
    path = (*base, "stream_buffers")
    if edit.given is None:
        if at is None:
            raise unknown("buffer", name, [stream_name(each) for each in buffers])
        return Plan(f"buffer {name}", (Step("remove", (*path, at)),), before, MISSING)
    given = as_list(edit.given)
    pieces = [given.value] if given.is_text else given.value
    if not isinstance(pieces, list) or not all(isinstance(piece, str) for piece in pieces):
        raise UsageError(f"{edit.target} takes texts.", "", f'For example: {edit.target}:=["one ", "two"]')
    events = [_event(doc, selector, piece, old, i) for i, piece in enumerate(pieces)]
    if at is not None:
        return Plan(f"buffer {name}", (Step("set", (*path, at, "events"), events),), before, pieces)
    steps = [appended(doc, path, {"selector": selector, "events": events})]
    if index_of(gate, "stream_positions", selector) is None:
        steps.append(appended(doc, (*base, "stream_positions"), {"selector": selector, "position": 0}))
    return Plan(f"buffer {name}", tuple(steps), before, pieces)


def _event(doc: Document, selector: list[str], piece: str, old: list[Any], index: int) -> dict[str, Any]:
    if old:
        model = old[min(index, len(old) - 1)]
        if isinstance(model, dict):
            return dict(model) if model.get("chunk") == piece else {**model, "chunk": piece}
    node = selector[0]
    gate = doc.gate() or {}
    ids = gate.get("node_execution_ids")
    known = doc.graph.nodes.get(node) if doc.graph else None
    bare = {
        "id": str((ids.get(node) if isinstance(ids, dict) else None) or node),
        "node_id": node,
        "node_type": known.type if known else "llm",
        "selector": selector,
        "chunk": piece,
        "is_final": False,
    }
    one = GateState(responses=[], buffers={tuple(selector): [bare]}, lists={})
    whole = write(one, _EMPTY, str(gate.get("version") or "1.0"), full_events=True)
    made: dict[str, Any] = whole["stream_buffers"][0]["events"][0]
    return made


def plan_position(doc: Document, base: Path, name: str, edit: Edit) -> Plan:
    gate = doc.gate() or {}
    held = (*entries(gate, "stream_positions"), *entries(gate, "stream_buffers"))
    known = [stream_name(each) for each in held]
    selector = _selector(doc, name, known)
    position = whole_number(needs_value(edit), edit.target)
    buffer = next((b for b in entries(gate, "stream_buffers") if b.get("selector") == selector), None)
    most = len(buffer.get("events") or ()) if buffer else 0
    if position > most:
        raise UsageError(
            f"{edit.target} takes no {position}.", f"Its buffer has {most} pieces: 0 to {most}.", ""
        )
    path = (*base, "stream_positions")
    at = index_of(gate, "stream_positions", selector)
    if at is None:
        step = appended(doc, path, {"selector": selector, "position": position})
        return Plan(f"read position of {name}", (step,), MISSING, position)
    before = gate["stream_positions"][at].get("position", 0)
    return Plan(f"read position of {name}", (put(doc, (*path, at, "position"), position),), before, position)


def plan_closed(doc: Document, base: Path, name: str, edit: Edit) -> Plan:
    gate = doc.gate() or {}
    closed = gate.get("closed_streams")
    closed = closed if isinstance(closed, list) else []
    selector = _selector(doc, name, [".".join(map(str, each)) for each in closed if isinstance(each, list)])
    wanted = str(needs_value(edit).value).strip().lower()
    if wanted not in ("true", "false"):
        raise UsageError(f"{edit.target} takes true or false.", "", f"For example: {edit.target}=true")
    is_closed = selector in closed
    path = (*base, "closed_streams")
    steps: tuple[Step, ...] = ()
    if wanted == "true" and not is_closed:
        steps = (appended(doc, path, selector),)
    elif wanted == "false" and is_closed:
        steps = (Step("remove", (*path, closed.index(selector))),)
    return Plan(f"end of stream {name}", steps, is_closed, wanted == "true")


def _selector(doc: Document, name: str, known: Sequence[str]) -> list[str]:
    """The selector of a stream: one that the gate has, or one that a template names."""
    templates = []
    if doc.graph is not None:
        for node in doc.graph.nodes.values():
            templates += [".".join(selector) for selector in variables_of(node)]
    names = list(dict.fromkeys([*known, *templates]))
    if name not in names and (doc.graph is not None or "." not in name):
        raise unknown("stream", name, names)
    return name.split(".")


def chunk_of(event: Any) -> str:
    return str(event.get("chunk") or "") if isinstance(event, dict) else ""
