"""Targets that are variables: `llm.text`, `sys.query`, `conversation.thing.a[0]`, `frame:0/ask.note`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from workbench.core.edits import dotted
from workbench.core.edits.document import Document
from workbench.core.edits.plan import MISSING, Edit, Place, Plan, Step, put, title_of, unknown
from workbench.core.edits.values import TYPES, fault, read, read_like, type_of
from workbench.errors import UsageError
from workbench.records.json_places import Path

SCOPES = ("sys", "env", "conversation")
POOL = ("variable_pool", "variable_dictionary")


def plan(doc: Document, rest: str, edit: Edit) -> Plan:
    """A variable of the root's pool."""
    return plan_in(doc, (*doc.needs_state(), *POOL), rest, edit)


def places(doc: Document) -> Iterator[Place]:
    """The variables of the root's pool."""
    if doc.state_path is not None:
        yield from places_in(doc, (*doc.state_path, *POOL), "")


def plan_in(doc: Document, pool: Path, target: str, edit: Edit) -> Plan:
    """A variable of one pool."""
    held = pool_of(doc, pool)
    node, name, inside = _parts(doc, held, target)
    where = f"variable {node}.{name}"
    variable = held.get(node, {}).get(name) if isinstance(held.get(node), dict) else None
    path = (*pool, node, name)
    if inside:
        return _inside(doc, path, variable, inside, where, edit)
    if edit.given is None:
        if variable is None:
            raise unknown(f"variable of {node}", name, list(held.get(node, {})))
        return Plan(where, (Step("remove", path),), _value(variable), MISSING, _read_by(doc, node, name))
    if isinstance(variable, dict):
        return _set(doc, path, variable, where, edit)
    return _new(pool, held, node, name, where, edit)


def places_in(doc: Document, pool: Path, prefix: str) -> Iterator[Place]:
    """The variables of one pool."""
    for node, variables in pool_of(doc, pool).items():
        for name, variable in variables.items() if isinstance(variables, dict) else ():
            kind = str(variable.get("value_type", "")) if isinstance(variable, dict) else ""
            target = f"{prefix}{_spelt(node)}.{_spelt(name)}"
            yield Place(target, _value(variable), kind, title_of(doc, node))


def pool_of(doc: Document, pool: Path) -> Mapping[str, Any]:
    """The pool's variables by node."""
    found = doc.value(pool)
    return found if isinstance(found, dict) else {}


def _parts(doc: Document, held: Mapping[str, Any], target: str) -> tuple[str, str, tuple[str | int, ...]]:
    """Node, name, and the path inside the value. Names may hold dots (`start` has one named `sys.query`)."""
    nodes = [*held, *(each for each in (doc.graph.nodes if doc.graph else ()) if each not in held)]
    node = max((n for n in nodes if target.startswith(f"{n}.")), key=len, default=None)
    if node is None:
        steps = [str(step) for step in dotted.parse(target)]
        titled = (
            [n.id for n in doc.graph.nodes.values() if n.title == steps[0]] if doc.graph and steps else []
        )
        if len(titled) == 1 and len(steps) > 1:
            node = titled[0]
            rest = target[target.index(".", target.find(steps[0]) + len(steps[0])) + 1 :]
        elif steps and steps[0] in (*SCOPES, *nodes) and len(steps) > 1:
            node, rest = (
                steps[0],
                target.split(".", 1)[1] if target.startswith(steps[0]) else ".".join(steps[1:]),
            )
        else:
            raise _no_node(nodes, held, target)
    else:
        rest = target[len(node) + 1 :]
    variables = held.get(node) if isinstance(held.get(node), dict) else {}
    assert isinstance(variables, dict)
    ends = (n for n in variables if rest == n or rest.startswith((f"{n}.", f"{n}[")))
    name = max(ends, key=len, default=None)
    if name is not None:
        return node, name, dotted.parse(rest[len(name) :])
    steps_left = dotted.parse(rest)
    if not steps_left or not isinstance(steps_left[0], str):
        raise UsageError(
            f"{target!r} names no variable.", "A variable is written node.name.", "For example: llm.text"
        )
    if len(steps_left) > 1:
        raise unknown(f"variable of {node}", str(steps_left[0]), list(variables))
    return node, steps_left[0], ()


def _no_node(nodes: list[str], held: Mapping[str, Any], target: str) -> UsageError:
    if "." not in target:
        names = [
            f"{node}.{name}" for node, found in held.items() if isinstance(found, dict) for name in found
        ]
        return unknown("target", target, names)
    return unknown("node", target.split(".")[0], [*SCOPES, *nodes])


def _set(doc: Document, path: Path, variable: Mapping[str, Any], where: str, edit: Edit) -> Plan:
    assert edit.given is not None
    old = str(variable.get("value_type"))
    wanted = edit.type or _kept(old, edit)
    value, kind = read(edit.given, wanted, where)
    steps = [put(doc, (*path, "value"), value)]
    notes: tuple[str, ...] = ()
    if kind != old:
        steps.insert(0, put(doc, (*path, "value_type"), kind))
        notes = (f"The type of {where.removeprefix('variable ')} changes from {old} to {kind}.",)
    if str(path[-2]) == "conversation":
        notes = (*notes, "Dify keeps conversation variables in its own table too; only this pause is edited.")
    return Plan(where, tuple(steps), variable.get("value", MISSING), value, notes)


def _kept(old: str, edit: Edit) -> str:
    """The variable's own type; one that no variable can have is mended."""
    if old in TYPES and old != "none":
        return old
    given = edit.given
    return "string" if given is not None and given.is_text else type_of(given.value if given else None)


def _new(pool: Path, held: Mapping[str, Any], node: str, name: str, where: str, edit: Edit) -> Plan:
    assert edit.given is not None
    variables = held.get(node)
    names = list(variables) if isinstance(variables, dict) else []
    if edit.type is None and (edit.given.is_text or get_close_matches(name, names, 1, 0.6)):
        made = f"A new variable is made by giving its type: {node}.{name}:string=..."
        wrong = unknown(f"variable of {node}", name, names)
        raise UsageError(
            wrong.title, wrong.cause, made if "mean" not in wrong.next_step else f"{wrong.next_step} {made}"
        )
    value, kind = read(edit.given, edit.type, where)
    variable = {
        "value_type": kind,
        "value": value,
        "id": str(uuid5(NAMESPACE_OID, f"{node}.{name}")),
        "name": name,
        "description": "",
        "selector": [node, name],
    }
    found = fault(value, kind)
    if found:
        raise UsageError(
            f"{where} does not take this value.", f"It {found}.", "Give its type: TARGET:string=..."
        )
    new = f"{where.removeprefix('variable ')} is new in this pause, of type {kind}."
    if node in held:
        return Plan(where, (Step("add", (*pool, node, name), variable),), MISSING, value, (new,))
    return Plan(where, (Step("add", (*pool, node), {name: variable}),), MISSING, value, (new,))


def _inside(
    doc: Document, path: Path, variable: Any, inside: tuple[str | int, ...], where: str, edit: Edit
) -> Plan:
    """A place inside a variable's value."""
    if not isinstance(variable, dict):
        raise UsageError(f"{where} has no value to look into.", "", "Set the whole variable.")
    if edit.type is not None:
        raise UsageError(
            f"{edit.target} has no type of its own.", "Only whole variables have one.", "Leave it out."
        )
    full: Path = (*path, "value", *inside)
    current = doc.value(full) if doc.opened.has(full) else MISSING
    holder = doc.value(full[:-1])
    if edit.given is None:
        if current is MISSING:
            raise _no_place(holder, inside, where)
        step = Step("remove", full)
    else:
        fits = isinstance(holder, dict) if isinstance(inside[-1], str) else isinstance(holder, list)
        beyond = isinstance(holder, list) and isinstance(inside[-1], int) and inside[-1] > len(holder)
        if not fits or beyond:
            raise _no_place(holder, inside, where)
        value = read_like(edit.given, None if current is MISSING else current, edit.target)
        step = Step("add" if current is MISSING else "set", full, value)
    after = step.apply(doc.opened).get((*path, "value"))
    kind = str(variable.get("value_type"))
    found = fault(after, kind) if kind in TYPES else None
    if found:
        raise UsageError(
            f"{where} would not be of its type any more.", f"It is of type {kind}; the value {found}.", ""
        )
    return Plan(f"{where}, inside", (step,), current, MISSING if edit.given is None else step.value)


def _no_place(holder: Any, inside: tuple[str | int, ...], where: str) -> UsageError:
    if isinstance(holder, dict):
        return unknown(f"key in {where}", str(inside[-1]), list(map(str, holder)))
    if isinstance(holder, list):
        return UsageError(
            f"{where} has no item [{inside[-1]}].", f"It has {len(holder)} items, from [0] on.", ""
        )
    return UsageError(
        f"There is no such place in {where}.", "Nothing is held there.", "Set the whole variable."
    )


def _read_by(doc: Document, node: str, name: str) -> tuple[str, ...]:
    """Response nodes that would miss a removed variable."""
    if doc.graph is None:
        return ()
    readers = [
        each.title or each.id
        for each in doc.graph.nodes.values()
        if any(getattr(part, "selector", ())[:2] == (node, name) for part in each.template)
    ]
    return tuple(f"{reader} reads {node}.{name}: nothing will stand there." for reader in readers)


def _value(variable: Any) -> Any:
    return variable.get("value", MISSING) if isinstance(variable, dict) else variable


def _spelt(part: str) -> str:
    """A node or name as a target has it: plain, for it is compared with the names that are there."""
    return part
