"""Templates within bounds, schemas that are fitted, texts that are parsed: in an engine kernel's
interpreter."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.kernels.host.driver import interpreter

pytestmark = pytest.mark.kernel

Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module", params=["0.8", "0.5"])
def ask(request: pytest.FixtureRequest) -> Iterator[Ask]:
    command = [str(interpreter(request.param)), str(Path(__file__).with_name("inside.py"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        ways_in, ways_out = process.stdin, process.stdout

        def asked(do: str, **more: Any) -> dict[str, Any]:
            ways_in.write(json.dumps({"do": do, **more}) + "\n")
            ways_in.flush()
            return json.loads(ways_out.readline())

        yield asked
        ways_in.close()


@pytest.mark.parametrize(
    ("template", "rendered"),
    [
        ("{{ a }}-{{ missing }}-{{ missing is defined }}", "1--False"),
        ("{% for i in range(3) %}{{ i }}{% endfor %}", "012"),
        ("{{ items|join(',') }}|{{ items|tojson }}", 'x,y|["x", "y"]'),
        ("{{ '%05.1f'|format(a) }}{{ 'ab'|center(4) }}", "001.0 ab "),
        ("{{ 'ab' * 3 }}{{ 2 ** 10 }}{{ '%s' % a }}", "ababab10241"),
        ("{% set x = namespace(n=0) %}{% for i in items %}{% set x.n = x.n + 1 %}{% endfor %}{{ x.n }}", "2"),
        ("{{ items|map('upper')|list }}", "['X', 'Y']"),
        ("line\n", "line"),
        ("", ""),
    ],
)
def test_templates_render_as_in_dify(ask: Ask, template: str, rendered: str) -> None:
    answer = ask("template", template=template, variables={"a": 1, "items": ["x", "y"]})
    assert answer == {"result": rendered}


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("{% for i in x %}", "line 1 of the template"),
        ("{{ 1 / 0 }}", "division by zero"),
        ("{{ missing.deeper }}", "'missing' is undefined"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ self.__init__.__globals__ }}", "unsafe"),
        ("{{ 'x' * 10 ** 10 }}", "product"),
        ("{{ [1] * 10 ** 9 }}", "product"),
        ("{{ 9 ** 999999 }}", "power"),
        ("{{ (9 ** 20000) * (9 ** 20000) }}", "product"),
        (
            "{% set x = namespace(s='x') %}{% for i in range(60) %}{% set x.s = x.s ~ x.s %}{% endfor %}",
            "too much",
        ),
        ("{{ ('a' * 10 ** 6).replace('a', 'b' * 10 ** 6) }}", "too much"),
        ("{{ 'x'|center(10 ** 9) }}", "width"),
        ("{{ 'x'.ljust(10 ** 9) }}", "width"),
        ("{{ '%1000000000d'|format(1) }}", "width"),
        ("{{ '%1000000000d' % 1 }}", "width"),
        (
            "{% for i in range(99999) %}{% for j in range(99999) %}xxxxxxxxxx{% endfor %}{% endfor %}",
            "longer than",
        ),
        ("{{ '{:>1000000000}'.format(1) }}", "width"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "too much"),
        ("{{ range(10 ** 9)|list }}", "Range too big"),
    ],
)
def test_templates_stay_within_bounds(ask: Ask, template: str, told: str) -> None:
    answer = ask("template", template=template)
    assert "error" in answer, answer
    assert told in answer["error"]


SILENT_LOOP = "{% for i in range(99999) %}{% for j in range(99999) %}{% set x = j %}{% endfor %}{% endfor %}"


def test_a_template_that_prints_nothing_is_stopped_by_time(ask: Ask) -> None:
    assert "longer than" in ask("template", template=SILENT_LOOP, seconds=0.1)["error"]


def test_an_abort_ends_a_template(ask: Ask) -> None:
    assert ask("template", template=SILENT_LOOP, abort=True)["error"].startswith("StoppedError")


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ('{"a": 1}', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('<think>hm {"a": 2}</think>\n{"a": 1}', {"a": 1}),
        ("[1]", "refused: a JSON object is needed, got: '[1]'"),
        ("hello", "refused: not valid JSON (Expecting value: line 1 column 1 (char 0)): 'hello'"),
    ],
)
def test_structured_answers_are_parsed(ask: Ask, text: str, parsed: Any) -> None:
    assert ask("structured", text=text)["result"] == parsed


def test_an_abort_leaves_no_pump_behind(ask: Ask) -> None:
    assert ask("pump")["result"] == ["StoppedError", 5, 1]


names = st.sampled_from(["a", "b", "c"])


def _object(parts: dict[str, Any], closed: bool) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "object", "properties": parts, "required": sorted(parts)[:2]}
    return made | ({"additionalProperties": False} if closed else {})


leaves = st.one_of(
    st.builds(lambda v: {"enum": v}, st.lists(st.integers() | names, min_size=1, max_size=3)),
    st.builds(
        lambda lo, w: {"type": "integer", "minimum": lo, "maximum": lo + w},
        st.integers(-50, 50),
        st.integers(0, 9),
    ),
    st.builds(lambda lo: {"type": "number", "exclusiveMinimum": lo}, st.integers(-50, 50)),
    st.builds(lambda hi: {"type": "number", "exclusiveMaximum": hi}, st.integers(-50, 50)),
    st.builds(lambda m: {"type": "integer", "multipleOf": m, "minimum": 7}, st.integers(1, 9)),
    st.builds(
        lambda lo, w: {"type": "string", "minLength": lo, "maxLength": lo + w},
        st.integers(0, 40),
        st.integers(0, 9),
    ),
    st.sampled_from(
        [
            {"type": "boolean"},
            {"type": "null"},
            {"type": ["string", "null"]},
            {"type": "string", "format": "date-time"},
            {"type": "string", "pattern": "^[a-f0-9]{8}$"},
            {"type": "string", "pattern": "^\\d+$"},
            {"const": {"x": [1]}},
            {},
        ]
    ),
)
schemas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(_object, st.dictionaries(names, inner, max_size=3), st.booleans()),
        st.builds(lambda i, n: {"type": "array", "items": i, "minItems": n}, inner, st.integers(0, 3)),
        st.builds(lambda options: {"anyOf": options}, st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=8,
)
documents = st.one_of(
    schemas,
    st.builds(
        lambda one, two: {
            "type": "object",
            "definitions": {"one": one, "two": {"allOf": [{"$ref": "#/definitions/one"}]}},
            "properties": {"a": {"$ref": "#/definitions/two"}, "b": two},
            "required": ["a", "b"],
        },
        schemas,
        schemas,
    ),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(schema=documents)
def test_made_up_values_fit_their_schema(ask: Ask, schema: Any) -> None:
    assert ask("schema", schema=schema) == {"result": None}
