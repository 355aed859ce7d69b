"""What an app's selectors say about the outputs they read."""

from __future__ import annotations

from typing import Any

from tests.kernels.world.pure import load

hints = load("hints")


def expected(*nodes: dict[str, Any], variables: list[dict[str, str]] | None = None, **more: Any) -> Any:
    graph = {"nodes": [{"id": data.pop("id"), "data": data} for data in nodes]}
    return hints.expected_outputs({"graph": graph, "conversation_variables": variables or []}, **more)


TOOL = {"id": "tool", "type": "tool"}


def test_mentions_in_text_and_selectors() -> None:
    found = expected(
        dict(TOOL),
        {"id": "a", "type": "answer", "answer": "{{#tool.rate#}} and {{#sys.query#}}"},
        {"id": "e", "type": "end", "outputs": [{"value_selector": ["tool", "sum"], "variable": "s"}]},
    )
    assert found == {"tool": {"rate": "string", "sum": "string"}}


def test_readers_tell_types() -> None:
    found = expected(
        dict(TOOL),
        {"id": "i", "type": "iteration", "iterator_selector": ["tool", "list"]},
        {"id": "l", "type": "list-operator", "variable": ["tool", "rows"], "var_type": "array[object]"},
        {
            "id": "c",
            "type": "code",
            "variables": [{"variable": "x", "value_selector": ["tool", "n"], "value_type": "number"}],
        },
        {
            "id": "if",
            "type": "if-else",
            "cases": [{"conditions": [{"variable_selector": ["tool", "ok"], "varType": "boolean"}]}],
        },
        {
            "id": "s",
            "type": "assigner",
            "items": [
                {
                    "variable_selector": ["conversation", "seen"],
                    "input_type": "variable",
                    "operation": "append",
                    "value": ["tool", "one"],
                }
            ],
        },
        {"id": "x", "type": "answer", "answer": "{{#tool.deep.part#}} {{#tool.list#}}"},
        variables=[{"name": "seen", "value_type": "array[number]"}],
    )
    assert found["tool"] == {
        "list": "array[string]",
        "rows": "array[object]",
        "n": "number",
        "ok": "boolean",
        "one": "number",
        "deep": "object",
    }


def test_requests_need_urls_and_json() -> None:
    body = {"type": "json", "data": [{"value": '{"a": {{#tool.obj#}}, "b": "{{#tool.text#}}"}'}]}
    found = expected(
        dict(TOOL), {"id": "h", "type": "http-request", "url": " {{#tool.link#}}/x", "body": body}
    )
    assert found["tool"] == {"link": "url", "obj": "json", "text": "string"}


def test_a_url_in_an_iteration_asks_for_a_list_of_them() -> None:
    found = expected(
        dict(TOOL),
        {"id": "i", "type": "iteration", "iterator_selector": ["tool", "links"]},
        {"id": "h", "type": "http-request", "url": "{{#i.item#}}"},
    )
    assert found["tool"] == {"links": "array[url]"}


def test_aggregators_hand_wishes_on() -> None:
    found = expected(
        dict(TOOL),
        {"id": "agg", "type": "variable-aggregator", "variables": [["tool", "a"], ["other", "b"]]},
        {"id": "h", "type": "http-request", "url": "{{#agg.output#}}"},
    )
    assert found["tool"] == {"a": "url"}


def test_parsed_text_is_json_when_code_is_real() -> None:
    code = {
        "type": "code",
        "code": "import json\ndef main(t): return json.loads(t)",
        "variables": [{"variable": "t", "value_selector": ["tool", "text"], "value_type": "string"}],
    }
    assert expected(dict(TOOL), {"id": "c", **code})["tool"] == {"text": "string"}
    assert expected(dict(TOOL), {"id": "c", **code}, parses=True)["tool"] == {"text": "json"}


def test_odd_apps_do_no_harm() -> None:
    assert hints.expected_outputs({}) == {}
    assert hints.expected_outputs({"graph": {"nodes": [None, {}, {"id": 1, "data": "x"}]}}) == {}
    nested: Any = "{{#tool.a#}}"
    for _ in range(150):
        nested = [nested]
    assert expected(dict(TOOL), {"id": "x", "type": "y", "deep": nested}) in ({}, {"tool": {"a": "string"}})
