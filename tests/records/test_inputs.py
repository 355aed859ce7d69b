"""Start-form values by type, unknown names, files, and Dify's system variables by mode."""

from __future__ import annotations

from typing import Any

import pytest

from tests.records.dsl import app, edge, node
from workbench.errors import UsageError
from workbench.records.app import App
from workbench.records.files import remote_file
from workbench.records.inputs import fill_inputs, system_variables

ANSWER = node("answer", "answer", answer="x")


def form(*fields: dict[str, Any], mode: str = "advanced-chat") -> App:
    full = [{"label": field["variable"].title(), **field} for field in fields]
    return app([node("start", "start", variables=full), ANSWER], [edge("start", "answer")], mode=mode)


def field(kind: str, name: str = "it", **more: Any) -> dict[str, Any]:
    return {"variable": name, "type": kind, **more}


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (field("text-input", required=True), "It"),
        (field("text-input", required=True, max_length=1), "I"),
        (field("text-input", required=True, name="page_url"), "https://example.com/"),
        (field("paragraph"), ""),
        (field("paragraph", default="hello"), "hello"),
        (field("select", required=True, options=["a", "b"]), "a"),
        (field("select", options=["a", "b"], default="b"), "b"),
        (field("select", options=["a"], default="gone"), None),
        (field("number", required=True), 1),
        (field("number", default="2.5"), 2.5),
        (field("number"), None),
        (field("checkbox"), False),
        (field("checkbox", default=True), True),
        (field("json_object"), {}),
        (
            field("json_object", required=True, json_schema='{"properties": {"n": {"type": "number"}}}'),
            {"n": 0},
        ),
        (field("file"), None),
        (field("file-list"), []),
    ],
)  # fmt: skip
def test_default_by_type(entry: dict[str, Any], expected: Any) -> None:
    assert fill_inputs(form(entry), {}) == {
        "it" if entry["variable"] == "it" else entry["variable"]: expected
    }


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("text-input", "v", "v"),
        ("text-input", 5, "5"),
        ("number", "7", 7),
        ("number", " 2.5 ", 2.5),
        ("checkbox", "yes", True),
        ("checkbox", "false", False),
        ("json_object", '{"a": [1]}', {"a": [1]}),
        ("json_object", {"a": 1}, {"a": 1}),
        ("file", "", None),
        ("file-list", "", []),
    ],
)
def test_given_values_are_read_by_type(kind: str, given: Any, expected: Any) -> None:
    assert fill_inputs(form(field(kind)), {"it": given}) == {"it": expected}


@pytest.mark.parametrize(
    ("entry", "given", "message"),
    [
        (field("number"), "many", "It is a number field: a number is needed."),
        (field("checkbox"), "maybe", "true or false is needed"),
        (field("select", options=["a", "b"]), "c", "one of a, b"),
        (field("json_object"), "[1]", "a JSON object is needed"),
        (field("json_object"), "{", "a JSON object is needed"),
        (field("text-input", max_length=3), "long", "at most 3 characters, this has 4"),
        (field("file"), 5, "an http(s) address or a file name is needed"),
    ],
)
def test_values_that_do_not_fit(entry: dict[str, Any], given: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        fill_inputs(form(entry), {"it": given})
    assert message in caught.value.cause
    assert "it" in caught.value.title


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        fill_inputs(form(field("number", name="amount"), field("paragraph", name="reason")), {"ammount": "1"})
    assert caught.value.title == "Test has no input named 'ammount'"
    assert caught.value.cause == "It has: amount, reason."
    assert caught.value.next_step == "Did you mean amount?"
    with pytest.raises(UsageError, match="Its start form has no fields"):
        fill_inputs(form(), {"x": "1"})


def test_files() -> None:
    made = fill_inputs(form(field("file", required=True, allowed_file_types=["image"])), {})["it"]
    assert made["type"] == "image"
    assert made["extension"] == ".png"
    assert made["transfer_method"] == "remote_url"
    url = "https://files.example.org/a/report.pdf?x=1"
    assert fill_inputs(form(field("file")), {"it": url})["it"] == remote_file(url)
    found = fill_inputs(form(field("file-list")), {"it": f"{url}, photo.jpg"})["it"]
    assert [(file["filename"], file["type"]) for file in found] == [
        ("report.pdf", "document"),
        ("photo.jpg", "image"),
    ]
    given = {"type": "audio", "transfer_method": "remote_url", "url": "https://x.example/a.bin", "size": 9}
    assert fill_inputs(form(field("file")), {"it": given})["it"]["type"] == "audio"
    assert fill_inputs(form(field("file")), {"it": given})["it"]["size"] == 9


def test_a_webhook_takes_its_parts_and_makes_up_nothing_here() -> None:
    hook = node(
        "hook",
        "trigger-webhook",
        headers=[{"name": "X-Token", "type": "string"}],
        params=[{"name": "page", "type": "number"}, {"type": "nameless"}],
        body=[
            {"name": "tags", "type": "array[string]", "required": True},
            {"name": "data", "type": "object"},
        ],
    )
    read = app([hook, node("end", "end", outputs=[])], [edge("hook", "end")], mode="workflow")
    assert [(one.name, one.label, one.type) for one in read.inputs] == [
        ("X_Token", "X-Token", "paragraph"),
        ("page", "page", "number"),
        ("tags", "tags", "json_list"),
        ("data", "data", "json_object"),
    ]
    assert fill_inputs(read, {}) == {}
    given = {"tags": '["a"]', "page": "2", "data": '{"a": 1}', "X_Token": "t"}
    assert fill_inputs(read, given) == {"X_Token": "t", "page": 2, "tags": ["a"], "data": {"a": 1}}
    with pytest.raises(UsageError, match="tags does not take 'a'"):
        fill_inputs(read, {"tags": "a"})


def test_fields_keep_their_order() -> None:
    read = form(field("number", name="b", default=2), field("paragraph", name="a"))
    assert list(fill_inputs(read, {"a": "x"})) == ["b", "a"]


def test_system_variables_of_a_chatflow() -> None:
    found = system_variables(
        form(), query="hi", run_id="r1", conversation_id="c1", user_id="u", dialogue_count=3
    )
    assert found["query"] == "hi"
    assert set(found) == {
        "query", "files", "conversation_id", "user_id", "dialogue_count", "app_id", "workflow_id",
        "workflow_run_id",
    }  # fmt: skip
    assert (found["conversation_id"], found["dialogue_count"], found["workflow_run_id"]) == ("c1", 3, "r1")


def test_system_variables_of_a_workflow() -> None:
    read = form(mode="workflow")
    found = system_variables(read, query="hi", run_id="r1", timestamp=1_790_000_000)
    assert set(found) == {"files", "user_id", "app_id", "workflow_id", "workflow_run_id", "timestamp"}
    assert found["timestamp"] == 1_790_000_000
    assert system_variables(read, query="", run_id="r1", timestamp=1) == {**found, "timestamp": 1}


def test_ids_are_stable_and_look_like_difys() -> None:
    one = system_variables(form(), query="", run_id="r1")
    two = system_variables(form(), query="", run_id="r1")
    assert one == two
    assert one["app_id"] != one["workflow_id"]
    assert [len(part) for part in one["app_id"].split("-")] == [8, 4, 4, 4, 12]
    other = system_variables(form(field("number")), query="", run_id="r2")
    assert other["app_id"] != one["app_id"]
    assert other["conversation_id"] != one["conversation_id"]
