"""Targets in the gate: `gate:answer=active`, `gate:answer.index`, `gate:taken`, `gate:buffer.llm.text`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from workbench.core.edits.document import Document
from workbench.core.edits.gate_parts import entries, phase_of, scope, stream_name, whole_number
from workbench.core.edits.gate_paths import named_paths, plan_paths, plan_taken, taken_now
from workbench.core.edits.gate_streams import chunk_of, plan_buffer, plan_closed, plan_position
from workbench.core.edits.plan import MISSING, Edit, Place, Plan, Step, needs_value, put, title_of, unknown
from workbench.core.edits.states import mapping
from workbench.core.edits.values import Given
from workbench.errors import UsageError
from workbench.records.json_places import Path

PHASES: Final = ("locked", "queued", "active", "done")
_LISTS: Final = ("active_session", "waiting_sessions", "pending_sessions")


class GateTargets:
    """Everything behind `gate:`."""

    def plan(self, doc: Document, rest: str, edit: Edit) -> Plan:
        base = doc.needs_gate()
        head, dot, tail = rest.partition(".")
        special: dict[str, Callable[[], Plan]] = {
            "taken": lambda: plan_taken(doc, base, needs_value(edit), edit.target),
            "buffer": lambda: plan_buffer(doc, base, tail, edit),
            "position": lambda: plan_position(doc, base, tail, edit),
            "closed": lambda: plan_closed(doc, base, tail, edit),
        }
        if head in special and (dot or head == "taken"):
            return special[head]()
        answer, what = _answer(doc, rest)
        if what == "index":
            return _index(doc, base, answer, needs_value(edit), edit.target)
        if what == "paths":
            return plan_paths(doc, base, answer, needs_value(edit), edit.target)
        return _phase(doc, base, answer, needs_value(edit), edit.target)

    def places(self, doc: Document) -> Iterator[Place]:
        gate = doc.gate()
        if gate is None:
            return
        for answer in responses(doc):
            title = title_of(doc, answer)
            phase, session = phase_of(gate, answer)
            yield Place(f"gate:{answer}", phase, "", title)
            if session is not None:
                yield Place(f"gate:{answer}.index", session.get("index", 0), "", title)
            paths = mapping(doc, (*doc.needs_gate(), "paths_map"))
            if answer in paths:
                yield Place(f"gate:{answer}.paths", named_paths(doc, paths[answer]), "", title)
        yield Place("gate:taken", sorted(taken_now(doc)))
        positions = {stream_name(each): each.get("position", 0) for each in entries(gate, "stream_positions")}
        closed = {
            ".".join(map(str, each)) for each in gate.get("closed_streams") or () if isinstance(each, list)
        }
        for buffer in entries(gate, "stream_buffers"):
            name = stream_name(buffer)
            yield Place(f"gate:buffer.{name}", [chunk_of(event) for event in buffer.get("events") or ()])
            yield Place(f"gate:position.{name}", positions.get(name, 0))
        for name in sorted({*positions, *closed}):
            yield Place(f"gate:closed.{name}", name in closed)


def responses(doc: Document) -> list[str]:
    """The response nodes that the gate knows, and those of the app."""
    gate = doc.gate() or {}
    known = [each for each in gate.get("response_nodes") or () if isinstance(each, str)]
    return list(dict.fromkeys([*known, *(scope(doc).responses if doc.graph else ())]))


def _answer(doc: Document, rest: str) -> tuple[str, str]:
    """The Answer, and which of its properties."""
    known = responses(doc)
    name, _, what = rest.rpartition(".")
    if rest in known:
        return rest, "phase"
    if what in ("index", "paths") and name:
        rest = name
    else:
        what = "phase"
    if rest in known:
        return rest, what
    titled = [n.id for n in doc.graph.nodes.values() if n.title == rest] if doc.graph else []
    if len(titled) == 1 and titled[0] in known:
        return titled[0], what
    raise unknown("Answer in the gate", rest, [*known, "taken", "buffer.NODE.NAME", "position.NODE.NAME"])


def _phase(doc: Document, base: Path, answer: str, given: Given, target: str) -> Plan:
    gate = doc.gate() or {}
    wanted = str(given.value).strip()
    if wanted not in PHASES:
        raise UsageError(
            f"{target} takes no {wanted!r}.", f"Valid: {', '.join(PHASES)}.", f"For example: {target}=active"
        )
    before, session = phase_of(gate, answer)
    session = dict(session) if session is not None else {"node_id": answer, "index": 0}
    lists: dict[str, Any] = {
        key: [each for each in entries(gate, key) if each.get("node_id") != answer] for key in _LISTS[1:]
    }
    active = gate.get("active_session")
    lists["active_session"] = None if isinstance(active, dict) and active.get("node_id") == answer else active
    notes: tuple[str, ...] = ()
    if wanted == "active":
        if isinstance(lists["active_session"], dict):
            pushed = lists["active_session"]
            lists["waiting_sessions"] = [pushed, *lists["waiting_sessions"]]
            notes = (f"{pushed.get('node_id')} was active; it is queued first now.",)
        lists["active_session"] = session
    elif wanted == "queued":
        lists["waiting_sessions"].append(session)
        if lists["active_session"] is None:
            notes = (
                "Nothing is active: a queued Answer starts only when an active one ends. Make it active.",
            )
    elif wanted == "locked":
        lists["pending_sessions"] = sorted(
            [*lists["pending_sessions"], session], key=lambda s: str(s["node_id"])
        )
    steps = [put(doc, (*base, key), lists[key]) for key in _LISTS if lists[key] != gate.get(key, MISSING)]
    known = gate.get("response_nodes")
    if isinstance(known, list) and answer not in known:
        steps.append(Step("set", (*base, "response_nodes"), sorted([*known, answer])))
    return Plan(f"Answer {answer} in the gate", tuple(steps), before, wanted, notes)


def _index(doc: Document, base: Path, answer: str, given: Given, target: str) -> Plan:
    gate: Mapping[str, Any] = doc.gate() or {}
    _, session = phase_of(gate, answer)
    if session is None:
        raise UsageError(
            f"{answer} has no position in the gate.",
            "It is done: it has no session.",
            f"First: gate:{answer}=active",
        )
    index = whole_number(given, target)
    most = len(doc.graph.nodes[answer].template) if doc.graph and answer in doc.graph.nodes else None
    if most is not None and index > most:
        raise UsageError(
            f"{target} takes no {index}.", f"The template of {answer} has {most} parts: 0 to {most}.", ""
        )
    for key in _LISTS:
        value: Any = gate.get(key)
        if value is session:
            path = (*base, key)
        elif isinstance(value, list) and any(each is session for each in value):
            path = (*base, key, next(i for i, each in enumerate(value) if each is session))
        else:
            continue
        step = put(doc, (*path, "index"), index)
        return Plan(f"position of {answer} in its template", (step,), session.get("index", 0), index)
    raise AssertionError("a session stands in one of the lists")
