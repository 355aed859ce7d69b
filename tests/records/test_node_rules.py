"""Node data that graphon's schemas refuse, one by one; what they take stays as it is.

That the results are what graphon takes is shown in tests/kernels/test_describe.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.records.dsl import with_node

MODEL = {"provider": "p", "name": "n", "mode": "chat", "completion_params": {}}
LLM: dict[str, Any] = {"model": MODEL, "prompt_template": [], "context": {"enabled": False}}
CODE: dict[str, Any] = {"code_language": "python3", "code": "", "variables": [], "outputs": {}}
HTTP: dict[str, Any] = {
    "method": "get",
    "url": "u",
    "authorization": {"type": "no-auth"},
    "headers": "",
    "params": "",
}
TOOL: dict[str, Any] = {
    "provider_id": "p", "provider_type": "builtin", "provider_name": "p", "tool_name": "t", "tool_label": "t",
    "tool_configurations": {}, "tool_parameters": {},
}  # fmt: skip
QUERY = ["sys", "query"]
AB = ["a", "b"]

CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    # what every node has
    ("answer", {"answer": "a", "title": 7, "desc": None}, {"title": "7"}),
    ("answer", {"answer": "a", "error_strategy": "none"}, {"error_strategy": ...}),
    ("answer", {"answer": "a", "error_strategy": "explode"}, {"error_strategy": ...}),
    ("answer", {"answer": "a", "retry_config": {"max_retries": "3"}}, {"retry_config": {"max_retries": 3}}),
    ("answer", {"answer": "a", "retry_config": None}, {"retry_config": ...}),
    (
        "llm",
        {**LLM, "default_value": [{"key": "a", "type": "number", "value": "2"}, {"key": "b"}, "c"]},
        {"default_value": [{"key": "a", "type": "number", "value": 2}]},
    ),
    ("llm", {**LLM, "default_value": [{"key": "a", "type": "object", "value": "x"}]}, {"default_value": []}),
    # the start form
    (
        "start",
        {"variables": [{"variable": "q", "label": None, "type": "text", "max_length": "9", "hide": None}]},
        {"variables": [{"variable": "q", "label": "q", "type": "text-input", "max_length": 9}]},
    ),
    (
        "start",
        {"variables": [{"variable": "f", "label": "F", "type": "file", "allowed_file_types": ["audio", ""]}]},
        {"variables": [{"variable": "f", "label": "F", "type": "file", "allowed_file_types": ["audio"]}]},
    ),
    (
        "start",
        {"variables": [{"variable": "j", "label": "J", "type": "json_object", "json_schema": "{not json"}]},
        {"variables": [{"variable": "j", "label": "J", "type": "json_object"}]},
    ),
    # answers and ends
    ("answer", {}, {"answer": ""}),
    ("end", {}, {"outputs": []}),
    (
        "end",
        {"outputs": [{"variable": "a", "value_selector": "llm.text", "value_type": "weird"}, "x"]},
        {"outputs": [{"variable": "a", "value_selector": ["llm", "text"]}]},
    ),
    ("end", {"outputs": [{"variable": "a", "value_selector": AB, "value_type": "Array[string]"}]}, {}),
    # models
    ("llm", {"model": MODEL, "prompt_template": []}, {"context": {"enabled": False}}),
    ("llm", {**LLM, "model": None}, {"model": {"provider": "unknown", "name": "unknown", "mode": "chat"}}),
    ("llm", {**LLM, "prompt_template": "Say {{#sys.query#}}"}, {"prompt_template": [
        {"role": "user", "text": "Say {{#sys.query#}}"}]}),
    ("llm", {**LLM, "prompt_template": [{"role": "human", "text": None}]}, {"prompt_template": [
        {"role": "user", "text": ""}]}),
    ("llm", {**LLM, "context": {"enabled": True, "variable_selector": [["kb", "result"]]}},
     {"context": {"enabled": True, "variable_selector": ["kb", "result"]}}),
    ("llm", {**LLM, "memory": {}}, {"memory": None}),
    ("llm", {**LLM, "memory": {"window": {"enabled": True, "size": "10"}}},
     {"memory": {"window": {"enabled": True, "size": 10}}}),
    ("llm", {**LLM, "memory": {"window": {"enabled": False, "size": ""}}},
     {"memory": {"window": {"enabled": False}}}),
    ("llm", {**LLM, "vision": None}, {"vision": ...}),
    ("llm", {**LLM, "vision": {"enabled": None, "configs": {"detail": "ultra"}}},
     {"vision": {"configs": {}}}),
    ("question-classifier", {"model": MODEL, "topics": [{"id": 1, "name": None}]},
     {"classes": [{"id": "1", "name": "1"}], "query_variable_selector": QUERY}),
    ("parameter-extractor", {"model": MODEL, "parameters": [], "query_variable_selector": AB},
     {"query": AB, "reasoning_mode": "function_call"}),
    ("parameter-extractor", {"model": MODEL, "query": QUERY, "reasoning_mode": "prompt", "parameters": [
        {"name": "n", "type": "integer", "required": "true"}, {"name": "__reason", "type": "string"}]},
     {"parameters": [{"name": "n", "type": "number", "required": True, "description": ""}]}),
    # decisions
    ("if-else", {"conditions": [{"variable_selector": AB, "comparison_operator": "is empty", "value": 3}]},
     {"conditions": [{"variable_selector": AB, "comparison_operator": "empty", "value": "3"}]}),
    ("if-else", {"cases": [{"id": "yes", "logical_operator": "AND", "conditions": [
        {"variable_selector": "{{#a.b#}}", "comparison_operator": ">=", "value": [1, "x"]}]}]},
     {"cases": [{"id": "yes", "case_id": "yes", "logical_operator": "and", "conditions": [
         {"variable_selector": AB, "comparison_operator": "\u2265", "value": ["1", "x"]}]}]}),
    ("if-else", {"cases": [{"case_id": True, "logical_operator": "and", "conditions": []}]},
     {"cases": [{"case_id": "true", "logical_operator": "and", "conditions": []}]}),
    # containers
    ("loop", {"loop_count": "5", "loop_variables": [{"label": "n", "var_type": "number", "value": 1}, 3]},
     {"loop_count": 5, "break_conditions": [], "logical_operator": "and", "loop_variables": [
         {"label": "n", "var_type": "number", "value_type": "constant", "value": 1}]}),
    ("loop", {"loop_count": 0, "break_conditions": [], "logical_operator": "or"}, {"loop_count": 1}),
    ("iteration", {"iterator_selector": "a.b", "output_selector": None, "parallel_nums": 0,
                   "error_handle_mode": "panic"},
     {"iterator_selector": AB, "output_selector": [], "parallel_nums": 1, "error_handle_mode": ...}),
    ("list-operator", {"variable": AB},
     {"filter_by": {"enabled": False}, "order_by": {"enabled": False}, "limit": {"enabled": False}}),
    # variables
    ("variable-aggregator", {"variables": [AB, "c.d", 5], "advanced_settings": {"group_enabled": False}},
     {"variables": [AB, ["c", "d"]], "output_type": "string",
      "advanced_settings": {"group_enabled": False, "groups": []}}),
    ("assigner", {"assigned_variable_selector": ["conversation", "a"], "write_mode": "overwrite"},
     {"write_mode": "over-write", "input_variable_selector": []}),
    ("assigner", {"items": [{"variable_selector": ["conversation", "a"], "value": ["b", "c"]}]},
     {"version": "2", "items": [{"variable_selector": ["conversation", "a"], "value": ["b", "c"],
                                 "input_type": "variable", "operation": "over-write"}]}),
    ("assigner", {"actions": []}, {"version": "2", "items": []}),
    # people
    ("human-input", {"inputs": [{"type": "text-input", "output_variable_name": "a"},
                                {"type": "paragraph", "output_variable_name": "a"}],
                     "user_actions": [{"id": "ok"}, {"id": "ok", "title": "OK"}], "timeout": "3"},
     {"inputs": [{"type": "paragraph", "output_variable_name": "a"}],
      "user_actions": [{"id": "ok", "title": "ok"}], "timeout": 3}),
    # calls
    ("code", {"code": "x"}, {"variables": [], "outputs": {}, "code_language": "python3"}),
    ("code", {**CODE, "outputs": [{"variable": "a", "type": "str"}]}, {"outputs": {
        "a": {"variable": "a", "type": "string"}}}),
    ("code", {**CODE, "outputs": {"a": {"type": "object", "children": {"b": "int"}}, "c": "array"}},
     {"outputs": {"a": {"type": "object", "children": {"b": {"type": "number"}}},
                  "c": {"type": "array[object]"}}}),
    ("http-request", {"method": "GeT", "url": "u"},
     {"method": "get", "authorization": {"type": "no-auth"}, "headers": "", "params": ""}),
    ("http-request", {**HTTP, "headers": {"A": "b", "C": 1}, "params": [{"key": "k", "value": "v"}]},
     {"headers": "A:b\nC:1", "params": "k:v"}),
    ("http-request", {**HTTP, "body": '{"a": 1}'}, {"body": {"type": "json", "data": '{"a": 1}'}}),
    ("http-request", {**HTTP, "body": {"type": "json", "data": "old text"}}, {}),
    ("http-request", {**HTTP, "body": {"type": "form-data", "data": {"a": 1}}},
     {"body": {"type": "form-data", "data": [{"key": "a", "type": "text", "value": "1"}]}}),
    ("http-request", {**HTTP, "body": {"type": "form-data", "data": [
        {"key": "f", "type": "file", "file": ["start", "f"]}]}}, {}),
    ("http-request", {**HTTP, "authorization": {"type": "api-key", "config": None}},
     {"authorization": {"type": "no-auth"}}),
    ("tool", {**TOOL, "tool_configurations": {"a": None, "b": ["x"], "c": 1, "d": {"type": "constant"}}},
     {"tool_configurations": {"b": {"type": "constant", "value": ["x"]}, "c": 1, "d": {"type": "constant"}}}),
    ("tool", {**TOOL, "tool_parameters": {"a": "x", "b": {"type": "mixed", "value": 3}, "c": None,
                                          "d": {"type": "variable", "value": AB}}},
     {"tool_parameters": {"a": {"type": "mixed", "value": "x"}, "c": None,
                          "b": {"type": "constant", "value": 3},
                          "d": {"type": "variable", "value": AB}}}),
    ("tool", {"provider_name": "old", "tool_name": "t"},
     {"provider_id": "old", "provider_type": "builtin", "tool_label": "t", "tool_parameters": {}}),
    # types that graphon has no schema for
    ("agent", {"agent_parameters": None}, {"agent_parameters": None}),
    ("knowledge-retrieval", {"dataset_ids": "?"}, {"dataset_ids": "?"}),
]  # fmt: skip


@pytest.mark.parametrize(("node_type", "given", "expected"), CASES)
def test_repair(node_type: str, given: dict[str, Any], expected: dict[str, Any]) -> None:
    data, notes = with_node(node_type, **given)
    for key, value in expected.items():
        if value is ...:
            assert key not in data
        else:
            assert data[key] == value
    untouched = given.keys() - expected.keys() - {"title", "desc"}
    assert {key: data[key] for key in untouched if key in data} == {
        key: given[key] for key in untouched if key in data
    }
    if not expected:
        assert notes == ()


@pytest.mark.parametrize("node_type", sorted({case[0] for case in CASES}))
@pytest.mark.parametrize("junk", [None, "x", 7, [], ["x"], {}, {"x": "y"}, [["x"]], [{"x": None}], True])
def test_any_junk_is_survived(node_type: str, junk: Any) -> None:
    keys = {key for kind, given, _ in CASES if kind == node_type for key in given}
    with_node(node_type, **dict.fromkeys(keys, junk))
    for key in keys:
        with_node(node_type, **{key: junk})
