"""A diff applied to the first value gives the second; equal things have none."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from workbench.core.diff import Change, diff, dotted, json_patch, pointer

LEAVES = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False) | st.text("ab/~.", max_size=3)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text("ab/~.", max_size=2), inner, max_size=4)
    ),
    max_leaves=16,
)


def apply(value: Any, changes: tuple[Change, ...]) -> Any:
    """A plain JSON Patch interpreter, written from RFC 6902."""
    value = copy.deepcopy(value)
    for step in json_patch(changes):
        parts = [p.replace("~1", "/").replace("~0", "~") for p in step["path"].split("/")[1:]]
        if not parts:
            value = step["value"]
            continue
        holder = value
        for part in parts[:-1]:
            holder = holder[int(part)] if isinstance(holder, list) else holder[part]
        key: Any = int(parts[-1]) if isinstance(holder, list) else parts[-1]
        if step["op"] == "remove":
            del holder[key]
        elif step["op"] == "add" and isinstance(holder, list):
            holder.insert(key, step["value"])
        else:
            assert step["op"] == "add" or (key in holder if isinstance(holder, dict) else key < len(holder))
            holder[key] = step["value"]
    return value


@given(VALUES, VALUES)
def test_the_patch_turns_the_first_into_the_second(before: Any, after: Any) -> None:
    made = apply(before, diff(before, after))
    assert json.dumps(made, sort_keys=True) == json.dumps(after, sort_keys=True)


@given(VALUES)
def test_equal_values_have_no_diff_whatever_the_key_order(value: Any) -> None:
    def turned(v: Any) -> Any:
        if isinstance(v, dict):
            return {k: turned(v[k]) for k in reversed(v)}
        return [turned(x) for x in v] if isinstance(v, list) else v

    assert diff(value, turned(value)) == ()


def test_types_count() -> None:
    assert [c.path for c in diff({"a": 1, "b": True}, {"a": 1.0, "b": 1})] == [("a",), ("b",)]


def test_an_insertion_in_a_list_is_one_change() -> None:
    assert diff([1, 2, 3], [1, 9, 2, 3]) == (Change((1,), "add", None, 9),)


def test_spellings() -> None:
    assert pointer(("a/b", 0, "~")) == "/a~1b/0/~0"
    assert dotted(("variables", "llm", "a.b", 3)) == 'variables.llm."a.b"[3]'
