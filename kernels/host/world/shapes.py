"""Made-up values of Dify's variable types. Pure, deterministic, no graphon."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

MOST_DEPTH = 12
"""Types nested deeper end in empty objects and lists."""

MOST_VALUES = 2000
"""A made-up value with more parts is cut off: a few nested lists of objects would reach millions."""

ITEMS = 2
"""Length of made-up lists: enough to see an iteration go round, small enough for every limit of graphon."""


_NUMBERS = frozenset({"number", "integer", "float"})
_BOOLEANS = frozenset({"boolean", "bool", "checkbox"})


def of_type(kind: str, name: str = "value", children: Mapping[str, Any] | None = None) -> Any:
    """Make up a value of one of Dify's variable types ("string", "array[object]", ...), or of the finer kinds
    of text that readers need: "url" and "json".

    Args:
        kind: the type; an unknown one gives a string.
        name: of the variable; it appears in made-up strings so that one sees where a value came from.
        children: {name: {"type", "children"}} of an object or of the objects in an array (code node outputs).
    """
    return _Types().make(kind, name, children, 0)


class _Types:
    """Makes one value."""

    def __init__(self) -> None:
        self._left = MOST_VALUES

    def make(self, kind: str, name: str, children: Mapping[str, Any] | None, depth: int) -> Any:
        self._left -= 1
        kind = kind.strip().lower()
        if kind.startswith("array"):
            inner = kind[6:-1] if kind.startswith("array[") and kind.endswith("]") else "any"
            return self._list(inner, name, children, depth)
        if kind == "object":
            return self._object(name, children, depth)
        return _scalar(kind, name)

    def _list(self, inner: str, name: str, children: Mapping[str, Any] | None, depth: int) -> list[Any]:
        if inner == "file" or depth >= MOST_DEPTH or self._left < 0:
            return []
        if inner in _NUMBERS:
            return list(range(1, ITEMS + 1))
        if inner in _BOOLEANS:
            return [index % 2 == 0 for index in range(ITEMS)]
        return [self.make(inner, f"{name} {i}", children, depth + 1) for i in range(1, ITEMS + 1)]

    def _object(self, name: str, children: Mapping[str, Any] | None, depth: int) -> dict[str, Any]:
        if depth >= MOST_DEPTH or self._left < 0:
            return {}
        if not children:
            return {"name": f"scripted {name}"}
        made = {}
        for key, child in children.items():
            child = child if isinstance(child, Mapping) else {"type": str(child)}
            kind = str(child.get("type") or "string")
            made[str(key)] = self.make(kind, str(key), child.get("children"), depth + 1)
        return made


def _scalar(kind: str, name: str) -> Any:
    if kind in _NUMBERS:
        return 1
    if kind in _BOOLEANS:
        return True
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
