"""Changes in an opened text: the same as plain changes, and no other byte moves."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import BadInputError, NotFoundError
from workbench.records.opened import Opened, open_text
from workbench.records.splice import OPEN, Path

LEAVES = st.none() | st.booleans() | st.integers() | st.text('a1é"\\\\ 😀\ud800\n', max_size=6)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text('ab"é', max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def places(value: Any, at: Path = ()) -> list[Path]:
    """Every place below the top, strings that hold JSON opened."""
    found: list[Path] = [at] if at else []
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    elif isinstance(value, str) and value[:1] in "{[" and value:
        found += places(json.loads(value), (*at, OPEN))
    for key, item in items:
        found += places(item, (*at, key))
    return [place for place in found if place[-1] is not OPEN]


def plainly(value: Any, path: Path, verb: str, new: Any) -> Any:
    """The change on a copy of the decoded value."""
    step: Any = path[0]
    if step is OPEN:
        return json.dumps(plainly(json.loads(value), path[1:], verb, new))
    value = copy.copy(value)
    if len(path) > 1:
        value[step] = plainly(value[step], path[1:], verb, new)
    elif verb == "remove":
        del value[step]
    elif verb == "add" and isinstance(value, list):
        value.insert(step, new)
    else:
        value[step] = new
    return value


def unnested(value: Any) -> Any:
    """With nested JSON decoded: its spelling does not count."""
    if isinstance(value, str) and value[:1] in "{[" and value:
        try:
            return ["nested", unnested(json.loads(value))]
        except ValueError:
            return value
    if isinstance(value, dict):
        return {key: unnested(item) for key, item in value.items()}
    return [unnested(item) for item in value] if isinstance(value, list) else value


@given(st.dictionaries(st.text('ab"é', max_size=3), VALUES, max_size=3), VALUES, st.data(), st.booleans())
def test_changes_are_the_plain_ones(
    inner: dict[str, Any], other: Any, data: st.DataObject, blanks: bool
) -> None:
    separators = None if blanks else (",", ":")
    deep = json.dumps({"deep": other}, separators=separators)
    middle = json.dumps({**inner, "list": [deep, 1], "twice": deep}, separators=separators)
    plain: Any = {"before": 1, "state": middle, "after": [1, 2]}
    opened = open_text(json.dumps(plain, ensure_ascii=data.draw(st.booleans())))
    for _ in range(data.draw(st.integers(1, 4))):
        choices = places(plain)
        if not choices:
            break
        path = data.draw(st.sampled_from(choices))
        verb = data.draw(st.sampled_from(["set", "add", "remove"]))
        new = data.draw(VALUES)
        if verb == "add" and isinstance(path[-1], str):
            path = (*path[:-1], "new")
            if opened.has(path):
                continue
        plain = plainly(plain, path, verb, new)
        opened = getattr(opened, verb)(path, *([] if verb == "remove" else [new]))
        assert opened.has(path[:-1]) or path[-2:-1] == (OPEN,)
    assert unnested(json.loads(opened.text())) == unnested(plain)
    assert unnested(json.loads(open_text(opened.text()).text())) == unnested(plain)


def test_only_the_changed_bytes_change() -> None:
    execution = '{"paused" :true,  "note":"\\u00e9\\/"}'
    state = f'{{"graph_execution": {json.dumps(execution)}, "n": 1.50e+02}}'
    text = json.dumps({"version": "1", "state": state, "z": "é"}, ensure_ascii=False)
    opened = open_text(text)
    assert opened.text() is text
    changed = opened.set(("state", OPEN, "graph_execution", OPEN, "paused"), False)
    assert changed.text() == text.replace(":true,", ":false,")
    assert changed.get(("state", OPEN, "graph_execution", OPEN, "paused")) is False
    assert opened.text() is text
    assert changed.set(("state", OPEN, "graph_execution", OPEN, "paused"), True).text() == text


def test_changes_at_several_depths_come_together() -> None:
    inner = json.dumps({"a": 1, "b": json.dumps({"c": 1})})
    opened = open_text(json.dumps({"s": inner, "t": 1}))
    changed = opened.set(("s", OPEN, "b", OPEN, "c"), 2).set(("t",), 3).set(("s", OPEN, "a"), "long enough")
    assert json.loads(changed.text())["t"] == 3
    found = json.loads(json.loads(changed.text())["s"])
    assert found["a"] == "long enough"
    assert json.loads(found["b"]) == {"c": 2}
    replaced = changed.set(("s",), "{}")
    assert json.loads(replaced.text()) == {"s": "{}", "t": 3}


def test_a_key_that_stands_twice_goes_away_whole() -> None:
    assert json.loads(open_text('{"a": 1, "b": 2, "a": 3}').remove(("a",)).text()) == {"b": 2}


@pytest.mark.parametrize("path", [("x",), ("a", "b"), ("a", 0), ("s", OPEN, "y")])
def test_a_place_that_is_not_there(path: Path) -> None:
    opened: Opened = open_text('{"a": 1, "s": "{}"}')
    assert not opened.has(path)
    with pytest.raises(NotFoundError):
        opened.set(path, 1)


def test_a_nested_text_that_is_no_json() -> None:
    with pytest.raises(BadInputError):
        open_text('{"s": "no json"}').get(("s", OPEN, "a"))
