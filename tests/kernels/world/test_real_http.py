"""HTTP requests for real, against a server on this machine."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.kernels.host.driver import Host, Outcome
from tests.kernels.world.apps import HTTP, single
from tests.kernels.world.servers import Server, send, serving
from tests.kernels.world.test_nodes import failed, outputs

pytestmark = pytest.mark.kernel

REAL = {"real_http": True}


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(lambda handler: send(handler, 200, json.dumps({"path": handler.path}))) as made:
        yield made


def run(host: Host, server: Server, path: str = "/x", data: Any = None, **more: Any) -> Outcome:
    payload = single({**HTTP, **(data or {}), "url": server.url + path}, ["body"])
    return host.run(payload, options=REAL, **more)


def test_a_request_goes_out(host: Host, server: Server) -> None:
    data = {
        "method": "post",
        "headers": "X-A:1",
        "params": "q:{{#sys.query#}}",
        "body": {
            "type": "json",
            "data": [{"key": "", "type": "text", "value": '{"said": "{{#sys.query#}}"}'}],
        },
    }
    outcome = run(host, server, "/a?b=1", data)
    found = outputs(outcome)
    assert (found["status_code"], json.loads(found["body"])["path"].split("?")[0]) == (200, "/a")
    asked = server.asked[0]
    assert (asked.method, asked.json, asked.headers["x-a"]) == ("POST", {"said": "hi"}, "1")
    assert "q=hi" in asked.path
    assert [m["text"] for m in outcome.of("note")] == [f"HTTP requests go out for real: {server.url}."]


def test_scripted_requests_stay_scripted(newest: Host, server: Server) -> None:
    outcome = run(newest, server, script={"nodes": {"n": {"body": "mine"}}})
    assert outputs(outcome)["body"] == "mine"
    assert server.asked == []


def test_redirects_are_followed_but_not_for_ever(newest: Host, server: Server) -> None:
    def answer(handler: Any) -> None:
        if handler.path == "/from":
            send(handler, 302, "", location="/to")
        elif handler.path == "/round":
            send(handler, 302, "", location="/round")
        else:
            send(handler, 200, "arrived", "text/plain")

    server.answer = answer
    assert outputs(run(newest, server, "/from"))["body"] == "arrived"
    assert "redirect" in failed(run(newest, server, "/round"))["error"]


def test_too_large_answers_are_refused(newest: Host, server: Server) -> None:
    server.answer = lambda handler: send(handler, 200, b"x" * 11_000_000, "text/plain")
    assert "larger than 10 MB" in failed(run(newest, server))["error"]


def test_a_packed_bomb_is_refused(newest: Host, server: Server) -> None:
    bomb = gzip.compress(b"\0" * 200_000_000)
    server.answer = lambda handler: send(handler, 200, bomb, "text/plain", **{"content-encoding": "gzip"})
    assert "larger than 10 MB" in failed(run(newest, server))["error"]


def test_nobody_answers(newest: Host, server: Server) -> None:
    server.url = "http://127.0.0.1:9"
    assert failed(run(newest, server))["error"].startswith("GET http://127.0.0.1:9: ")


def test_the_path_of_a_url_stays_out_of_notes_and_errors(newest: Host, server: Server) -> None:
    server.url = "http://user:secret@127.0.0.1:9"
    outcome = run(newest, server, "/token")
    assert "secret" not in failed(outcome)["error"]
    assert all("secret" not in m["text"] for m in outcome.of("note"))


def test_files_arrive_as_files(newest: Host, server: Server) -> None:
    server.answer = lambda handler: send(handler, 200, b"\x89PNG....", "image/png")
    found = outputs(run(newest, server, "/pic.png"))
    assert [(f["type"], f["mime_type"], f["size"]) for f in found["files"]] == [("image", "image/png", 8)]


def test_an_abort_does_not_wait_for_the_server(newest: Host, server: Server) -> None:
    server.answer = lambda handler: server.hold.wait(60)
    newest.begin(single({**HTTP, "url": server.url}, ["body"]), options=REAL)
    newest.until_event("NodeRunStarted", "n")
    newest.send(cmd="abort", reason="enough")
    assert newest.until().status == "stopped"
