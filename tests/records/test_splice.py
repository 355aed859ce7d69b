"""Splices change one value and no other byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import BadInputError, NotFoundError
from workbench.records import json_literal
from workbench.records.splice import OPEN, Path, insert, json_text, locate, read, remove, replace

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def paths(value: Any, at: Path = ()) -> list[Path]:
    """Every place in a decoded value."""
    out = [at]
    if isinstance(value, dict):
        for key, item in value.items():
            out += paths(item, (*at, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            out += paths(item, (*at, index))
    return out


def put(value: Any, path: Path, new: Any) -> Any:
    """A copy with the value at `path` replaced."""
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = put(value[path[0]], path[1:], new)
    return copy


@given(VALUES, st.data(), LEAVES, st.booleans(), st.sampled_from([None, 1]))
def test_replace_changes_the_value_and_nothing_around_it(
    value: Any, data: st.DataObject, new: Any, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    path = data.draw(st.sampled_from(paths(value)))
    place = locate(text, path)
    after = replace(text, path, json.dumps(new))
    assert json.loads(after) == put(value, path, new)
    assert after[: place.start] == text[: place.start]
    assert after.endswith(text[place.end :])
    assert replace(after, path, text[place.start : place.end]) == text


@given(VALUES, st.data(), LEAVES, st.booleans(), st.booleans())
def test_replace_inside_json_in_a_string_keeps_the_spelling_around_it(
    value: Any, data: st.DataObject, new: Any, inner_ascii: bool, outer_ascii: bool
) -> None:
    inner = json.dumps(value, ensure_ascii=inner_ascii)
    text = json.dumps({"before": "é", "state": inner, "after": [1]}, ensure_ascii=outer_ascii)
    path = data.draw(st.sampled_from(paths(value)))
    after = replace(text, ("state", OPEN, *path), json.dumps(new))
    assert read(after, ("state", OPEN)) == put(value, path, new)
    assert json.loads(after)["before"] == "é"
    back = json.dumps(read(text, ("state", OPEN, *path)), ensure_ascii=inner_ascii)
    assert json.loads(json.loads(replace(after, ("state", OPEN, *path), back))["state"]) == value


@given(VALUES, st.data())
def test_remove_then_parse_is_the_value_without_the_member(value: Any, data: st.DataObject) -> None:
    places = [p for p in paths(value) if p]
    if not places:
        return
    path = data.draw(st.sampled_from(places))
    left = json.loads(json.dumps(value))
    holder = left
    for step in path[:-1]:
        holder = holder[step]
    del holder[path[-1]]
    assert json.loads(remove(json.dumps(value), path)) == left


@given(st.dictionaries(st.text(max_size=4), LEAVES, max_size=4), st.text(max_size=4), LEAVES)
def test_insert_adds_a_member_at_the_end(value: dict[str, Any], key: str, new: Any) -> None:
    text = json.dumps(value)
    if key in value:
        with pytest.raises(BadInputError):
            insert(text, (), key, json.dumps(new))
        return
    assert list(json.loads(insert(text, (), key, json.dumps(new))).items()) == [*value.items(), (key, new)]


@given(st.lists(LEAVES, max_size=4), st.integers(0, 6), LEAVES)
def test_insert_adds_an_item_before_its_index(value: list[Any], index: int, new: Any) -> None:
    expected = list(value)
    expected.insert(index, new)
    assert json.loads(insert(json.dumps(value), (), index, json.dumps(new))) == expected


def test_odd_spellings_stay_as_they_were_written() -> None:
    text = '{ "a" : 1.50e+02 ,"b":"\\u00e9\\/\\ud83d\\ude00",  "c":12345678901234567890123, "d": "\\ud800" }'
    assert replace(text, ("c",), "7") == text.replace("12345678901234567890123", "7")
    outer = json.dumps({"s": text})
    assert json.loads(replace(outer, ("s", OPEN, "a"), "9"))["s"] == text.replace("1.50e+02", "9")


@given(
    st.lists(
        st.sampled_from(
            ["a", "\\n", "\\\\", '\\"', "\\u00e9", "\\ud83d\\ude00", "\\ud800", "\\udc00", "ud83d", "é", "😀"]
        ),
        max_size=40,
    ),
    st.data(),
    st.integers(13, 30),
)
def test_a_place_in_a_long_literal_is_found_piece_by_piece(
    parts: list[str], data: st.DataObject, piece: int
) -> None:
    literal = f'"{"".join(parts)}"'
    decoded = json.loads(literal)
    start = data.draw(st.integers(0, len(decoded)))
    end = data.draw(st.integers(start, len(decoded)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_literal, "_PIECE", piece)
        assert json_literal.raw_offsets(literal, (start, end)) == _slowly(literal, (start, end))


def _slowly(literal: str, wanted: tuple[int, int]) -> tuple[int, int]:
    """The same, escape by escape."""
    places, at = [], 1
    while at < len(literal) - 1:
        places.append(at)
        found = json_literal._ESCAPE.match(literal, at)
        at = found.end() if found else at + 1
    places.append(len(literal) - 1)
    return places[wanted[0]], places[wanted[1]]


def test_what_no_encoding_can_write_is_escaped() -> None:
    text = json.dumps({"s": json.dumps({"a": "é"}, ensure_ascii=False)}, ensure_ascii=False)
    changed = replace(text, ("s", OPEN, "a"), json_text("\ud800é", ascii_only=False))
    assert json.loads(json.loads(changed.encode().decode())["s"]) == {"a": "\ud800é"}


def test_of_duplicate_keys_the_last_is_changed() -> None:
    assert replace('{"a": 1, "a": 2}', ("a",), "3") == '{"a": 1, "a": 3}'
    assert replace('{"a": {"b": 1}, "a": {"b": 2}}', ("a", "b"), "3") == '{"a": {"b": 1}, "a": {"b": 3}}'
    with pytest.raises(NotFoundError):
        replace('{"a": {"b": 1}, "a": {}}', ("a", "b"), "3")


def test_a_place_that_is_not_there_is_named() -> None:
    with pytest.raises(NotFoundError, match=r"There is no a\.x"):
        locate('{"a": {"b": 1}}', ("a", "x"))
    with pytest.raises(NotFoundError, match="no text"):
        read('{"a": 1}', ("a", OPEN, "b"))


@pytest.mark.parametrize("text", ['{"a": ', '{"a" 1}', "[1, ", "", '{"a": 1'])
def test_broken_text_is_an_error_not_a_crash(text: str) -> None:
    with pytest.raises((BadInputError, NotFoundError)):
        locate(text, ("b", "c"))
