"""The variable pool of a runtime snapshot, as plain typed values. The same in graphon 0.4 to 0.8.

`variable_dictionary.{node}.{name}` is `{value_type, value, id, name, description, selector}`. Types are
graphon's SegmentType: string, number, integer, float, boolean, object, secret, file, none, group, and
array[any], array[string], array[number], array[object], array[file], array[boolean]. Values are plain JSON
already; a file is its mapping. What an object or array holds is kept as it is: a mapping with `value_type`
inside one is a mapping for the engine too. Only a `group` is a list of variables, and becomes the list of
their values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.records.shapes import Notes, Shape, kind_of

SECRET = "secret"

_PLAIN: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "secret": (str,),
    "number": (int, float),
    "integer": (int,),
    "float": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "file": (dict,),
    "group": (list,),
    "none": (type(None),),
}


@dataclass(frozen=True, slots=True)
class Variables:
    """Values and types by node and name; "sys", "env" and "conversation" stand beside node ids."""

    values: Mapping[str, Mapping[str, Any]]
    types: Mapping[str, Mapping[str, str]]


def read_pool(pool: Mapping[str, Any], notes: Notes, where: str = "variable_pool") -> Variables:
    """The variables of a pool; damaged ones are named in `notes` and kept as far as they can be read."""
    values: dict[str, dict[str, Any]] = {}
    types: dict[str, dict[str, str]] = {}
    nodes = Shape(pool, where, notes).mapping("variable_dictionary")
    for node, variables in nodes.items():
        if not isinstance(variables, dict):
            notes.append(f"{where}: the variables of {node} are {kind_of(variables)}, not a mapping.")
            continue
        values[node], types[node] = {}, {}
        for key, variable in variables.items():
            name = _name(key, variable)
            values[node][name], types[node][name] = _variable(variable, f"{node}.{name}", notes)
    return Variables(values, types)


def _name(key: str, variable: Any) -> str:
    """The variable's name. Early versions keyed variables by a hash; the selector knows better."""
    if key.lstrip("-").isdigit() and isinstance(variable, dict):
        selector = variable.get("selector")
        if isinstance(selector, list) and len(selector) > 1:
            return ".".join(map(str, selector[1:]))
    return key


def _variable(variable: Any, where: str, notes: Notes) -> tuple[Any, str]:
    if not isinstance(variable, dict) or not isinstance(variable.get("value_type"), str):
        notes.append(f"Variable {where} has no value_type: it is {kind_of(variable)}.")
        return variable, "unknown"
    kind, value = variable["value_type"], variable.get("value")
    if "value" not in variable and kind != "none":
        notes.append(f"Variable {where} has no value.")
    elif not _fits(kind, value):
        notes.append(f"Variable {where} is of type {kind}, but its value is {kind_of(value)}.")
    return _plain(kind, value), kind


def _fits(kind: str, value: Any) -> bool:
    if kind.startswith("array["):
        return isinstance(value, list)
    types = _PLAIN.get(kind)
    if types is None:
        return True  # a type of a later version
    return isinstance(value, types) and (isinstance(value, bool) is (kind == "boolean"))


def _plain(kind: str, value: Any) -> Any:
    if kind == "group" and isinstance(value, list):
        return [
            _plain(str(item.get("value_type")), item.get("value")) if isinstance(item, dict) else item
            for item in value
        ]
    return value
