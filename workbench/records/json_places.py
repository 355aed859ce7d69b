"""Where a value stands in a JSON text, found in one pass of the C scanner."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

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
    place, depth, _ = _find(text, skip(text, 0), path, 0)
    if place is None:
        shown = spell(path[: depth + 1])
        raise NotFoundError(
            f"There is no {shown} in this state", f"{spell(path[:depth])} has no {path[depth]!r}."
        )
    return place


def skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def end_of(text: str, start: int) -> int:
    try:
        return _DECODER.raw_decode(text, start)[1]
    except ValueError as error:
        raise BadInputError("This state is not valid JSON", str(error)) from error
    except RecursionError as error:
        raise BadInputError("This state is nested too deeply", "It can't be read.") from error


def _find(text: str, start: int, path: Path, depth: int) -> tuple[Place | None, int, int]:
    """The value at `path[depth:]` below the value that begins at `start`, in one pass.

    Returns its place (None when it is not there), the depth that was reached, and where the value at `start`
    ends.
    """
    if depth == len(path):
        end = end_of(text, start)
        return Place(start, end), depth, end
    if start >= len(text):
        raise BadInputError("This state is cut off", f"It ends at character {len(text)}.")
    step = path[depth]
    if text[start] == "{" and isinstance(step, str):
        return _find_in_object(text, start, path, depth)
    if text[start] == "[" and isinstance(step, int):
        return _find_in_list(text, start, path, depth)
    return None, depth, end_of(text, start)


def _find_in_object(text: str, start: int, path: Path, depth: int) -> tuple[Place | None, int, int]:
    found: Place | None = None
    reached = depth
    at = skip(text, start + 1)
    while at < len(text) and text[at] != "}":
        key, at = key_at(text, at)
        if key == path[depth]:  # of duplicates the last counts
            found, reached, at = _find(text, at, path, depth + 1)
        else:
            at = end_of(text, at)
        at = _after_comma(text, at, "}")
    return found, reached, at + 1


def _find_in_list(text: str, start: int, path: Path, depth: int) -> tuple[Place | None, int, int]:
    found: Place | None = None
    reached = depth
    at = skip(text, start + 1)
    index = 0
    while at < len(text) and text[at] != "]":
        if index == path[depth]:
            found, reached, at = _find(text, at, path, depth + 1)
        else:
            at = end_of(text, at)
        at = _after_comma(text, at, "]")
        index += 1
    return found, reached, at + 1


def _after_comma(text: str, at: int, closing: str) -> int:
    """Where the next member or item begins, or the closing bracket stands."""
    at = skip(text, at)
    if at >= len(text):
        raise BadInputError("This state is cut off", f"It ends at character {len(text)}.")
    if text[at] == ",":
        return skip(text, at + 1)
    if text[at] != closing:
        raise BadInputError("This state is not valid JSON", f"A comma was expected at character {at}.")
    return at


def members(text: str, start: int) -> list[tuple[str, int]]:
    """(key, where its value begins) of every member of the object at `start`, in order."""
    out = []
    at = skip(text, start + 1)
    while at < len(text) and text[at] != "}":
        key, at = key_at(text, at)
        out.append((key, at))
        at = skip(text, end_of(text, at))
        if at < len(text) and text[at] == ",":
            at = skip(text, at + 1)
    return out


def key_at(text: str, at: int) -> tuple[str, int]:
    """The key that begins at `at`, and where its value begins."""
    try:
        key, after = _DECODER.raw_decode(text, at)
    except ValueError as error:
        raise BadInputError("This state is not valid JSON", str(error)) from error
    after = skip(text, after)
    if not isinstance(key, str) or text[after : after + 1] != ":":
        raise BadInputError("This state is not valid JSON", f"A key was expected at character {at}.")
    return key, skip(text, after + 1)


def spell(path: Path) -> str:
    return ".".join("(opened)" if step is OPEN else str(step) for step in path) or "the state"
