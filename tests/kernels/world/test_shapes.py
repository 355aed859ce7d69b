"""Made-up values: of Dify's types, of JSON schemas, of the kinds of text that readers need."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.world.pure import load

shapes = load("shapes")
schemas = load("schemas")
text = load("text")


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        ("string", lambda v: isinstance(v, str) and v),
        ("number", lambda v: v == 1),
        ("boolean", lambda v: v is True),
        ("bool", lambda v: v is True),
        ("object", lambda v: isinstance(v, dict) and v),
        ("array[string]", lambda v: len(v) == 2 and all(isinstance(i, str) for i in v)),
        ("array[number]", lambda v: v == [1, 2]),
        ("array[object]", lambda v: all(isinstance(i, dict) for i in v)),
        ("array[boolean]", lambda v: v == [True, False]),
        ("array[file]", lambda v: v == []),
        ("array", lambda v: isinstance(v, list)),
        ("secret", lambda v: isinstance(v, str)),
        ("url", lambda v: v.startswith("https://example.com/")),
        ("array[url]", lambda v: all(u.startswith("https://") for u in v)),
        ("json", lambda v: isinstance(json.loads(v), dict)),
        ("Array[Number]", lambda v: v == [1, 2]),
    ],
)
def test_types(kind: str, check: Any) -> None:
    assert check(shapes.of_type(kind, "name"))


def test_children_of_objects_nest() -> None:
    children = {
        "a": {"type": "number"},
        "b": {"type": "object", "children": {"c": {"type": "array[string]"}}},
    }
    assert shapes.of_type("object", "o", children) == {"a": 1, "b": {"c": ["scripted c 1", "scripted c 2"]}}
    assert [set(item) for item in shapes.of_type("array[object]", "o", children)] == [{"a", "b"}] * 2


def test_a_type_that_holds_itself_ends() -> None:
    children: dict = {}
    children["again"] = {"type": "object", "children": children}
    assert json.dumps(shapes.of_type("object", "o", children))


SCHEMAS: list[tuple[Any, Any]] = [
    ({"enum": ["b", "a"]}, "b"),
    ({"const": 7}, 7),
    ({"type": "string", "default": "d"}, "d"),
    ({"type": ["null", "integer"]}, 1),
    ({"type": "integer", "minimum": 5}, 5),
    ({"type": "integer", "exclusiveMinimum": 5}, 6),
    ({"type": "number", "maximum": -2}, -2),
    ({"type": "number", "multipleOf": 0.5, "minimum": 0.7}, 1.0),
    ({"type": "string", "format": "email"}, "someone@example.com"),
    ({"type": "string", "pattern": "^[A-Z]{2}-\\d{4}$"}, "AA-1111"),
    ({"type": "string", "maxLength": 3}, "scr"),
    ({"anyOf": [{"type": "null"}, {"type": "boolean"}]}, True),
    ({"properties": {"a": {"type": "integer"}}}, {"a": 1}),
    ({"type": "array", "items": {"type": "integer"}, "maxItems": 1}, [1]),
    ({"$ref": "#/$defs/x", "$defs": {"x": {"const": 1}}}, 1),
    ({"allOf": [{"properties": {"a": {"const": 1}}}, {"properties": {"b": {"const": 2}}}]}, {"a": 1, "b": 2}),
    ({"required": ["k"], "type": "object"}, {"k": "scripted k"}),
    ("no schema", "scripted value"),
    ({}, "scripted value"),
]


@pytest.mark.parametrize(("schema", "value"), SCHEMAS)
def test_schemas(schema: Any, value: Any) -> None:
    assert schemas.of_schema(schema) == value


def test_recursive_schemas_end() -> None:
    tree = {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#"}}, "name": {"type": "string"}},
        "required": ["name"],
    }
    assert len(json.dumps(schemas.of_schema(tree))) < 100_000
    assert schemas.of_schema({"$ref": "#"}) is None


def test_huge_shapes_are_cut_off() -> None:
    children: dict = {}
    children |= {f"k{i}": {"type": "array[object]", "children": children} for i in range(20)}
    assert len(json.dumps(shapes.of_type("array[object]", "o", children))) < 1_000_000
    wide = {
        "type": "object",
        "properties": {f"k{i}": {"type": "array", "items": {"$ref": "#"}} for i in range(20)},
    }
    assert len(json.dumps(schemas.of_schema(wide))) < 1_000_000
    long = {"type": "array", "minItems": 10**9, "items": {"type": "array", "minItems": 10**9, "items": {}}}
    assert len(json.dumps(schemas.of_schema(long))) < 1_000_000


@given(st.text(max_size=2000))
def test_cut_text_is_the_text(given_text: str) -> None:
    pieces = text.cut(given_text)
    assert "".join(pieces) == given_text
    assert 1 <= len(pieces) <= text.MOST_CHUNKS
    assert pieces == text.cut(given_text)


def test_cutting_keeps_words_and_divides_long_runs() -> None:
    assert text.cut("one two three") == ["one ", "two ", "three"]
    assert text.cut("") == [""]
    assert len(text.cut("字" * 100)) > 1


@given(st.text(max_size=200), st.text(max_size=200))
def test_tokens_grow_with_the_text(one: str, other: str) -> None:
    assert text.estimate_tokens(f"{one} {other}") >= max(map(text.estimate_tokens, (one, other)))


def test_tokens_are_plausible() -> None:
    assert text.estimate_tokens("Hello, world!") == 6
    assert text.estimate_tokens("你好世界") == 4
    assert text.estimate_tokens("") == 0
