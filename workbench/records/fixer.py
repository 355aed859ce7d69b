"""Small repairs of one mapping out of an exported app: check a key, put a fitting value there, say so."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from workbench.records.reading import shorten

Data = dict[str, Any]
Say = Callable[[str], None]

_REFERENCE = re.compile(r"\{\{#?([^{}#]+)#?\}\}")


class Fixer:
    """Repairs `data` in place; `where` is its path inside the node's data, for the sentences.

    A key that graphon does not need (`needed=False`) is left out when its value can't be used; a needed one
    gets the default.
    """

    def __init__(self, data: Data, say: Say, where: str = "") -> None:
        self.data, self.say, self.where = data, say, where

    def inside(self, data: Data, key: str) -> Fixer:
        return Fixer(data, self.say, f"{self.where}{key}.")

    def put(self, key: str, value: Any, fault: str | None = None) -> None:
        """Replace a value that can't be used."""
        if fault is None:
            fault = "was missing" if self.data.get(key) is None else f"was {_brief(self.data[key])}"
        shown = "nothing" if value in (None, "", [], {}) else _brief(value)
        self.say(f"`{self.where}{key}` {fault}; it was taken as {shown}")
        self.data[key] = value

    def drop(self, key: str, fault: str | None = None) -> None:
        value = self.data.pop(key)
        if value is not None and value != "":  # empty values say nothing, leaving them out changes nothing
            self.say(f"`{self.where}{key}` {fault or f'was {_brief(value)}'}; it was left out")

    def _unusable(self, key: str, default: Any, needed: bool) -> None:
        if needed:
            self.put(key, default)
        elif key in self.data:
            self.drop(key)

    def text(self, key: str, default: str = "", *, needed: bool = True) -> None:
        value = self.data.get(key)
        if isinstance(value, str):
            return
        if value is None or isinstance(value, dict | list):
            self._unusable(key, default, needed)
        else:  # bare numbers and booleans of hand-written YAML
            self.data[key] = {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)

    def flag(self, key: str, default: bool = False, *, needed: bool = True) -> None:
        value = self.data.get(key)
        if isinstance(value, bool):
            return
        if isinstance(value, str) and value.lower() in ("true", "false"):
            self.data[key] = value.lower() == "true"
        elif value in (0, 1) and value is not None:
            self.data[key] = bool(value)
        else:
            self._unusable(key, default, needed)

    def integer(self, key: str, default: int, *, least: int | None = None, needed: bool = True) -> None:
        value = self.data.get(key)
        if isinstance(value, str) and re.fullmatch(r"\s*-?\d{1,12}(\.0*)?\s*", value):
            value = self.data[key] = int(float(value))
        if isinstance(value, float) and value == value and abs(value) < 1e12:
            value = self.data[key] = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            self._unusable(key, default, needed)
        elif least is not None and value < least:
            self.put(key, least)

    def choice(
        self,
        key: str,
        allowed: Collection[str],
        default: str,
        *,
        aliases: Mapping[str, str] | None = None,
        needed: bool = True,
    ) -> None:
        value = self.data.get(key)
        if isinstance(value, str):
            if value in allowed:
                return
            known = {name.lower(): name for name in reversed(list(allowed))}
            plain = value.strip().lower()
            meant = (aliases or {}).get(plain, known.get(plain))
            if meant is not None:
                self.say(f"`{self.where}{key}` {shorten(value, 30)!r} is spelled {meant!r}")
                self.data[key] = meant
                return
        self._unusable(key, default, needed)

    def mapping(self, key: str, *, needed: bool = True) -> Data:
        """The mapping at `key`; an empty one (kept only when needed) if there is none."""
        value = self.data.get(key)
        if isinstance(value, dict):
            return value
        self._unusable(key, {}, needed)
        return self.data[key] if needed else {}

    def entries(self, key: str, *, needed: bool = True) -> list[Data]:
        """The mappings in the list at `key`; others are left out."""
        value = self.data.get(key)
        if not isinstance(value, list):
            self._unusable(key, [], needed)
            return []
        if not all(isinstance(part, dict) for part in value):
            self.put(
                key, [part for part in value if isinstance(part, dict)], "held entries that are no mappings"
            )
        kept: list[Data] = self.data[key]
        return kept

    def selector(self, key: str, default: Sequence[str] = (), *, needed: bool = True) -> None:
        value = self.data.get(key)
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            return
        read = as_selector(value)
        if read is not None:
            self.put(key, read)
        else:
            self._unusable(key, list(default), needed)

    def selectors(self, key: str, *, needed: bool = True) -> None:
        """A list of selectors."""
        value = self.data.get(key)
        if not isinstance(value, list):
            self._unusable(key, [], needed)
            return
        read = [as_selector(part) for part in value]
        if read != value:
            self.put(key, [part for part in read if part is not None], "held entries that are no selectors")

    def variables(self, key: str = "variables") -> None:
        """A list of {"variable", "value_selector"}, as code, template and prompt nodes have it."""
        for entry in self.entries(key):
            fix = self.inside(entry, key)
            fix.text("variable")
            fix.selector("value_selector")


def words(text: str, separator: str | None = None) -> tuple[str, ...]:
    """A table of names, written as one text."""
    return tuple(text.split(separator))


def as_selector(value: Any) -> list[str] | None:
    """A selector out of what people write for one: ["a", "b"], [["a", "b"]], "a.b", "{{#a.b#}}"."""
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], list):
            value = value[0]
        parts = [str(part) for part in value if isinstance(part, str | int) and not isinstance(part, bool)]
        return parts if len(parts) == len(value) else None
    if isinstance(value, str) and value.strip():
        found = _REFERENCE.fullmatch(value.strip())
        parts = (found[1] if found else value).strip().split(".")
        return parts if len(parts) > 1 and all(parts) else None
    return None


def as_text(value: Any) -> str:
    """A value as the text that a person would have written for it."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _brief(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, list):
        return shorten(f"[{', '.join(map(str, value))}]", 40)
    return repr(shorten(value, 30)) if isinstance(value, str) else str(value)
