"""Changing one value inside a JSON text without touching any other byte, nested JSON strings included.

A saved pause holds JSON inside JSON strings inside JSON (Dify: `WorkflowResumptionContext` ->
`serialized_graph_runtime_state` -> `graph_execution`). A place in it is a path of keys and indexes in which
`OPEN` stands for "this string is itself JSON: go on inside". Only the text of the value at the path is
replaced; white space, key order, number spellings and escapes everywhere else stay as they were written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from workbench.errors import BadInputError, NotFoundError
from workbench.records.json_literal import json_text, raw_offsets
from workbench.records.json_places import (
    OPEN,
    Path,
    Place,
    Step,
    end_of,
    key_at,
    locate,
    members,
    skip,
    spell,
)

__all__ = [
    "OPEN",
    "Path",
    "Place",
    "Splice",
    "Step",
    "insert",
    "insertion",
    "json_text",
    "locate",
    "read",
    "removal",
    "remove",
    "replace",
    "replacement",
    "respelt",
]


@dataclass(frozen=True, slots=True)
class Splice:
    """`text[start:end]` becomes `new`."""

    start: int
    end: int
    new: str

    def apply(self, text: str) -> str:
        """The text with the splice made."""
        return text[: self.start] + self.new + text[self.end :]


def read(text: str, path: Path) -> Any:
    """The decoded value at `path` (OPEN allowed). Raises as `locate`."""
    inner, rest = _split(path)
    place = locate(text, inner)
    value = _decode(text, place)
    if rest is None:
        return value
    return read(_inner_text(value, inner), rest)


def replace(text: str, path: Path, value: str) -> str:
    """The text with the value at `path` replaced by `value`, JSON text itself. Raises as `locate`."""
    return _edit(text, path, lambda own, inner: replacement(own, inner, value)).apply(text)


def remove(text: str, path: Path) -> str:
    """The text without the member or item at `path`, and without its comma. Raises as `locate`."""
    return _edit(text, path, removal).apply(text)


def insert(text: str, parent: Path, key: str | int, value: str) -> str:
    """The text with a new member `key` (object) or item (list, `key` is its index) added at `parent`.

    `value` is JSON text. A new object member goes to the end, in the spelling of its neighbours' separators.

    Raises:
        BadInputError: the place is neither object nor list, or the key is there already.
    """
    return _edit(text, parent, lambda own, inner: insertion(own, inner, key, value)).apply(text)


def replacement(text: str, path: Path, value: str) -> Splice:
    """The splice of `replace`; no OPEN in the path."""
    place = locate(text, path)
    return Splice(place.start, place.end, value)


def removal(text: str, path: Path) -> Splice:
    """The splice of `remove`; no OPEN in the path."""
    place = locate(text, path)
    start = _key_start(text, path, place) if isinstance(path[-1], str) else place.start
    return Splice(*_with_comma(text, start, place.end), "")


def insertion(text: str, parent: Path, key: str | int, value: str) -> Splice:
    """The splice of `insert`; no OPEN in the path. Raises as `insert`."""
    place = locate(text, parent)
    opener = text[place.start]
    empty = skip(text, place.start + 1) == place.end - 1
    if opener == "{" and isinstance(key, str):
        if any(name == key for name, _ in members(text, place.start)):
            raise BadInputError(f"{spell((*parent, key))} exists already", "", "Set it instead of adding it.")
        at = _before_closing(text, place)
        piece = f"{json.dumps(key)}:{_gap(text, place)}{value}"
        return Splice(at, at, piece if empty else f",{_gap(text, place)}{piece}")
    if opener == "[" and isinstance(key, int):
        if empty:
            return Splice(place.start + 1, place.start + 1, value)
        try:
            item = locate(text, (*parent, key))
        except NotFoundError:
            pass
        else:
            return Splice(item.start, item.start, f"{value},{_gap(text, place)}")
        at = _before_closing(text, place)
        return Splice(at, at, f",{_gap(text, place)}{value}")
    raise BadInputError(f"Nothing can be added at {spell(parent)}", f"It starts with {opener!r}.")


def respelt(literal: str, splices: Iterable[Splice]) -> str:
    """A string literal after splices in the text that it spells, one after another."""
    for splice in splices:
        start, end = raw_offsets(literal, (splice.start, splice.end))
        changed = json_text(splice.new, ascii_only=literal.isascii())[1:-1]
        literal = literal[:start] + changed + literal[end:]
    return literal


def _edit(text: str, path: Path, change: Callable[[str, Path], Splice]) -> Splice:
    inner, rest = _split(path)
    if rest is None:
        return change(text, inner)
    place = locate(text, inner)
    splice = _edit(_inner_text(_decode(text, place), inner), rest, change)
    return Splice(place.start, place.end, respelt(text[place.start : place.end], (splice,)))


def _split(path: Path) -> tuple[Path, Path | None]:
    for i, step in enumerate(path):
        if step is OPEN:
            return path[:i], path[i + 1 :]
    return path, None


def _inner_text(value: Any, path: Path) -> str:
    if not isinstance(value, str):
        raise NotFoundError(
            f"{spell(path)} is no text that could hold JSON", f"It is {type(value).__name__}."
        )
    return value


def _decode(text: str, place: Place) -> Any:
    return json.loads(text[place.start : place.end])


def _key_start(text: str, path: Path, place: Place) -> int:
    """Where the key of the member whose value stands at `place` begins."""
    inner = path[max((i + 1 for i, s in enumerate(path) if s is OPEN), default=0) :]
    at = skip(text, locate(text, inner[:-1]).start + 1)
    while True:
        _, value_at = key_at(text, at)
        if value_at == place.start:
            return at
        at = skip(text, end_of(text, value_at))
        at = skip(text, at + 1) if text[at] == "," else at


def _with_comma(text: str, start: int, end: int) -> tuple[int, int]:
    after = skip(text, end)
    if text[after] == ",":
        return start, skip(text, after + 1)
    before = start - 1
    while text[before] in " \t\n\r":
        before -= 1
    return (before if text[before] == "," else start), end


def _before_closing(text: str, place: Place) -> int:
    at = place.end - 1
    while text[at - 1] in " \t\n\r":
        at -= 1
    return at


def _gap(text: str, place: Place) -> str:
    """A blank where the neighbours write one (`", "` or `": "`), else nothing."""
    return " " if re.search(r"[:,] ", text[place.start : min(place.end, place.start + 200)]) else ""
