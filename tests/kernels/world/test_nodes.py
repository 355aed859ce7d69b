"""Every node type with a scripted collaborator, on every engine kernel: defaults, scripts, failures."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kernels.host.driver import Host, Outcome
from tests.kernels.world.apps import (
    CLASSIFIER,
    CODE,
    EXTRACTOR,
    HTTP,
    LLM,
    RETRY,
    TEMPLATE,
    TOOL,
    app,
    edge,
    iteration,
    loop,
    node,
    single,
)

pytestmark = pytest.mark.kernel


def run(host: Host, payload: Any, script: Any = None, **more: Any) -> Outcome:
    entry = {} if script is None else {"nodes": {"n": script}}
    return host.run(payload, script=entry, **more)


def outputs(outcome: Outcome, node_id: str = "n") -> dict[str, Any]:
    finished = [e for e in outcome.kinds("NodeRunSucceeded") if e["node"] == node_id]
    assert finished, [e for e in outcome.events if "error" in e]
    return finished[-1].get("outputs", {})


def failed(outcome: Outcome) -> dict[str, Any]:
    return next(e for e in outcome.kinds("NodeRunFailed") if e["node"] == "n")


def chunks(outcome: Outcome, kind: str = "NodeRunStreamChunk") -> list[str]:
    return [e.get("text", "") for e in outcome.kinds(kind) if e["node"] == "n"]


# ---- llm


def test_llm_by_default(host: Host) -> None:
    outcome = run(host, single(LLM, ["text"]), query="What now?")
    said = outputs(outcome)
    assert said["text"] == "This is the scripted answer of n to: What now?"
    assert "".join(chunks(outcome)) == said["text"]
    assert len(chunks(outcome)) > 3
    assert (
        said["usage"]["total_tokens"] == said["usage"]["prompt_tokens"] + said["usage"]["completion_tokens"]
    )
    assert outcome.end["total_tokens"] == said["usage"]["total_tokens"] > 0
    assert outcome.end["outputs"] == {"text": said["text"]}


def test_llm_twice_the_same(host: Host) -> None:
    first, second = (run(host, single(LLM, ["text"])) for _ in range(2))
    assert chunks(first) == chunks(second)


def test_llm_scripted(host: Host) -> None:
    script = {
        "chunks": ["a", {"text": "b", "wait": 0.01}, "c"],
        "usage": {"prompt_tokens": 5, "completion_tokens": 7},
    }
    outcome = run(host, single(LLM, ["text"]), script)
    assert chunks(outcome) == ["a", "b", "c", ""]
    usage = outputs(outcome)["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"], usage["total_tokens"]) == (5, 7, 12)


def test_llm_reasoning_in_tags(host: Host) -> None:
    outcome = run(host, single(LLM, ["text"]), {"reasoning": ["hm ", "yes"], "text": "42"})
    assert outputs(outcome)["text"] == "<think>hm yes</think>42"


def test_llm_reasoning_separated(host: Host) -> None:
    payload = single({**LLM, "reasoning_format": "separated"}, ["text"])
    outcome = run(host, payload, {"reasoning": ["hm ", "yes"], "text": "42"})
    assert outputs(outcome)["text"] == "42"
    assert outputs(outcome)["reasoning_content"] == "hm yes"
    assert "".join(chunks(outcome, "NodeRunReasoningChunk")) == "hm yes"


SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 3}},
    "required": ["city", "days"],
    "additionalProperties": False,
}
STRUCTURED = {**LLM, "structured_output_enabled": True, "structured_output": {"schema": SCHEMA}}


def test_llm_structured_output_fits_its_schema(host: Host) -> None:
    outcome = run(host, single(STRUCTURED, ["structured_output", "days"]))
    assert outputs(outcome)["structured_output"] == {"city": "scripted city", "days": 3}
    assert outcome.end["outputs"] == {"structured_output.days": 3}


@pytest.mark.parametrize(
    "script",
    [{"text": '{"city": "P", "days": 4}'}, {"outputs": {"structured_output": {"city": "P", "days": 4}}}],
)
def test_llm_structured_output_scripted(host: Host, script: Any) -> None:
    outcome = run(host, single(STRUCTURED, ["structured_output"]), script)
    assert outputs(outcome)["structured_output"] == {"city": "P", "days": 4}
    assert json.loads(outputs(outcome)["text"]) == {"city": "P", "days": 4}


def test_llm_structured_output_that_is_no_json_fails(host: Host) -> None:
    error = failed(run(host, single(STRUCTURED, ["text"]), {"text": "no JSON"}))["error"]
    assert "Failed to parse structured output" in error
    assert "no JSON" in error


def test_llm_asked_for_json_by_a_parameter(host: Host) -> None:
    model = {**LLM["model"], "completion_params": {"response_format": "json_object"}}
    assert json.loads(outputs(run(host, single({**LLM, "model": model}, ["text"])))["text"])


def test_llm_breaks_off_and_is_tried_again(host: Host) -> None:
    script = {"chunks": ["a", "b"], "fail": {"attempts": [1], "after_chunks": 1, "error": "gone"}}
    outcome = run(host, single({**LLM, **RETRY}, ["text"]), script)
    assert chunks(outcome) == ["a", "a", "b", ""]
    assert [e["error"] for e in outcome.kinds("NodeRunRetry")] == ["gone"]


def test_llm_names_its_error(host: Host) -> None:
    event = failed(
        run(host, single(LLM, ["text"]), {"fail": {"error": "slow down", "error_type": "MyRateLimit"}})
    )
    assert (event["error"], event["error_type"]) == ("slow down", "MyRateLimit")
    event = failed(run(host, single(LLM, ["text"]), {"fail": True}))
    assert event["error_type"] == "InvokeServerUnavailableError"


def test_llm_with_a_jinja_prompt_and_a_completion_model(host: Host) -> None:
    prompt = {"text": "", "jinja2_text": "{{ q|upper }}", "edition_type": "jinja2"}
    data = {
        **LLM,
        "model": {**LLM["model"], "mode": "completion"},
        "prompt_template": prompt,
        "prompt_config": {"jinja2_variables": [{"variable": "q", "value_selector": ["sys", "query"]}]},
    }
    assert outputs(run(host, single(data, ["text"])))["text"].endswith("to: HI")


PICTURE = {
    "dify_model_identity": "__dify__file__",
    "type": "image",
    "transfer_method": "remote_url",
    "remote_url": "https://example.com/cat.png",
    "url": "https://example.com/cat.png",
    "filename": "cat.png",
    "extension": ".png",
    "mime_type": "image/png",
    "size": 10,
}


def test_llm_sees_files(host: Host) -> None:
    vision = {"enabled": True, "configs": {"variable_selector": ["sys", "files"], "detail": "high"}}
    payload = single({**LLM, "vision": vision}, ["text"])
    outcome = host.run(payload, system={"query": "What is it?", "files": [PICTURE]})
    done = next(e for e in outcome.kinds("NodeRunSucceeded") if e["node"] == "n")
    (prompt,) = done["process_data"]["prompts"]
    assert prompt["files"] == [{"type": "image", "url": "https://example.com/cat.png", "filename": "cat.png"}]
    assert outputs(outcome)["text"].endswith("to: What is it?")


# ---- question-classifier, parameter-extractor


@pytest.mark.parametrize(
    ("script", "name", "class_id"),
    [
        (None, "refund", "1"),
        ({"class": "other"}, "other", "2"),
        ({"class": "2"}, "other", "2"),
        ({"text": '{"category_id": "2", "category_name": "other"}'}, "other", "2"),
        ({"text": '{"category": "2"}'}, "refund", "1"),
    ],
)
def test_classifier(host: Host, script: Any, name: str, class_id: str) -> None:
    outcome = run(host, single(CLASSIFIER, ["class_name"], handles=("1", "2")), script)
    assert outputs(outcome)["class_name"] == name
    assert [e["edge"] for e in outcome.kinds("GraphEdgeTaken")][-1] == f"n-{class_id}-end"


def test_classifier_with_an_unreadable_answer(host: Host) -> None:
    payload = single(CLASSIFIER, ["class_name"], handles=("1", "2"))
    assert "could not find json" in failed(run(host, payload, {"text": "unreadable"}))["error"]


def test_classifier_names_its_error(host: Host) -> None:
    payload = single(CLASSIFIER, ["class_name"], handles=("1", "2"))
    event = failed(run(host, payload, {"fail": {"error": "e", "error_type": "MyError"}}))
    assert (event["error"], event["error_type"]) == ("e", "MyError")


@pytest.mark.parametrize("mode", ["function_call", "prompt"])
def test_extractor_fills_parameters_by_type(host: Host, mode: str) -> None:
    found = outputs(run(host, single({**EXTRACTOR, "reasoning_mode": mode}, ["city"])))
    assert found["__is_success"] == 1, found["__reason"]
    assert found["city"] == "scripted city"
    assert found["days"] == 1
    assert found["urgent"] is True
    assert found["size"] == "S"
    assert found["tags"] == ["scripted tags 1", "scripted tags 2"]
    assert found["marks"] == [1, 2]
    assert found["rows"] == [{"name": "scripted rows 1"}, {"name": "scripted rows 2"}]
    assert found["flags"] == [True, False]


def test_extractor_scripted(host: Host) -> None:
    found = outputs(run(host, single(EXTRACTOR, ["city"]), {"outputs": {"city": "Paris", "days": 2.5}}))
    assert (found["city"], found["days"], found["size"]) == ("Paris", 2.5, "S")
    lost = outputs(run(host, single(EXTRACTOR, ["city"]), {"text": "I found nothing."}))
    assert lost["__is_success"] == 0


def test_extractor_fails(host: Host) -> None:
    assert (
        failed(run(host, single(EXTRACTOR, ["city"]), {"fail": {"error": "no model"}}))["error"] == "no model"
    )


# ---- code, http-request, tool, template-transform


OUTPUTS = {
    "s": {"type": "string"},
    "n": {"type": "number"},
    "b": {"type": "boolean"},
    "o": {"type": "object", "children": {"a": {"type": "number"}, "p": {"type": "object", "children": None}}},
    "ls": {"type": "array[string]"},
    "ln": {"type": "array[number]"},
    "lo": {"type": "array[object]", "children": {"a": {"type": "string"}}},
    "lb": {"type": "array[boolean]"},
}


def test_code_outputs_fit_their_declared_types(host: Host) -> None:
    found = outputs(run(host, single({**CODE, "outputs": OUTPUTS}, ["s"])))
    assert found["n"] == 1
    assert found["o"] == {"a": 1, "p": {"name": "scripted p"}}
    assert found["lo"] == [{"a": "scripted a"}] * 2
    assert found["lb"] == [True, False]


def test_code_scripted_in_part(host: Host) -> None:
    found = outputs(run(host, single({**CODE, "outputs": OUTPUTS}, ["s"]), {"outputs": {"n": 7, "ls": []}}))
    assert (found["n"], found["ls"], found["s"]) == (7, [], "scripted s")


def test_code_is_checked_by_the_real_node(host: Host) -> None:
    event = failed(run(host, single({**CODE, "outputs": OUTPUTS}, ["s"]), {"outputs": {"n": "one"}}))
    assert "is not a number" in event["error"]


def test_code_fails(host: Host) -> None:
    event = failed(run(host, single(CODE, ["r"]), {"fail": {"error": "boom"}}))
    assert (event["error"], event["error_type"]) == ("boom", "CodeExecutionError")


def test_http_by_default(host: Host) -> None:
    found = outputs(run(host, single(HTTP, ["body"])))
    assert found["status_code"] == 200
    assert json.loads(found["body"])["url"] == "http://example.test/x"
    assert found["headers"]["content-type"] == "application/json"


def test_http_scripted(host: Host) -> None:
    script = {"status": 404, "headers": {"X-A": "1"}, "body": {"gone": True}}
    found = outputs(run(host, single(HTTP, ["body"]), script))
    assert (found["status_code"], json.loads(found["body"])) == (404, {"gone": True})
    assert found["headers"]["x-a"] == "1"


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete", "head"])
def test_http_methods(host: Host, method: str) -> None:
    found = outputs(run(host, single({**HTTP, "method": method}, ["body"]), {"body": "text é"}))
    assert found["body"] == ("" if method == "head" else "text é")


def test_http_file_is_kept_as_a_file(host: Host) -> None:
    script = {"headers": {"content-type": "image/png"}, "body": "not really a picture"}
    found = outputs(run(host, single(HTTP, ["files"]), script))
    assert [f["mime_type"] for f in found["files"]] == ["image/png"]


def test_http_fails(host: Host) -> None:
    assert "timed out" in failed(run(host, single(HTTP, ["body"]), {"timeout": True}))["error"]
    event = failed(run(host, single(HTTP, ["body"]), {"fail": {"error": "refused", "error_type": "MyError"}}))
    assert (event["error"], event["error_type"]) == ("refused", "MyError")


def test_http_error_status_is_tried_again(host: Host) -> None:
    script = {"calls": [{"status": 503}, {"body": "ok"}]}
    outcome = run(host, single({**HTTP, **RETRY}, ["body"]), script)
    assert [e["error"] for e in outcome.kinds("NodeRunRetry")] == ["Request failed with status code 503"]
    assert outcome.end["outputs"] == {"body": "ok"}


def test_tool_by_default_gives_what_others_read(host: Host) -> None:
    outcome = run(host, single(TOOL, ["text"], ["rate"]))
    found = outputs(outcome)
    assert found["text"] == "Scripted result of the tool Now."
    assert found["json"][0]["items"]
    assert found["files"] == []
    assert found["rate"] == "scripted rate"
    assert "".join(chunks(outcome)) == found["text"]


def test_tool_scripted(host: Host) -> None:
    script = {
        "chunks": ["a", "b"],
        "json": [{"x": 1}, [2]],
        "files": ["https://example.com/pic.png"],
        "outputs": {"rate": 1.5},
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    }
    outcome = run(host, single(TOOL, ["text"], ["rate"]), script)
    found = outputs(outcome)
    assert (found["text"], found["json"], found["rate"]) == ("ab", [{"x": 1}, [2]], 1.5)
    assert (found["files"][0]["type"], found["files"][0]["remote_url"]) == (
        "image",
        "https://example.com/pic.png",
    )
    assert outcome.end["total_tokens"] == 3


def test_tool_breaks_off(host: Host) -> None:
    script = {"chunks": ["a", "b"], "fail": {"after_chunks": 1, "error": "gone"}}
    outcome = run(host, single(TOOL, ["text"]), script)
    assert chunks(outcome) == ["a"]
    assert (failed(outcome)["error"], failed(outcome)["error_type"]) == ("gone", "ToolInvokeError")


def test_template_renders_and_may_fail(host: Host) -> None:
    assert outputs(run(host, single(TEMPLATE, ["output"])))["output"] == "HI"
    assert failed(run(host, single(TEMPLATE, ["output"]), {"fail": {"error": "no"}}))["error"] == "no"


# ---- stubs


def test_agent(host: Host) -> None:
    data = {"type": "agent", "agent_strategy_name": "react", "agent_parameters": {}, "output_schema": None}
    outcome = run(host, single(data, ["text"], ["plan"]))
    found = outputs(outcome)
    assert found["text"] == "This is the scripted answer of the agent n."
    assert "".join(chunks(outcome)) == found["text"]
    assert found["plan"] == "scripted plan"
    assert outcome.end["total_tokens"] > 0
    script = {
        "text": "done",
        "json": {"a": 1},
        "files": ["https://example.com/a.pdf"],
        "outputs": {"plan": [1]},
    }
    found = outputs(run(host, single(data, ["text"], ["plan"]), script))
    assert (found["text"], found["json"], found["plan"]) == ("done", [{"a": 1}], [1])
    assert found["files"][0]["type"] == "document"


def test_agent_fails_after_chunks_into_its_fail_branch(host: Host) -> None:
    data = {
        "type": "agent",
        "agent_strategy_name": "react",
        "agent_parameters": {},
        "error_strategy": "fail-branch",
    }
    script = {"chunks": ["a", "b"], "fail": {"after_chunks": 1, "error": "gone"}}
    outcome = run(host, single(data, ["error_message"], handles=("success-branch", "fail-branch")), script)
    assert chunks(outcome) == ["a"]
    assert outcome.status == "partial-succeeded"
    assert outcome.end["outputs"] == {"error_message": "gone"}


KNOWLEDGE = {
    "type": "knowledge-retrieval",
    "query_variable_selector": ["sys", "query"],
    "dataset_ids": ["d1"],
}


def test_knowledge_retrieval(host: Host) -> None:
    found = outputs(run(host, single(KNOWLEDGE, ["result"])))["result"]
    assert [item["metadata"]["position"] for item in found] == [1, 2]
    assert found[0]["metadata"]["dataset_id"] == "d1"
    script = {"results": ["one", {"title": "T", "content": "two", "score": 0.5, "metadata": {"page": 3}}]}
    found = outputs(run(host, single(KNOWLEDGE, ["result"]), script))["result"]
    assert [item["content"] for item in found] == ["one", "two"]
    assert (found[1]["title"], found[1]["metadata"]["score"], found[1]["metadata"]["page"]) == ("T", 0.5, 3)
    assert outputs(run(host, single(KNOWLEDGE, ["result"]), {"results": []}))["result"] == []


def test_retrieved_documents_reach_the_model_and_its_sources(host: Host) -> None:
    context = {"enabled": True, "variable_selector": ["n", "result"]}
    model = {**LLM, "context": context, "prompt_template": [{"role": "user", "text": "{{#context#}}"}]}
    end = node("end", {"type": "end", "outputs": [{"variable": "t", "value_selector": ["m", "text"]}]})
    start = node("start", {"type": "start", "variables": []})
    payload = app(
        [start, node("n", KNOWLEDGE), node("m", model), end],
        [edge("start", "n"), edge("n", "m"), edge("m", "end")],
    )
    outcome = run(host, payload, {"results": ["two years"]})
    assert outcome.end["outputs"]["t"].endswith("to: two years")
    resources = outcome.kinds("NodeRunRetrieverResource")[0]["resources"]
    assert resources[0]["content"] == "two years"


@pytest.mark.parametrize(
    ("more", "script", "text"),
    [
        ({}, None, "Scripted text of the document."),
        ({}, {"text": "T"}, "T"),
        ({"is_array_file": True}, None, ["Scripted text of document 1.", "Scripted text of document 2."]),
        ({"is_array_file": True}, {"outputs": {"text": ["a"]}}, ["a"]),
    ],
)
def test_document_extractor(host: Host, more: Any, script: Any, text: Any) -> None:
    data = {"type": "document-extractor", "variable_selector": ["start", "file"], **more}
    assert outputs(run(host, single(data, ["text"]), script))["text"] == text


def test_triggers_start_runs(host: Host) -> None:
    hook = {
        "type": "trigger-webhook",
        "method": "post",
        "params": [{"name": "page", "type": "number"}],
        "body": [{"name": "tags", "type": "array[string]"}],
    }
    end = {"type": "end", "outputs": [{"variable": "p", "value_selector": ["hook", "page"]}]}
    payload = app([node("hook", hook), node("end", end)], [edge("hook", "end")], root="hook")
    assert host.run(payload).end["outputs"] == {"p": 1}
    assert host.run(payload, script={"nodes": {"hook": {"outputs": {"page": 5}}}}).end["outputs"] == {"p": 5}
    assert host.run(payload, inputs={"page": 3}).end["outputs"] == {"p": 3}


def test_datasources_start_runs(host: Host) -> None:
    source = {"type": "datasource", "provider_type": "local_file"}
    end = {"type": "end", "outputs": [{"variable": "f", "value_selector": ["source", "file"]}]}
    payload = app([node("source", source), node("end", end)], [edge("source", "end")], root="source")
    assert host.run(payload).end["outputs"]["f"]["filename"] == "scripted.txt"


@pytest.mark.parametrize("kind", ["datasource-empty", "knowledge-index", "something-new"])
def test_other_types_run_as_stubs(host: Host, kind: str) -> None:
    outcome = run(host, single({"type": kind}, ["x"]), {"outputs": {"x": 3}})
    assert outcome.end["outputs"] == {"x": 3}
    notes = [message["text"] for message in outcome.of("note")]
    assert any(kind in text for text in notes) is (kind == "something-new")


def test_stubs_fail_as_scripted(host: Host) -> None:
    event = failed(run(host, single(KNOWLEDGE, ["result"]), {"fail": {"error": "e", "error_type": "T"}}))
    assert (event["error"], event["error_type"]) == ("e", "T")


def test_the_old_variable_assigner_is_an_aggregator(host: Host) -> None:
    data = {
        "type": "variable-assigner",
        "output_type": "string",
        "variables": [["start", "no"], ["sys", "query"]],
    }
    assert outputs(run(host, single(data, ["output"])))["output"] == "hi"


# ---- rounds


def test_rounds_of_an_iteration(host: Host) -> None:
    script = {
        "nodes": {
            "list": {"outputs": {"items": ["a", "b", "c"]}},
            "n": {"text": "usual", "rounds": {"1": {"text": "second"}}},
        }
    }
    outcome = host.run(iteration(LLM, ["text"]), script=script)
    assert outcome.end["outputs"] == {"all": ["usual", "second", "usual"]}


def test_rounds_of_a_loop(host: Host) -> None:
    outcome = run(host, loop(TOOL), {"text": "usual", "rounds": [{"text": "zero"}, None, "two"]})
    said = [e["outputs"]["text"] for e in outcome.kinds("NodeRunSucceeded") if e["node"] == "n"]
    assert said == ["zero", "usual", "two"]


def test_forms_of_a_loop_answered_by_rounds(host: Host) -> None:
    form = {
        "type": "human-input",
        "form_content": "{{#$output.note#}}",
        "inputs": [{"type": "paragraph", "output_variable_name": "note"}],
        "user_actions": [{"id": "ok", "title": "OK"}, {"id": "no", "title": "No"}],
        "timeout": 1,
        "timeout_unit": "day",
    }
    submit = {"action": "ok", "fields": {"note": "usual"}}
    script = {"submit": submit, "rounds": {"1": {"submit": {"action": "no", "fields": {"note": "second"}}}}}
    outcome = run(host, loop(form), script)
    filled = [
        (e["outputs"]["__action_id"], e["outputs"]["note"])
        for e in outcome.kinds("NodeRunSucceeded")
        if e["node"] == "n"
    ]
    assert filled == [("ok", "usual"), ("no", "second"), ("ok", "usual")]


def test_forms_take_files(host: Host) -> None:
    form = {
        "type": "human-input",
        "form_content": "",
        "inputs": [
            {"type": "file", "output_variable_name": "one"},
            {"type": "file-list", "output_variable_name": "more"},
        ],
        "user_actions": [{"id": "ok", "title": "OK"}],
        "timeout": 1,
        "timeout_unit": "day",
    }
    remote = {"transfer_method": "remote_url", "url": "https://example.com/a.pdf"}
    script = {"submit": {"action": "ok", "fields": {"one": remote, "more": [remote, remote]}}}
    found = outputs(run(host, single(form, ["one"], handles=("ok",)), script))
    assert found["one"]["remote_url"] == "https://example.com/a.pdf"
    assert [f["extension"] for f in found["more"]] == [".pdf", ".pdf"]


def test_forms_expire_as_scripted(host: Host) -> None:
    form = {"type": "human-input", "form_content": "", "inputs": [], "timeout": 1, "timeout_unit": "day"}
    form["user_actions"] = [{"id": "ok", "title": "OK"}]
    outcome = run(host, single(form, ["x"], handles=("ok", "__timeout")), {"timeout": True})
    assert [e["edge"] for e in outcome.kinds("GraphEdgeTaken")][-1] == "n-__timeout-end"


# ---- stopping


@pytest.mark.parametrize("data", [LLM, TOOL, CODE, HTTP, TEMPLATE, CLASSIFIER, EXTRACTOR, KNOWLEDGE])
def test_an_abort_ends_every_wait(host: Host, data: Any) -> None:
    waits = (
        {"chunks": [{"text": "a", "wait": 3000}]} if data in (CLASSIFIER, EXTRACTOR, LLM) else {"delay": 3000}
    )
    handles = ("1", "2") if data is CLASSIFIER else ("source",)
    host.begin(single(data, ["x"], handles=handles), script={"nodes": {"n": waits}})
    host.until_event("NodeRunStarted", "n")
    host.send(cmd="abort", reason="enough")
    assert host.until().status == "stopped"
