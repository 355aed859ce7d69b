"""Targets in what Dify's generator was called with, and the rest of a saved pause: `query`, `input:name`,
`entity:path`, `form:node.field`, `output:name`, `run:paused`, `state:path`, `context:path`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from workbench.core.edits import dotted
from workbench.core.edits.document import Document
from workbench.core.edits.plan import MISSING, Edit, Place, Plan, Step, needs_value, put, title_of, unknown
from workbench.core.edits.values import Given, fault, read, read_like
from workbench.core.edits.variables import POOL
from workbench.errors import UsageError
from workbench.records.json_places import Path


class Query:
    """`query`: what the user asked, in the entity and as `sys.query`."""

    def plan(self, doc: Document, rest: str, edit: Edit) -> Plan:
        entity, value = _entity(doc), needs_value(edit).value
        if not isinstance(value, str):
            raise UsageError("query takes a text.", "", "For example: query=Where is my order?")
        before = doc.value((*entity, "query"))
        steps = [put(doc, (*entity, "query"), value), *_pool_steps(doc, "sys", "query", value)]
        for node in _roots(doc):  # the start node's own copy
            steps += _pool_steps(doc, node, "sys.query", value)
        return Plan("the user's query", tuple(steps), before, value, _told(steps))

    def places(self, doc: Document) -> Iterator[Place]:
        if doc.entity_path is not None and doc.opened.has((*doc.entity_path, "query")):
            yield Place("query", doc.value((*doc.entity_path, "query")), "string")


class Inputs:
    """`input:NAME`: a value of the start form, in the entity and in the start node's variables."""

    def plan(self, doc: Document, rest: str, edit: Edit) -> Plan:
        entity, given = _entity(doc), needs_value(edit)
        held = doc.value((*entity, "inputs"))
        held = held if isinstance(held, dict) else {}
        root = next(iter(_roots(doc)), None)
        variable = doc.value((*(doc.state_path or ()), *POOL, root, rest)) if root else None
        if rest not in held and not isinstance(variable, dict):
            raise unknown("input", rest, list(held))
        kind = variable.get("value_type") if isinstance(variable, dict) else None
        current = variable.get("value") if isinstance(variable, dict) else held.get(rest)
        if kind in ("file", "array[file]"):
            value, _ = read(given, kind, edit.target)
        else:
            value = read_like(given, current, edit.target)
        found = fault(value, kind) if isinstance(kind, str) else None
        if found:
            raise UsageError(
                f"{edit.target} does not take this value.", f"It is of type {kind}; the value {found}.", ""
            )
        steps = [put(doc, (*entity, "inputs"), {rest: value})] if not held else []
        steps += [put(doc, (*entity, "inputs", rest), value)] if held else []
        if root and isinstance(variable, dict):
            steps += _pool_steps(doc, root, rest, value)
        return Plan(f"input {rest}", tuple(steps), held.get(rest, MISSING), value, _told(steps))

    def places(self, doc: Document) -> Iterator[Place]:
        if doc.entity_path is not None:
            held = doc.value((*doc.entity_path, "inputs"))
            for name, value in held.items() if isinstance(held, dict) else ():
                yield Place(f"input:{name}", value)


class Forms:
    """`form:NODE.FIELD` and `form:NODE.content`: defaults and text of a saved form (Dify 1.13 to 1.15)."""

    def plan(self, doc: Document, rest: str, edit: Edit) -> Plan:
        forms = dict(_forms(doc))
        node = max((each for each in forms if rest.startswith(f"{each}.")), key=len, default=None)
        if node is None:
            raise self._no_form(doc, rest, list(forms))
        path, reason = forms[node]
        name = rest[len(node) + 1 :]
        given = needs_value(edit)
        if name == "content":
            before = reason.get("form_content", MISSING)
            return Plan(
                f"text of the form at {node}",
                (put(doc, (*path, "form_content"), str(given.value)),),
                before,
                given.value,
            )
        fields = _fields(reason)
        if name not in fields:
            raise unknown(f"field of the form at {node}", name, [*fields, "content"])
        defaults = reason.get("resolved_default_values")
        before = defaults.get(name, MISSING) if isinstance(defaults, dict) else MISSING
        if isinstance(defaults, dict):
            step = put(doc, (*path, "resolved_default_values", name), given.value)
        else:
            step = put(doc, (*path, "resolved_default_values"), {name: given.value})
        notes = ("A default is what the form offers; what is submitted is said at the resume (--field).",)
        return Plan(f"default of {name} in the form at {node}", (step,), before, given.value, notes)

    def places(self, doc: Document) -> Iterator[Place]:
        for node, (_, reason) in _forms(doc):
            defaults = reason.get("resolved_default_values")
            for name in _fields(reason):
                value = defaults.get(name, MISSING) if isinstance(defaults, dict) else MISSING
                yield Place(f"form:{node}.{name}", value, "", title_of(doc, node))
            yield Place(f"form:{node}.content", reason.get("form_content", ""), "", title_of(doc, node))

    def _no_form(self, doc: Document, rest: str, nodes: list[str]) -> UsageError:
        if nodes or doc.version != "1.0" or any(
            reason.get("TYPE") == "hitl_required" for _, reason in _reasons(doc)
        ):  # fmt: skip
            if nodes:
                return unknown("form", rest, [f"{node}.content" for node in nodes])
            return UsageError(
                "This pause holds no form.",
                "Since Dify 1.16 a saved pause names only the form's session; its fields are in the app.",
                "Say what is submitted at the resume: workbench resume ID --action A --field NAME=VALUE",
            )
        return unknown("form", rest, nodes)


class Outputs:
    """`output:NAME`: what the run has put out so far."""

    def plan(self, doc: Document, rest: str, edit: Edit) -> Plan:
        path = (*doc.needs_state(), "outputs", rest)
        before = doc.value(path) if doc.opened.has(path) else MISSING
        if edit.given is None:
            if before is MISSING:
                raise unknown("output", rest, [place.target[7:] for place in self.places(doc)])
            return Plan(f"output {rest}", (Step("remove", path),), before)
        value = read_like(edit.given, None if before is MISSING else before, edit.target)
        return Plan(f"output {rest}", (put(doc, path, value),), before, value)

    def places(self, doc: Document) -> Iterator[Place]:
        if doc.state_path is not None:
            held = doc.value((*doc.state_path, "outputs"))
            for name, value in held.items() if isinstance(held, dict) else ():
                yield Place(f"output:{name}", value)


_RUN: Final[Mapping[str, type]] = {
    "started": bool,
    "completed": bool,
    "aborted": bool,
    "paused": bool,
    "exceptions_count": int,
    "workflow_id": str,
}
_COUNTS: Final[Mapping[str, str]] = {
    "steps": "node_run_steps",
    "tokens": "total_tokens",
    "start_at": "start_at",
}


class Run:
    """`run:paused`, `run:exceptions_count`, `run:steps`, `run:tokens`, `run:start_at`: the run as a whole."""

    def plan(self, doc: Document, rest: str, edit: Edit) -> Plan:
        known = dict(self._paths(doc))
        if rest not in known:
            raise unknown("part of the run", rest, list(known))
        path, kind = known[rest]
        before = doc.value(path)
        value = read_like(needs_value(edit), before if before is not None else kind(), edit.target)
        fits = isinstance(value, int | float) if kind is float else isinstance(value, kind)
        if not fits or (isinstance(value, bool) and kind is not bool) or (kind in (int, float) and value < 0):
            words = {
                bool: "true or false",
                str: "a text",
                int: "a whole number, 0 or more",
                float: "a number, 0 or more",
            }
            raise UsageError(f"{edit.target} takes {words[kind]}.", f"{value!r} is none.", "")
        return Plan(f"{rest} of the run", (put(doc, path, value),), before, value)

    def places(self, doc: Document) -> Iterator[Place]:
        for name, (path, _) in self._paths(doc):
            yield Place(f"run:{name}", doc.value(path))

    def _paths(self, doc: Document) -> Iterator[tuple[str, tuple[Path, type]]]:
        if doc.state_path is None:
            return
        if doc.execution_path is not None:
            for name, kind in _RUN.items():
                yield name, ((*doc.execution_path, name), kind)
        for name, key in _COUNTS.items():
            path: Path = (*doc.state_path, key)
            if name == "tokens" and doc.version != "1.0":
                path = (*doc.state_path, "llm_usage", "total_tokens")
            yield name, (path, float if name == "start_at" else int)


class Anywhere:
    """`entity:PATH`, `state:PATH`, `context:PATH`: any place; texts that hold JSON are opened on the way."""

    def __init__(self, base: Callable[[Document], Path]) -> None:
        self._base = base

    def plan(self, doc: Document, rest: str, edit: Edit) -> Plan:
        base, steps = self._base(doc), dotted.parse(rest)
        if not steps:
            raise UsageError(f"{edit.target} names no place.", "", "For example: entity:user_id")
        path = dotted.opening(doc.opened, base, steps)
        there = doc.opened.has(path)
        before = doc.value(path) if there else MISSING
        holder = doc.value(path[:-1])
        wanted = dict if isinstance(path[-1], str) else list
        if not isinstance(holder, wanted):
            raise self._no_place(doc, path, base)
        if edit.given is None:
            if not there:
                raise unknown("key", str(path[-1]), list(map(str, holder)))
            return Plan(edit.target, (Step("remove", path),), before)
        value = _any(edit.given, before)
        if not there and isinstance(holder, list) and path[-1] != len(holder):
            raise UsageError(f"{edit.target} is beyond the end.", f"The list has {len(holder)} items.", "")
        return Plan(edit.target, (Step("set" if there else "add", path, value),), before, value)

    def places(self, doc: Document) -> Iterator[Place]:
        return iter(())

    def _no_place(self, doc: Document, path: Path, base: Path) -> UsageError:
        end = len(base)
        while end < len(path) - 1 and doc.opened.has(path[: end + 1]):
            end += 1
        holder = doc.value(path[:end])
        valid = list(map(str, holder)) if isinstance(holder, dict) else []
        return unknown("key", str(path[end]), valid)


class Entity(Anywhere):
    """`entity:PATH`."""

    def __init__(self) -> None:
        super().__init__(_entity)

    def places(self, doc: Document) -> Iterator[Place]:
        held = doc.value(doc.entity_path) if doc.entity_path is not None else None
        for name, value in held.items() if isinstance(held, dict) else ():
            if name not in ("app_config", "inputs", "query"):
                yield Place(f"entity:{name}", value)


def _any(given: Given, before: Any) -> Any:
    if before is not MISSING:
        return read_like(given, before, "it")
    if not given.is_text:
        return given.value
    try:
        return json.loads(given.value)
    except (ValueError, RecursionError):
        return given.value


def _entity(doc: Document) -> Path:
    if doc.entity_path is None:
        raise UsageError(
            "There is no entity here.",
            "Query, inputs, user and app config stand in the saved pause around the runtime state.",
            "Edit the WorkflowResumptionContext; or set sys.query and the start node's variables.",
        )
    return doc.entity_path


def _pool_steps(doc: Document, node: str, name: str, value: Any) -> list[Step]:
    if doc.state_path is None:
        return []
    path = (*doc.state_path, *POOL, node, name)
    variable = doc.value(path)
    if not isinstance(variable, dict) or "value" not in variable:
        return []
    return [Step("set", (*path, "value"), value)]


def _roots(doc: Document) -> list[str]:
    """The start node: the app's root, else the node whose variables are the entity's inputs."""
    if doc.graph is not None:
        return [doc.graph.root]
    if doc.state_path is None:
        return []
    pool = doc.value((*doc.state_path, *POOL))
    return [
        n
        for n, found in (pool.items() if isinstance(pool, dict) else ())
        if isinstance(found, dict) and "sys.query" in found
    ][:1]


def _told(steps: list[Step]) -> tuple[str, ...]:
    return ("Changed in the entity and in the variable pool.",) if len(steps) > 1 else ()


def _reasons(doc: Document) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    if doc.execution_path is None:
        return
    path = (*doc.execution_path, "pause_reasons")
    found = doc.value(path)
    for index, reason in enumerate(found if isinstance(found, list) else ()):
        if isinstance(reason, dict):
            yield (*path, index), reason


def _forms(doc: Document) -> Iterator[tuple[str, tuple[Path, Mapping[str, Any]]]]:
    for path, reason in _reasons(doc):
        if reason.get("TYPE") == "human_input_required":
            yield str(reason.get("node_id")), (path, reason)


def _fields(reason: Mapping[str, Any]) -> list[str]:
    found = reason.get("inputs")
    entries = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
    return [str(each.get("output_variable_name") or each.get("name")) for each in entries]
