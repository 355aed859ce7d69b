"""Paths as users write them: `a.b[3]["a key.with dots"]`; the inverse of `core.diff.dotted`."""

from __future__ import annotations

import json
import re
from typing import Any

from workbench.errors import UsageError
from workbench.records.json_places import OPEN, Path, Step
from workbench.records.opened import Opened

_PART = re.compile(r'\.?(?:([^.\[\]"]+)|"((?:[^"\\]|\\.)*)")|\[(\d{1,9})\]|\["((?:[^"\\]|\\.)*)"\]')


def parse(text: str) -> tuple[str | int, ...]:
    """The steps of a path.

    Raises:
        UsageError: it can't be read.
    """
    steps: list[str | int] = []
    at = 0
    while at < len(text):
        found = _PART.match(text, at)
        if found is None or (at and text[at] not in ".["):
            raise UsageError(
                f"{text!r} is no path.",
                f"It can't be read from {text[at:]!r} on.",
                'A path is written like a.b[0]["a key"].c',
            )
        plain, quoted, index, key = found.groups()
        if index is not None:
            steps.append(int(index))
        else:
            spelt = quoted if quoted is not None else key
            steps.append(plain if spelt is None else _unquoted(spelt))
        at = found.end()
    return tuple(steps)


def _unquoted(spelt: str) -> str:
    try:
        value: str = json.loads(f'"{spelt}"')
    except ValueError as error:
        raise UsageError(f"{spelt!r} is no key.", str(error), 'Quotes in it are written as \\".') from error
    return value


def opening(opened: Opened, base: Path, steps: tuple[str | int, ...]) -> Path:
    """The path of a place below `base`; texts that hold JSON are opened on the way."""
    path: list[Step] = list(base)
    for step in steps:
        here = tuple(path)
        if opened.has(here):
            value: Any = opened.get(here)
            if isinstance(value, str) and value[:1] in ("{", "[") and opened.has((*here, OPEN)):
                path.append(OPEN)
        path.append(step)
    return tuple(path)
