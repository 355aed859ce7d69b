"""Made-up values that fit a JSON schema (draft 7). Pure, deterministic, no graphon."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .shapes import ITEMS, MOST_DEPTH, MOST_VALUES


def of_schema(schema: Any, name: str = "value", root: Any = None) -> Any:
    """Make up a value that fits: enum, const, default, types, formats, limits, simple patterns, $ref within
    the document, allOf, anyOf.

    A schema that nothing fits, or that is none, gives a string: the node's own validation then tells the
    user.

    Args:
        schema: the schema.
        name: what the value is called; it appears in made-up strings.
        root: the document that references point into; the schema itself when not given.
    """
    return _Schemas(root if isinstance(root, Mapping) else schema).make(schema, name, 0)


class _Schemas:
    """Makes one value; recursive and huge schemas end in nulls."""

    def __init__(self, root: Any) -> None:
        self._root: Mapping[str, Any] = root if isinstance(root, Mapping) else {}
        self._left = MOST_VALUES

    def make(self, schema: Any, name: str, depth: int) -> Any:
        self._left -= 1
        if depth > MOST_DEPTH or self._left < 0:
            return None
        if not isinstance(schema, Mapping):
            return f"scripted {name}"
        if "$ref" in schema:
            return self.make(_resolve(schema["$ref"], self._root), name, depth + 1)
        if "const" in schema:
            return schema["const"]
        if isinstance(schema.get("enum"), list) and schema["enum"]:
            return schema["enum"][0]
        if schema.get("default") is not None:
            return schema["default"]
        if isinstance(schema.get("examples"), list) and schema["examples"]:
            return schema["examples"][0]
        for key in ("oneOf", "anyOf"):
            options = schema.get(key)
            if isinstance(options, list) and options:
                rest = {k: v for k, v in schema.items() if k != key}
                return self.make({**rest, **_first_useful(options)}, name, depth + 1)
        if isinstance(schema.get("allOf"), list) and schema["allOf"]:
            return self.make(_merged(schema, self._root), name, depth + 1)
        return self._by_type(schema, name, depth)

    def _by_type(self, schema: Mapping[str, Any], name: str, depth: int) -> Any:
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = next((k for k in kind if k != "null"), "null")
        if kind is None:
            kind = "object" if "properties" in schema else "array" if "items" in schema else "string"
        match kind:
            case "object":
                return self._object(schema, depth)
            case "array":
                return self._array(schema, name, depth)
            case "integer" | "number":
                return _number(schema, whole=kind == "integer")
            case "boolean":
                return True
            case "null":
                return None
            case _:
                return _string(schema, name)

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties = schema.get("properties")
        properties = properties if isinstance(properties, Mapping) else {}
        required = schema.get("required")
        required = [r for r in required if isinstance(r, str)] if isinstance(required, list) else []
        # Deep down only what is required, so that a recursive schema ends.
        names = list(properties) if depth < MOST_DEPTH // 2 else [n for n in properties if n in required]
        made = {str(n): self.make(properties[n], str(n), depth + 1) for n in names}
        for missing in required:
            made.setdefault(missing, f"scripted {missing}")
        return made

    def _array(self, schema: Mapping[str, Any], name: str, depth: int) -> list[Any]:
        least, most = schema.get("minItems"), schema.get("maxItems")
        least = least if isinstance(least, int) else 0
        length = max(least, 1 if depth >= MOST_DEPTH // 2 else ITEMS)
        if isinstance(most, int):
            length = min(length, most)
        if depth >= MOST_DEPTH - 1:
            length = min(length, least)
        items = schema.get("items", {})
        if isinstance(items, list):
            return [self.make(item, f"{name} {i}", depth + 1) for i, item in enumerate(items, 1)]
        return [self.make(items, f"{name} {i}", depth + 1) for i in range(1, min(length, 1000) + 1)]


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
