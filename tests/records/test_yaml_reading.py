"""YAML from strangers: the same values as `yaml.safe_load`, no bombs, messages with places."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import BadInputError, WorkbenchError
from workbench.records.yaml_reading import MAX_VALUES, path_text, read_yaml

PLAIN = [
    "1", "0x1F", "0o17", "017", "1_000", "1:30", "-3", "+4", "1.5", "1e3", ".inf", "-.INF", ".5", "1.",
    "true", "False", "yes", "No", "on", "OFF", "y", "n", "null", "~", "Null", "", "abc", "'1'", "a b: c",
    '"a\\n\\u4e2d"',
    "[1, a, [b]]", "{a: 1, b: [x]}", "- a\n- b: c\n  d: e", "a:\n  b: |\n    x\n    y\n  c: >-\n    z\n    w",
    "a: &x {k: v}\nb: *x\nc:\n  <<: *x\n  m: 1", "!!str 12", "!!int '12'", "? a\n: b", "a: b # c", "# only",
    "a: 'it''s'", "0b101", "1.5e+3", "- - - x", "[]", "{}", "a: !!null ''",
]  # fmt: skip


@pytest.mark.parametrize("text", PLAIN)
def test_reads_what_safe_load_reads(text: str) -> None:
    expected: Any = yaml.safe_load(text)
    if text == "":
        with pytest.raises(BadInputError, match="is empty"):
            read_yaml(text, "x")
        return
    assert read_yaml(text, "x").value == expected


def test_nan_is_read() -> None:
    assert math.isnan(read_yaml("a: .nan", "x").value["a"])


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None)
@given(VALUES)
def test_reads_what_pyyaml_wrote(value: Any) -> None:
    text = yaml.safe_dump(value, allow_unicode=True)
    assert read_yaml(text, "x").value == yaml.safe_load(text)


def test_crlf_bom_and_chinese_names() -> None:
    text = "app:\r\n  name: 中文应用 🤖\r\n  text: |\r\n    一\r\n    二\r\n"
    for data in (text.encode(), text.encode("utf-8-sig"), text.encode("utf-16"), text):
        assert read_yaml(data, "x").value == {"app": {"name": "中文应用 🤖", "text": "一\n二\n"}}


def test_three_differences_to_safe_load() -> None:
    text = "day: 2024-01-31\nsign: =\n1: one\ntrue: two\nnull: three\n"
    assert read_yaml(text, "x").value == {
        "day": "2024-01-31", "sign": "=", "1": "one", "true": "two", "null": "three",
    }  # fmt: skip


def test_long_plain_numbers_are_text() -> None:
    sexagesimal = "1" + ":59" * 100_000
    assert read_yaml(f"a: {sexagesimal}", "x").value == {"a": sexagesimal}
    assert read_yaml("a: " + "7" * 5000, "x").value == {"a": "7" * 5000}


def test_tells_lines_and_repeated_keys() -> None:
    text = "a:\n  b: 1\n  c:\n    - x\n    - y: 2\n  b: 3\n"
    document = read_yaml(text, "x", lines=True)
    assert document.value == {"a": {"b": 3, "c": ["x", {"y": 2}]}}
    assert document.repeated == ((("a", "b"), 6),)
    lines = {path_text(path): line for path, line in document.lines.items()}
    assert lines == {"the top": 1, "a": 2, "a.b": 6, "a.c": 4, "a.c[0]": 4, "a.c[1]": 5, "a.c[1].y": 5}


def test_merge_keys_follow_the_yaml_rules() -> None:
    text = "base: &b {x: 1, y: 2}\nmore: &m {y: 3, z: 4}\nboth:\n  <<: [*b, *m]\n  z: 5\n"
    assert read_yaml(text, "x").value["both"] == yaml.safe_load(text)["both"] == {"x": 1, "y": 2, "z": 5}


def laughs() -> str:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    for before, letter in zip("abcdefghi", "bcdefghij", strict=True):
        lines.append(f"{letter}: &{letter} [{', '.join(['*' + before] * 10)}]")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "title", "cause"),
    [
        (laughs(), "x holds too many values", f"{MAX_VALUES:,}"),
        (f"a: &a {'x' * 1_000_000}\nb: [{'*a, ' * 99}]", "x expands to too much text", "aliases"),
        ("a: &a [*a]", "x can't be read as plain data", "line 1, column 8: the alias *a holds itself"),
        ("a: *nobody", "x can't be read as plain data", "has no anchor"),
        ("[" * 100_000, "x is nested too deeply", "201"),
        ("- " * 100_000 + "x", "x is nested too deeply", "201"),
        ("{a: " * 100_000, "x is nested too deeply", "201"),
        ("[" + "a, " * 1_000_000 + "]", "x holds too many values", "at most"),
        ("a: !!python/object/apply:os.system ['ls']", "x can't be read as plain data", "line 1, column 4"),
        ("a: !secret x", "x can't be read as plain data", "the tag !secret"),
        ("? [a, b]\n: c", "x can't be read as plain data", "where a key is needed"),
        ("a: 1\n---\nb: 2", "x can't be read as plain data", "line 2, column 1: a second document"),
        ("a:\n\tb: 1", "x is not valid YAML", "line 2, column 1: a tab stands"),
        ("a: b: c", "x is not valid YAML", "line 1, column 5: mapping values are not allowed"),
        ("a: %x", "x is not valid YAML", "cannot start any token"),
        ("a: [1, 2\nb: 3", "x is not valid YAML", "line 2, column 2"),
        ("a: [1, 2", "x is cut off", "line 2, column 1"),
        ("a:\n  b: 'never closed", "x is cut off", "line 2"),
        ("a:\n  - b: 1\n    mod", "x is cut off", "could not find expected ':'"),
        ("a: \x07", "x is not valid YAML", "line 1: the control character 0x0007"),
        ("a:\n  <<: 3", "x is not valid YAML", "At a: what `<<` merges is no mapping"),
        ("a: !!int twelve", "x is not valid YAML", "twelve"),
        (" \n ", "x is empty", "no text"),
    ],
)  # fmt: skip
def test_says_what_is_wrong(text: str, title: str, cause: str) -> None:
    with pytest.raises(BadInputError) as caught:
        read_yaml(text, "x")
    assert caught.value.title == title
    assert cause in caught.value.cause
    assert caught.value.next_step
    assert len(str(caught.value)) < 600


@settings(deadline=None)
@given(st.text(alphabet="ab:-?[]{}&*!|>'\"%@`, \n\t#1.=<~", max_size=60))
def test_any_text_gives_safe_loads_value_or_a_message(text: str) -> None:
    try:
        value = read_yaml(text, "x").value
    except WorkbenchError:
        return
    try:
        expected = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return  # `=` and the like: we are more lenient
    if "=" not in text:
        assert as_json(value) == as_json(expected)


def as_json(value: Any) -> Any:
    """Keys as JSON has them, NaN comparable."""
    if isinstance(value, dict):
        return {json.loads(json.dumps({key: 0})).popitem()[0]: as_json(part) for key, part in value.items()}
    if isinstance(value, list):
        return [as_json(part) for part in value]
    return "nan" if isinstance(value, float) and value != value else value
