"""What changed between two JSON values, key order aside: changes to apply one by one (RFC 6902)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Op = Literal["add", "remove", "replace"]
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One change. `before` is None for add, `after` is None for remove."""

    path: Path
    op: Op
    before: Any = None
    after: Any = None


def diff(before: Any, after: Any, path: Path = ()) -> tuple[Change, ...]:
    """The changes that turn `before` into `after`, in an order in which they can be applied one by one.

    Lists are aligned by what they share at the beginning and the end; what is left is compared item by item.
    Numbers that are equal but of another type (1 and 1.0, 1 and true) differ, as they do in a saved state.
    """
    return tuple(_walk(before, after, path))


def json_patch(changes: Sequence[Change]) -> list[dict[str, Any]]:
    """The changes as a JSON Patch document (RFC 6902), with `test` guards left out."""
    out = []
    for change in changes:
        step: dict[str, Any] = {"op": change.op, "path": pointer(change.path)}
        if change.op != "remove":
            step["value"] = change.after
        out.append(step)
    return out


def pointer(path: Path) -> str:
    """A path as JSON Pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def dotted(path: Path) -> str:
    """A path for people: `variables.llm.text`, `edges[3]`; keys that would be misread are quoted."""
    out = ""
    for step in path:
        if isinstance(step, int):
            out += f"[{step}]"
        else:
            key = (
                step if step and not set(step) & set('.[]"\n\r\t ') else json.dumps(step, ensure_ascii=False)
            )
            out += f".{key}" if out else key
    return out


def _walk(before: Any, after: Any, path: Path) -> Iterator[Change]:
    if _is_object(before) and _is_object(after):
        for key in before:
            if key not in after:
                yield Change((*path, key), "remove", before[key])
        for key in after:
            if key not in before:
                yield Change((*path, key), "add", None, after[key])
            elif not same(before[key], after[key]):
                yield from _walk(before[key], after[key], (*path, key))
    elif _is_list(before) and _is_list(after):
        yield from _lists(before, after, path)
    elif not same(before, after):
        yield Change(path, "replace", before, after)


def _lists(before: Sequence[Any], after: Sequence[Any], path: Path) -> Iterator[Change]:
    head = 0
    while head < min(len(before), len(after)) and same(before[head], after[head]):
        head += 1
    tail = 0
    most = min(len(before), len(after)) - head
    while tail < most and same(before[-1 - tail], after[-1 - tail]):
        tail += 1
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    shared = min(len(old), len(new))
    for i in range(shared):
        yield from _walk(old[i], new[i], (*path, head + i))
    for i in reversed(range(shared, len(old))):
        yield Change((*path, head + i), "remove", old[i])
    for i in range(shared, len(new)):
        yield Change((*path, head + i), "add", None, new[i])


_PLAIN = frozenset({str, int, float, bool, type(None)})
"""Types that are neither objects nor lists: told from them at once, for there are a hundred thousand."""


def _is_list(value: Any) -> bool:
    kind = type(value)
    return kind is list or (
        kind not in _PLAIN and isinstance(value, Sequence) and not isinstance(value, bytes)
    )


def _is_object(value: Any) -> bool:
    kind = type(value)
    return kind is dict or (kind not in _PLAIN and isinstance(value, Mapping))


def same(a: Any, b: Any) -> bool:
    """Equality as saved text sees it: types count, key order does not, NaN equals itself."""
    if a is b:
        return True
    if type(a) in _PLAIN:
        return type(a) is type(b) and (a == b or (a != a and b != b))
    if _is_object(a) and _is_object(b):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if _is_list(a) and _is_list(b):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and (a == b or (a != a and b != b))
