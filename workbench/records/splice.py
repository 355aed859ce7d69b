"""Changing one value inside a JSON text without touching any other byte, nested JSON strings included.

A saved pause holds JSON inside JSON strings inside JSON (Dify: `WorkflowResumptionContext` ->
`serialized_graph_runtime_state` -> `graph_execution`). A place in it is a path of keys and indexes in which
`OPEN` stands for "this string is itself JSON: go on inside". Only the text of the value at the path is
replaced; white space, key order, number spellings and escapes everywhere else stay as they were written.

Finding a place costs one pass of the C scanner over what stands before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from workbench.errors import BadInputError, NotFoundError


class _Open:
    """The type of OPEN, so that it prints as itself."""

    def __repr__(self) -> str:
        return "OPEN"


OPEN: Final = _Open()
"""A path step: the string at this place holds JSON; what follows is a place in that JSON."""

Step = str | int | _Open
Path = tuple[Step, ...]

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\n\r]*")
_STRING_PART = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands: character offsets `start` (inclusive) to `end` (exclusive) in its own text."""

    start: int
    end: int


def locate(text: str, path: Path) -> Place:
    """Offsets of the value at `path`, which must not contain OPEN.

    Of duplicate keys the last counts, as for every JSON reader of Python.

    Raises:
        NotFoundError: there is no such place; names the longest part that exists.
        BadInputError: the text is not JSON on the way there.
    """
    start = _skip(text, 0)
    for depth, step in enumerate(path):
        found = _member(text, start, step)
        if found is None:
            shown = _spell(path[: depth + 1])
            raise NotFoundError(
                f"There is no {shown} in this state", f"{_spell(path[:depth])} has no {step!r}."
            )
        start = found
    return Place(start, _end(text, start))


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
    return _edit(text, path, lambda own, place: (place.start, place.end, value))


def remove(text: str, path: Path) -> str:
    """The text without the member or item at `path`, and without its comma. Raises as `locate`."""

    def cut(own: str, place: Place) -> tuple[int, int, str]:
        start = place.start
        if isinstance(_last(path), str):
            start = _key_start(own, path, place)
        return (*_with_comma(own, start, place.end), "")

    return _edit(text, path, cut)


def insert(text: str, parent: Path, key: str | int, value: str) -> str:
    """The text with a new member `key` (object) or item (list, `key` is its index) added at `parent`.

    `value` is JSON text. A new object member goes to the end, in the spelling of its neighbours' separators.

    Raises:
        BadInputError: the place is neither object nor list, or the key is there already.
    """

    def add(own: str, place: Place) -> tuple[int, int, str]:
        opener = own[place.start]
        empty = _skip(own, place.start + 1) == place.end - 1
        if opener == "{" and isinstance(key, str):
            if _member(own, place.start, key) is not None:
                raise BadInputError(
                    f"{_spell((*parent, key))} exists already", "", "Set it instead of adding it."
                )
            at = _before_closing(own, place)
            piece = f"{json.dumps(key)}:{_gap(own, place)}{value}"
            return at, at, piece if empty else f",{_gap(own, place)}{piece}"
        if opener == "[" and isinstance(key, int):
            if empty:
                return place.start + 1, place.start + 1, value
            item = _member(own, place.start, key)
            if item is not None:
                return item, item, f"{value},{_gap(own, place)}"
            at = _before_closing(own, place)
            return at, at, f",{_gap(own, place)}{value}"
        raise BadInputError(f"Nothing can be added at {_spell(parent)}", f"It starts with {opener!r}.")

    return _edit(text, parent, add)


def _edit(text: str, path: Path, change: Callable[[str, Place], tuple[int, int, str]]) -> str:
    inner, rest = _split(path)
    place = locate(text, inner)
    if rest is None:
        start, end, new = change(text, place)
        return text[:start] + new + text[end:]
    old = _inner_text(_decode(text, place), inner)
    new = _edit(old, rest, change)
    return text[: place.start] + _respell(text[place.start : place.end], old, new) + text[place.end :]


def _respell(raw: str, old: str, new: str) -> str:
    """A string literal for `new`, spelt as `raw` (the literal of `old`) where both agree."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    cuts = _raw_offsets(raw, (head, len(old) - tail))
    changed = json.dumps(new[head : len(new) - tail], ensure_ascii=raw.isascii())[1:-1]
    return raw[: cuts[0]] + changed + raw[cuts[1] :]


def _common(a: str, b: str) -> int:
    """Length of the common beginning, by halving (two slices compare at the speed of memory)."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _raw_offsets(raw: str, wanted: tuple[int, int]) -> tuple[int, int]:
    """Where the decoded characters `wanted` (ascending) of a string literal begin in its raw spelling."""
    out: list[int] = []
    decoded, at = 0, 1
    for part in _STRING_PART.finditer(raw):
        while len(out) < 2 and wanted[len(out)] <= decoded + part.start() - at:
            out.append(at + wanted[len(out)] - decoded)
        if len(out) == 2:
            break
        decoded += part.start() - at + 1
        at = part.end()
    while len(out) < 2:
        out.append(at + wanted[len(out)] - decoded)
    return out[0], out[1]


def _split(path: Path) -> tuple[Path, Path | None]:
    for i, step in enumerate(path):
        if step is OPEN:
            return path[:i], path[i + 1 :]
    return path, None


def _last(path: Path) -> Step:
    return path[-1]


def _inner_text(value: Any, path: Path) -> str:
    if not isinstance(value, str):
        raise NotFoundError(
            f"{_spell(path)} is no text that could hold JSON", f"It is {type(value).__name__}."
        )
    return value


def _decode(text: str, place: Place) -> Any:
    return _DECODER.raw_decode(text, place.start)[0]


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _end(text: str, start: int) -> int:
    try:
        return _DECODER.raw_decode(text, start)[1]
    except ValueError as error:
        raise BadInputError("This state is not valid JSON", str(error)) from error
    except RecursionError as error:
        raise BadInputError("This state is nested too deeply", "It can't be read.") from error


def _member(text: str, start: int, step: Step) -> int | None:
    """Where a member's value begins in the object or list that begins at `start`; None if not there."""
    if start >= len(text):
        raise BadInputError("This state is cut off", f"It ends at character {len(text)}.")
    if text[start] == "{" and isinstance(step, str):
        found = None
        for key, value_at in _members(text, start):
            if key == step:
                found = value_at
        return found
    if text[start] == "[" and isinstance(step, int):
        at = _skip(text, start + 1)
        index = 0
        while at < len(text) and text[at] != "]":
            if index == step:
                return at
            at = _skip(text, _end(text, at))
            if at < len(text) and text[at] == ",":
                at = _skip(text, at + 1)
            index += 1
    return None


def _members(text: str, start: int) -> list[tuple[str, int]]:
    """(key, where its value begins) of every member of the object at `start`, in order."""
    out = []
    at = _skip(text, start + 1)
    while at < len(text) and text[at] != "}":
        key, at = _key(text, at)
        out.append((key, at))
        at = _skip(text, _end(text, at))
        if at < len(text) and text[at] == ",":
            at = _skip(text, at + 1)
    return out


def _key(text: str, at: int) -> tuple[str, int]:
    """The key that begins at `at`, and where its value begins."""
    try:
        key, after = _DECODER.raw_decode(text, at)
    except ValueError as error:
        raise BadInputError("This state is not valid JSON", str(error)) from error
    after = _skip(text, after)
    if not isinstance(key, str) or text[after : after + 1] != ":":
        raise BadInputError("This state is not valid JSON", f"A key was expected at character {at}.")
    return key, _skip(text, after + 1)


def _key_start(text: str, path: Path, place: Place) -> int:
    """Where the key of the member whose value stands at `place` begins."""
    inner = path[max((i + 1 for i, s in enumerate(path) if s is OPEN), default=0) :]
    at = _skip(text, locate(text, inner[:-1]).start + 1)
    while True:
        _, value_at = _key(text, at)
        if value_at == place.start:
            return at
        at = _skip(text, _end(text, value_at))
        at = _skip(text, at + 1) if text[at] == "," else at


def _with_comma(text: str, start: int, end: int) -> tuple[int, int]:
    after = _skip(text, end)
    if text[after] == ",":
        return start, _skip(text, after + 1)
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


def _spell(path: Path) -> str:
    return ".".join("(opened)" if step is OPEN else str(step) for step in path) or "the state"
