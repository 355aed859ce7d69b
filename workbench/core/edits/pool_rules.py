"""Would graphon load these variables? `VariablePool` of graphon 0.4 to 0.8: the same rules in all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.core.edits.schema import Fault, flag, items, number, whole
from workbench.core.edits.values import fault


def pool_faults(pool: Any, where: str) -> Iterator[Fault]:
    """The faults of a pool: `{"variable_dictionary": {node: {name: variable}}}`."""
    if not isinstance(pool, dict):
        yield Fault(where, f"{where} is no mapping.")
        return
    for key in pool:
        if key != "variable_dictionary":
            yield Fault(f"{where}.{key}", f"{where} has the key {key!r}, which no pool has.")
    nodes = pool.get("variable_dictionary", {})
    if not isinstance(nodes, dict):
        yield Fault(where, f"{where}.variable_dictionary is no mapping.")
        return
    for node, variables in nodes.items():
        if not isinstance(variables, dict):
            yield Fault(f"{node}", f"The variables of {node} are no mapping.")
            continue
        for name, variable in variables.items():
            if not isinstance(variable, dict) or not isinstance(variable.get("name"), str):
                message = "has no name" if isinstance(variable, dict) else "is no mapping"
                yield Fault(f"{node}.{name}", f"Variable {node}.{name} {message}.")
                continue
            found = _head_fault(variable)
            if found:
                yield Fault(f"{node}.{name}", f"Variable {node}.{name} {found}.")
            else:
                yield from value_faults(variable, f"{node}.{name}")


def value_faults(held: Any, where: str) -> Iterator[Fault]:
    """The faults of `{"value_type", "value"}`."""
    if not isinstance(held, dict) or not isinstance(held.get("value_type"), str):
        yield Fault(where, f"{where} has no value_type.")
        return
    kind = held["value_type"]
    if "value" not in held and kind != "none":
        yield Fault(where, f"{where} has no value.")
        return
    value = held.get("value")
    found = fault(value, kind)
    if found is None:
        return
    converted = list(_CONVERTED[kind](value, where)) if kind in _CONVERTED else []
    if converted and not any(each.refused for each in converted):
        yield Fault(where, f"Variable {where} {found}; the engine converts it.", refused=False)
    else:
        yield Fault(where, f"Variable {where} {found}.")


_CONVERTED = {
    "integer": whole,
    "float": number,
    "boolean": flag,
    "array[number]": items(number),
    "array[boolean]": items(flag),
}
"""What pydantic's lax mode may turn into another value of these types."""


def _head_fault(variable: dict[str, Any]) -> str | None:
    """What is wrong beside type and value."""
    for key in ("id", "description"):
        if key in variable and not isinstance(variable[key], str):
            return f"has a {key} that is no text"
    selector = variable.get("selector", [])
    if not isinstance(selector, list) or not all(isinstance(part, str) for part in selector):
        return "has a selector that is no list of texts"
    return None
