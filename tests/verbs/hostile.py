"""Apps and saved pauses with wrong things in the right places: made from the fixtures, nested JSON too."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

Path = tuple[str | int, ...]

GONE: Any = ...
WRONG: tuple[Any, ...] = (
    None, True, 0, -1, 10**400, 1e308, float("nan"), float("inf"), "", "\ud800", "\x1b[31mred\x00",
    "[bold]x[/bold]", "<script>", "a" * 5000, [], {}, [[]], [None], {"": None}, {"a": {"b": [1]}}, ["x"] * 50,
    "edge_99999", "edge_-1", "edge_0", "{not json", "{}", "[]", "null", "1.0", "2.0", "3.0", GONE,
)  # fmt: skip
_INSIDE = "JSON inside"


def damaged_state(text: str, draw: Random) -> bytes:
    """A saved pause with one to three things wrong, also inside the JSON texts that it holds."""
    value = _opened(json.loads(text))
    for _ in range(draw.randint(1, 3)):
        damage(value, draw)
    return _bytes(_closed(value))


def damaged_app(document: Any, draw: Random) -> bytes:
    """An app with one to four things wrong in its graph."""
    value = copy.deepcopy(document)
    for _ in range(draw.randint(1, 4)):
        flow = value.get("workflow")
        graph = flow.get("graph") if isinstance(flow, dict) else None
        damage(graph if isinstance(graph, dict | list) else value, draw)
    return _bytes(value)


def damage(value: Any, draw: Random) -> None:
    """Put something wrong somewhere in it, or take something away."""
    found = [path for path in _paths(value) if path]
    if not found:
        return
    *above, last = draw.choice(found)
    for key in above:
        value = value[key]
    wrong = copy.deepcopy(draw.choice(WRONG))
    if wrong is GONE:
        del value[last]
    else:
        value[last] = wrong


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from _paths(each, (*path, key))


def _opened(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return {_INSIDE: _opened(json.loads(value))}
        except ValueError:
            return value
    if isinstance(value, dict):
        return {key: _opened(each) for key, each in value.items()}
    return [_opened(each) for each in value] if isinstance(value, list) else value


def _closed(value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {_INSIDE}:
            return json.dumps(_closed(value[_INSIDE]))
        return {key: _closed(each) for key, each in value.items()}
    return [_closed(each) for each in value] if isinstance(value, list) else value


def _bytes(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")
