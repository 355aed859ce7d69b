"""Typed variables of an app: its environment and its conversation; values read by Dify's value types."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.errors import UsageError
from workbench.records.notes import Notes
from workbench.records.reading import nearest, shorten

_EMPTY: Mapping[str, Any] = {
    "string": "",
    "secret": "",
    "number": 0,
    "integer": 0,
    "float": 0.0,
    "boolean": False,
}


def empty_value(value_type: str) -> Any:
    """The zero of a Dify value type: what a variable without a value holds."""
    if value_type.startswith("array"):
        return []
    if value_type in ("object", "json"):
        return {}
    return _EMPTY.get(value_type, "")


def read_variables(block: Any, namespace: str, notes: Notes) -> tuple[Mapping[str, Any], ...]:
    """Environment or conversation variables with values that fit their type. Exports leave secrets empty."""
    if block is None:
        return ()
    if not isinstance(block, list):
        notes.add(f"the {namespace} variables are no list; they were left out")
        return ()
    variables: dict[str, Mapping[str, Any]] = {}
    for entry in block:
        name = entry.get("name") if isinstance(entry, Mapping) else None
        if not isinstance(entry, Mapping) or not isinstance(name, str) or not name:
            notes.add(f"a {namespace} variable without a name was left out")
            continue
        value_type = entry.get("value_type")
        value = entry.get("value")
        if not isinstance(value_type, str) or not value_type:
            value_type = guess_type(value)
            notes.add(f"the {namespace} variable {shorten(name)} has no type; it was read as {value_type}")
        try:
            value = fit_value(value, value_type)
        except ValueError:
            notes.add(
                f"the value of the {namespace} variable {shorten(name)} is no {value_type}; it was emptied"
            )
            value = empty_value(value_type)
        variables[name] = {**entry, "value_type": value_type, "value": value, "selector": [namespace, name]}
    return tuple(variables.values())


def is_empty_secret(variable: Mapping[str, Any]) -> bool:
    """Dify leaves secrets out of an export unless it is told otherwise."""
    return variable["value_type"] == "secret" and not variable["value"]


def set_environment(
    variables: Sequence[Mapping[str, Any]], given: Mapping[str, Any], app: str
) -> list[Mapping[str, Any]]:
    """The variables with the values given for one run; empty secrets get a text that tells what they are."""
    names = [str(one["name"]) for one in variables]
    for name, value in given.items():
        if name not in names:
            close = nearest(name, names) or names
            raise UsageError(
                f"{app} has no environment variable named {shorten(name)!r}",
                f"It has: {', '.join(names)}." if names else "It has none.",
                f"Did you mean {close[0]}?" if close else "Leave --env out.",
            )
        kind = next(one["value_type"] for one in variables if one["name"] == name)
        try:
            fit_value(value, kind)
        except ValueError as error:
            raise UsageError(
                f"the environment variable {name} does not take {shorten(str(value))!r}",
                f"It is a {kind}: {error}.",
                "Give a fitting value.",
            ) from error
    made: list[Mapping[str, Any]] = []
    for one in variables:
        value = one["value"]
        if one["name"] in given:
            value = fit_value(given[one["name"]], one["value_type"])
        elif is_empty_secret(one):
            value = f"secret {one['name']}"
        made.append({**one, "value": value})
    return made


def guess_type(value: Any) -> str:
    """Dify's value type of a plain value."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, Mapping):
        return "object"
    if isinstance(value, list):
        kinds = {guess_type(part) for part in value}
        return (
            f"array[{kinds.pop()}]"
            if len(kinds) == 1 and kinds <= {"string", "number", "object"}
            else "array"
        )
    return "string"


def fit_value(value: Any, value_type: str) -> Any:
    """`value` as `value_type`; ValueError when it can't be one."""
    if value is None or (value == "" and value_type not in ("string", "secret")):
        return empty_value(value_type)
    if value_type in ("string", "secret"):
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if value_type in ("number", "integer", "float"):
        return as_number(value)
    if value_type == "boolean":
        return as_boolean(value)
    if value_type == "object":
        return _as_kind(value, dict)
    if value_type.startswith("array"):
        parts = _as_kind(value, list)
        inner = value_type.removeprefix("array").strip("[]")
        return [part if inner in ("", "any", "file") else fit_value(part, inner) for part in parts]
    return value


def as_number(value: Any) -> int | float:
    """A number from a number or its text ("3", "2.50")."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("no number")
    if not isinstance(value, str):
        return value
    text = value.strip()
    try:
        return int(text)
    except ValueError:
        return float(text)


def as_boolean(value: Any) -> bool:
    """True and false in the spellings that people and exports use."""
    if isinstance(value, bool):
        return value
    known = {
        "true": True,
        "1": True,
        "yes": True,
        "on": True,
        "false": False,
        "0": False,
        "no": False,
        "off": False,
    }
    text = str(value).strip().lower()
    if text not in known:
        raise ValueError("neither true nor false")
    return known[text]


def _as_kind(value: Any, kind: type[Any]) -> Any:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise ValueError("no JSON") from error
    if not isinstance(value, kind):
        raise ValueError(f"no {kind.__name__}")
    return value
