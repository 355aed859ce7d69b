"""Templates of Answer and End nodes. That graphon splits alike is shown in tests/kernels/test_describe.py."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.core.graph import Segment, Text, Variable
from workbench.core.template import answer_template, end_template, references

LONG = "n" * 50


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("plain", (Text("plain"),)),
        ("{{#a.b#}}", (Variable(("a", "b")),)),
        ("x {{#a.b.c#}}y", (Text("x "), Variable(("a", "b", "c")), Text("y"))),
        ("{{#a.b#}}{{#a.b#}}", (Variable(("a", "b")), Variable(("a", "b")))),
        ("{{#sys.query#}}\n", (Variable(("sys", "query")), Text("\n"))),
        ("{{#my-node.text#}}", (Text("{{#my-node.text#}}"),)),
        ("{{# a.b #}}", (Text("{{# a.b #}}"),)),
        ("{{#a#}}", (Text("{{#a#}}"),)),
        ("{{a.b}}", (Text("{{a.b}}"),)),
        ("{{#a.1b#}}", (Text("{{#a.1b#}}"),)),
        ("{{{#a.b#}}}", (Text("{"), Variable(("a", "b")), Text("}"))),
        (f"{{{{#{LONG}.b#}}}}", (Variable((LONG, "b")),)),
        (f"{{{{#{LONG}n.b#}}}}", (Text(f"{{{{#{LONG}n.b#}}}}"),)),
        ("{{#变量.b#}}", (Text("{{#变量.b#}}"),)),
        ("{{#a." + "v" * 31 + "#}}", (Text("{{#a." + "v" * 31 + "#}}"),)),
        ("{{#a" + ".b" * 10 + "#}}", (Variable(("a", *"b" * 10)),)),
        ("{{#a" + ".b" * 11 + "#}}", (Text("{{#a" + ".b" * 11 + "#}}"),)),
    ],
)
def test_answer(text: str, expected: tuple[Segment, ...]) -> None:
    assert answer_template(text) == expected


@pytest.mark.parametrize(
    ("selectors", "expected"),
    [
        ([], ()),
        ([["a", "b"]], (Variable(("a", "b")),)),
        ([["a", "b"], ["c", "d"]], (Variable(("a", "b")), Text("\n"), Variable(("c", "d")))),
        ([["a", "b"], []], (Variable(("a", "b")),)),
        ([[], ["a", "b"]], (Text("\n"), Variable(("a", "b")))),
        ([[], []], ()),
        ([[], [], []], (Text("\n"),)),
    ],
)
def test_end(selectors: list[Any], expected: tuple[Segment, ...]) -> None:
    assert end_template([{"variable": "x", "value_selector": one} for one in selectors]) == expected


def test_references_keep_order_and_repetitions() -> None:
    assert references("{{#b.c#}} {{#a.b#}} {{#b.c#}} {{#x-y.z#}}") == (("b", "c"), ("a", "b"), ("b", "c"))
