"""Models for real, against a small OpenAI-compatible server on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.kernels.host.driver import GENERATIONS, Host
from tests.kernels.world.apps import CLASSIFIER, EXTRACTOR, LLM, RETRY, single
from tests.kernels.world.servers import END, USAGE, Server, chunk, send, serving, stream
from tests.kernels.world.test_nodes import STRUCTURED, chunks, failed, outputs

pytestmark = pytest.mark.kernel

SSE = "text/event-stream"
KEY = "sk-very-secret-key"


@pytest.fixture(params=GENERATIONS, scope="module")
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    """With the key in its environment, as the engine gives it to a run with a model."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBENCH_MODEL_KEY", KEY)
        with Host(request.param) as running:
            yield running


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(
        lambda handler: stream(handler, chunk(content="Hello "), chunk(content="there"), END, USAGE)
    ) as made:
        yield made


def ask(host: Host, server: Server, data: Any, *read: Any, **more: Any) -> Any:
    handles = ("1", "2") if data["type"] == "question-classifier" else ("source",)
    payload = single(data, *(read or [["text"]]), handles=handles)
    outcome = host.run(payload, options={"model": {"url": f"{server.url}/v1"}}, **more)
    everything = json.dumps(outcome.messages) + host.errors.decode()
    assert KEY not in everything, "the key must never leave the kernel but to the endpoint"
    return outcome


def test_an_answer_streams(host: Host, server: Server) -> None:
    model = {**LLM["model"], "completion_params": {"temperature": 0.3, "stop": ["END"], "unknown": 1}}
    outcome = ask(host, server, {**LLM, "model": model}, query="Who?")
    assert [c for c in chunks(outcome) if c] == ["Hello ", "there"]
    said = outputs(outcome)
    assert (said["text"], said["finish_reason"]) == ("Hello there", "stop")
    assert (said["usage"]["prompt_tokens"], said["usage"]["total_tokens"]) == (11, 14)
    assert any(server.url in message["text"] for message in outcome.of("note"))
    asked = server.asked[0]
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.json["messages"] == [{"role": "user", "content": "Who?"}]
    assert (asked.json["model"], asked.json["temperature"], asked.json["stop"]) == ("gpt-test", 0.3, ["END"])
    assert "unknown" not in asked.json


def test_the_option_names_the_model(host: Host, server: Server) -> None:
    option = {"url": f"{server.url}/v1/chat/completions", "name": "other"}
    host.run(single(LLM, ["text"]), options={"model": option})
    assert (server.asked[0].path, server.asked[0].json["model"]) == ("/v1/chat/completions", "other")


def test_scripted_nodes_stay_scripted(host: Host, server: Server) -> None:
    outcome = ask(host, server, LLM, script={"nodes": {"n": {"text": "mine"}}})
    assert outputs(outcome)["text"] == "mine"
    assert server.asked == []


def test_reasoning_becomes_think_tags(host: Host, server: Server) -> None:
    events = [chunk(reasoning_content="hm "), chunk(reasoning_content="yes"), chunk(content="42"), END]
    server.answer = lambda handler: stream(handler, *events)
    assert outputs(ask(host, server, LLM))["text"] == "<think>hm yes</think>42"


def test_usage_is_estimated_when_the_endpoint_tells_none(host: Host, server: Server) -> None:
    server.answer = lambda handler: stream(handler, chunk(content="Hello there"), END)
    assert outputs(ask(host, server, LLM))["usage"]["completion_tokens"] == 4


def test_structured_output_by_response_format(host: Host, server: Server) -> None:
    server.answer = lambda handler: stream(
        handler, chunk(content='{"city": "P", '), chunk(content='"days": 3}'), END
    )
    assert outputs(ask(host, server, STRUCTURED))["structured_output"] == {"city": "P", "days": 3}
    assert server.asked[0].json["response_format"]["json_schema"]["schema"]["required"] == ["city", "days"]


def test_structured_output_by_prompt_where_the_format_is_refused(host: Host, server: Server) -> None:
    def answer(handler: Any) -> None:
        if "response_format" in server.asked[-1].json:
            send(handler, 400, '{"error": {"message": "response_format is not supported"}}')
        else:
            stream(handler, chunk(content='```json\n{"city": "P", "days": 3}\n```'), END)

    server.answer = answer
    assert outputs(ask(host, server, STRUCTURED))["structured_output"] == {"city": "P", "days": 3}
    assert len(server.asked) == 2
    assert '"days"' in server.asked[1].json["messages"][0]["content"]


def test_structured_output_that_is_no_json(host: Host, server: Server) -> None:
    assert "Failed to parse structured output" in failed(ask(host, server, STRUCTURED))["error"]


def test_classifier(host: Host, server: Server) -> None:
    reply = '```json\n{"category_id": "2", "category_name": "other"}\n```'
    server.answer = lambda handler: stream(handler, chunk(content=reply), END)
    assert outputs(ask(host, server, CLASSIFIER, ["class_name"]))["class_name"] == "other"


def test_extractor_by_a_function_call(host: Host, server: Server) -> None:
    arguments = json.dumps(
        {
            "city": "P",
            "days": 2,
            "urgent": False,
            "size": "L",
            "tags": [],
            "marks": [],
            "rows": [],
            "flags": [],
        }
    )
    first = {"index": 0, "id": "c1", "function": {"name": "extract_parameters", "arguments": arguments[:9]}}
    calls = [
        chunk(tool_calls=[first]),
        chunk(tool_calls=[{"index": 0, "function": {"arguments": arguments[9:]}}]),
    ]
    server.answer = lambda handler: stream(handler, *calls, END)
    found = outputs(ask(host, server, EXTRACTOR, ["city"]))
    assert (found["__is_success"], found["city"], found["days"], found["size"]) == (1, "P", 2, "L")
    assert server.asked[0].json["tools"][0]["function"]["name"] == "extract_parameters"


@pytest.mark.parametrize(
    ("status", "error_type"),
    [
        (401, "InvokeAuthorizationError"),
        (403, "InvokeAuthorizationError"),
        (404, "InvokeBadRequestError"),
        (429, "InvokeRateLimitError"),
        (500, "InvokeServerUnavailableError"),
        (301, "InvokeBadRequestError"),
    ],
)
def test_refusals_have_graphons_names(host: Host, server: Server, status: int, error_type: str) -> None:
    body = json.dumps({"error": {"message": f"no, {KEY} is wrong"}})
    server.answer = lambda handler: send(handler, status, body, location="http://127.0.0.1:9/")
    event = failed(ask(host, server, LLM))
    assert event["error_type"] == error_type
    assert event["error"] == f"{server.url} answered {status}: no, *** is wrong"


@pytest.mark.parametrize(
    ("events", "told"),
    [
        (["{broken"], "no JSON"),
        ([chunk(content="a"), {"error": {"message": "overloaded"}}], "overloaded"),
        (["[1]"], "no chunk of an answer"),
        ([{"choices": 5}], "no chunk of an answer"),
    ],
)
def test_broken_streams(host: Host, server: Server, events: Any, told: str) -> None:
    server.answer = lambda handler: stream(handler, *events)
    assert told in failed(ask(host, server, LLM))["error"]


def test_an_answer_without_an_end_was_broken_off(host: Host, server: Server) -> None:
    server.answer = lambda handler: send(handler, 200, f"data: {json.dumps(chunk(content='half'))}\n\n", SSE)
    assert "broke the answer off" in failed(ask(host, server, LLM))["error"]


def test_an_answer_in_one_piece(host: Host, server: Server) -> None:
    whole = {
        "choices": [{"message": {"content": "Hello"}, "finish_reason": "length"}],
        "usage": {"prompt_tokens": 4},
    }
    server.answer = lambda handler: send(handler, 200, json.dumps(whole))
    said = outputs(ask(host, server, LLM))
    assert (said["text"], said["finish_reason"], said["usage"]["prompt_tokens"]) == ("Hello", "length", 4)


def test_a_web_page_is_no_answer(host: Host, server: Server) -> None:
    server.answer = lambda handler: send(handler, 200, "<html>hello</html>", "text/html")
    assert "sent no answer" in failed(ask(host, server, LLM))["error"]


def test_an_endpoint_that_is_not_there(host: Host, server: Server) -> None:
    server.url = "http://127.0.0.1:9"
    event = failed(ask(host, server, LLM))
    assert event["error_type"] == "InvokeConnectionError"
    assert event["error"].startswith("http://127.0.0.1:9: ")


def test_a_failure_is_tried_again(host: Host, server: Server) -> None:
    def answer(handler: Any) -> None:
        if len(server.asked) == 1:
            send(handler, 503, "busy", "text/plain")
        else:
            stream(handler, chunk(content="ok"), END)

    server.answer = answer
    outcome = ask(host, server, {**LLM, **RETRY})
    assert outputs(outcome)["text"] == "ok"
    assert [e["error"] for e in outcome.kinds("NodeRunRetry")] == [f"{server.url} answered 503: busy"]


def test_an_abort_does_not_wait_for_the_endpoint(host: Host, server: Server) -> None:
    def answer(handler: Any) -> None:
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(f"data: {json.dumps(chunk(content='a'))}\n\n".encode())
        handler.wfile.flush()
        server.hold.wait(60)

    server.answer = answer
    host.begin(single(LLM, ["text"]), options={"model": {"url": server.url}})
    host.until_event("NodeRunStreamChunk", "n")
    host.send(cmd="abort", reason="enough")
    assert host.until().status == "stopped"
