"""Would graphon load these variables? `VariablePool` of graphon 0.4 to 0.8: the same rules in all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.core.edits.rules_parts import Fault
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
            found = variable_fault(variable)
            if found:
                yield Fault(f"{node}.{name}", f"Variable {node}.{name} {found}.")


def variable_fault(variable: Any) -> str | None:
    """What is wrong with one variable, as a sentence without a subject."""
    if not isinstance(variable, dict):
        return "is no mapping"
    kind = variable.get("value_type")
    if not isinstance(kind, str):
        return "has no value_type"
    if not isinstance(variable.get("name"), str):
        return "has no name"
    if "value" not in variable and kind != "none":
        return "has no value"
    for key in ("id", "description"):
        if key in variable and not isinstance(variable[key], str):
            return f"has a {key} that is no text"
    selector = variable.get("selector", [])
    if not isinstance(selector, list) or not all(isinstance(part, str) for part in selector):
        return "has a selector that is no list of texts"
    return fault(variable.get("value"), kind)
