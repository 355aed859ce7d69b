"""Made-up values of a given shape: Dify's variable types and JSON schemas. Pure, deterministic, no
graphon."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

MOST_DEPTH = 12
"""Schemas nested deeper (or recursive ones) end in null-like leaves instead of growing for ever."""

ITEMS = 2
"""Length of made-up lists: enough to see an iteration go round, small enough for every limit of graphon."""


_NUMBERS = frozenset({"number", "integer", "float"})
_BOOLEANS = frozenset({"boolean", "bool", "checkbox"})


def of_type(kind: str, name: str = "value", children: Mapping[str, Any] | None = None, depth: int = 0) -> Any:
    """Make up a value of one of Dify's variable types ("string", "array[object]", ...), or of the finer
    kinds of
    text that readers need: "url" and "json".

    Args:
        kind: the type; an unknown one gives a string.
        name: of the variable; it appears in made-up strings so that one sees where a value came from.
        children: {name: {"type", "children"}} of an object or of the objects in an array (code node outputs).
        depth: current nesting.
    """
    kind = kind.strip().lower()
    if kind.startswith("array"):
        inner = kind[6:-1] if kind.startswith("array[") and kind.endswith("]") else "any"
        if inner == "file":
            return []
        if inner in _NUMBERS:
            return list(range(1, ITEMS + 1))
        if inner in _BOOLEANS:
            return [index % 2 == 0 for index in range(ITEMS)]
        return [of_type(inner, f"{name} {index}", children, depth + 1) for index in range(1, ITEMS + 1)]
    if kind in _NUMBERS:
        return 1
    if kind in _BOOLEANS:
        return True
    if kind == "object":
        return _object(name, children, depth)
    if kind in ("none", "null", "file"):
        return None
    if kind == "url":
        return f"https://example.com/{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-')}"
    if kind == "json":
        return json.dumps({"name": f"scripted {name}"}, ensure_ascii=False)
    return f"scripted {name}"


def finer(declared: str, wanted: str | None) -> str:
    """The declared type, or the kind of text that its readers need of it."""
    fits = {"string": ("url", "json"), "array[string]": ("array[url]", "array[json]")}
    return wanted if wanted is not None and wanted in fits.get(declared, ()) else declared


def _object(name: str, children: Mapping[str, Any] | None, depth: int) -> dict[str, Any]:
    if not children or depth >= MOST_DEPTH:
        return {} if depth >= MOST_DEPTH else {"name": f"scripted {name}"}
    made = {}
    for key, child in children.items():
        child = child if isinstance(child, Mapping) else {"type": str(child)}
        made[str(key)] = of_type(
            str(child.get("type") or "string"), str(key), child.get("children"), depth + 1
        )
    return made


def of_schema(schema: Any, name: str = "value", root: Mapping[str, Any] | None = None, depth: int = 0) -> Any:
    """Make up a value that fits a JSON schema (draft 7): enum, const, default, types, formats, limits, $ref,
    allOf, anyOf.

    A schema that nothing fits, or that is not one, gives a string: the validation of the node then tells the
    user.
    """
    root = schema if root is None and isinstance(schema, Mapping) else root
    if not isinstance(schema, Mapping) or depth > MOST_DEPTH:
        return None if depth > MOST_DEPTH else f"scripted {name}"
    if "$ref" in schema:
        return of_schema(_resolve(schema["$ref"], root or {}), name, root, depth + 1)
    if "const" in schema:
        return schema["const"]
    if isinstance(schema.get("enum"), Sequence) and not isinstance(schema["enum"], str) and schema["enum"]:
        return schema["enum"][0]
    if "default" in schema and schema["default"] is not None:
        return schema["default"]
    if isinstance(schema.get("examples"), list) and schema["examples"]:
        return schema["examples"][0]
    for key in ("oneOf", "anyOf"):
        options = schema.get(key)
        if isinstance(options, list) and options:
            rest = {k: v for k, v in schema.items() if k != key}
            return of_schema({**rest, **_first_useful(options)}, name, root, depth + 1)
    if isinstance(schema.get("allOf"), list) and schema["allOf"]:
        return of_schema(_merged(schema, root or {}), name, root, depth + 1)
    return _by_type(schema, name, root, depth)


def _by_type(schema: Mapping[str, Any], name: str, root: Mapping[str, Any] | None, depth: int) -> Any:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((k for k in kind if k != "null"), "null")
    if kind is None:
        kind = "object" if "properties" in schema else "array" if "items" in schema else "string"
    match kind:
        case "object":
            return _schema_object(schema, root, depth)
        case "array":
            return _schema_array(schema, name, root, depth)
        case "integer" | "number":
            return _number(schema, whole=kind == "integer")
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return _string(schema, name)


def _schema_object(schema: Mapping[str, Any], root: Mapping[str, Any] | None, depth: int) -> dict[str, Any]:
    properties = schema.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    required = [r for r in schema.get("required") or () if isinstance(r, str)]
    # Deep down only what is required, so that a recursive schema ends.
    names = list(properties) if depth < MOST_DEPTH // 2 else [n for n in properties if n in required]
    made = {str(n): of_schema(properties[n], str(n), root, depth + 1) for n in names}
    for missing in required:
        made.setdefault(missing, f"scripted {missing}")
    return made


def _schema_array(
    schema: Mapping[str, Any], name: str, root: Mapping[str, Any] | None, depth: int
) -> list[Any]:
    least = schema.get("minItems") if isinstance(schema.get("minItems"), int) else 0
    most = schema.get("maxItems") if isinstance(schema.get("maxItems"), int) else None
    length = max(least, 1 if depth >= MOST_DEPTH // 2 else ITEMS)
    length = min(length if most is None else min(length, most), 1000)
    if depth >= MOST_DEPTH - 1:
        length = min(length, least)
    items = schema.get("items", {})
    if isinstance(items, list):
        return [of_schema(item, f"{name} {i}", root, depth + 1) for i, item in enumerate(items, 1)]
    return [of_schema(items, f"{name} {i}", root, depth + 1) for i in range(1, length + 1)]


def _number(schema: Mapping[str, Any], *, whole: bool) -> int | float:
    least, most = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    value: int | float = 1
    step = 1 if whole else 0.5
    if _is_number(least) and value < least:
        value = least
    if _is_number(above) and value <= above:
        value = above + step
    if _is_number(most) and value > most:
        value = most
    if _is_number(below) and value >= below:
        value = below - step
    multiple = schema.get("multipleOf")
    if _is_number(multiple) and multiple > 0:
        value = -(-value // multiple) * multiple
    return -int(-value // 1) if whole else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_FORMATS = {
    "date-time": "2026-01-31T12:00:00Z",
    "date": "2026-01-31",
    "time": "12:00:00Z",
    "email": "someone@example.com",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "ipv4": "192.0.2.1",
    "hostname": "example.com",
}


def _string(schema: Mapping[str, Any], name: str) -> str:
    value = _FORMATS.get(str(schema.get("format")), f"scripted {name}")
    if isinstance(schema.get("pattern"), str):
        value = _of_pattern(schema["pattern"], value)
    least, most = schema.get("minLength"), schema.get("maxLength")
    if isinstance(least, int) and len(value) < least:
        value = value.ljust(min(least, 10_000), ".")
    if isinstance(most, int) and len(value) > most:
        value = value[: max(most, 0)]
    return value


_ATOM = re.compile(r"\\d|\\w|\\s|\\.|\[[^\]]+\]|[^\\\[\](){}*+?|^$.]|\.|\\[^dws]")
_REPEAT = re.compile(r"\{(\d+)(?:,\d*)?\}|[*+?]")


def _of_pattern(pattern: str, fallback: str) -> str:
    """Make up a string for simple patterns (classes and counts, as in `^[A-Z]{2}-\\d{4}$`); else give the
    fallback."""
    rest, made = pattern.removeprefix("^").removesuffix("$"), ""
    while rest:
        atom = _ATOM.match(rest)
        if not atom:
            return fallback
        rest = rest[atom.end() :]
        repeat = _REPEAT.match(rest)
        count = 1
        if repeat:
            rest = rest[repeat.end() :]
            count = min(int(repeat[1]), 200) if repeat[1] else 1
        made += _letter(atom[0]) * count
    try:
        return made if re.search(pattern, made) else fallback
    except re.error:
        return fallback


def _letter(atom: str) -> str:
    if atom == r"\d":
        return "1"
    if atom == r"\s":
        return " "
    if atom in (r"\w", "."):
        return "a"
    if atom.startswith("["):
        inside = atom[1:-1]
        return {r"\d": "1", r"\w": "a"}.get(inside[:2], inside[0]) if not inside.startswith("^") else "a"
    return atom[-1]


def _first_useful(options: list[Any]) -> Mapping[str, Any]:
    useful = [o for o in options if isinstance(o, Mapping)]
    return next((o for o in useful if o.get("type") != "null"), useful[0] if useful else {})


def _merged(schema: Mapping[str, Any], root: Mapping[str, Any]) -> dict[str, Any]:
    merged: dict[str, Any] = {k: v for k, v in schema.items() if k != "allOf"}
    for part in schema["allOf"]:
        part = _resolve(part["$ref"], root) if isinstance(part, Mapping) and "$ref" in part else part
        if not isinstance(part, Mapping):
            continue
        properties = {**(merged.get("properties") or {}), **(part.get("properties") or {})}
        required = [*(merged.get("required") or []), *(part.get("required") or [])]
        merged = {**merged, **part}
        if properties:
            merged["properties"] = properties
        if required:
            merged["required"] = required
    return merged


def _resolve(reference: Any, root: Mapping[str, Any]) -> Any:
    if not isinstance(reference, str) or not reference.startswith("#"):
        return {}
    found: Any = root
    for part in reference.removeprefix("#").strip("/").split("/"):
        if not part:
            continue
        key = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, Mapping) or key not in found:
            return {}
        found = found[key]
    return found
