"""Abort and limits: a run ends when it is told to, whatever its nodes are doing."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.kernels.host import apps
from tests.kernels.host.driver import Host, Outcome

pytestmark = pytest.mark.kernel

WAITING = {"nodes": {"llm": {"chunks": ["a", "b"], "delay": 60}}}


def waiting() -> dict[str, Any]:
    return apps.chain(apps.llm("llm"), apps.answer("answer", "{{#llm.text#}}"))


PATIENT = {"abort_grace": 30}
"""For tests of a clean end: a loaded machine must not make the host leave."""


def abort(host: Host) -> tuple[Outcome, float]:
    """The rest of the run, and the seconds from the command to its end."""
    began = time.monotonic()
    host.send(cmd="abort", reason="enough")
    outcome = host.until()
    return outcome, time.monotonic() - began


def test_an_abort_ends_a_waiting_model_cleanly(host: Host) -> None:
    host.begin(waiting(), script=WAITING, limits=PATIENT)
    host.until_event("NodeRunStarted", "llm")
    outcome, seconds = abort(host)
    assert outcome.status == "stopped"
    assert outcome.end["error"] == "enough"
    assert outcome.events[-1]["kind"] == "GraphRunAborted"
    # It takes 2 to 10 ms; a loaded test machine gets a second.
    assert seconds < 1
    # The kernel is as good as before.
    assert host.run(apps.chain(apps.answer("answer", "next"))).answer == "next"


def test_an_abort_ends_a_loop(host: Host) -> None:
    given = apps.app(
        [
            apps.loop("loop", "llm", count=100),
            apps.llm("llm", "loop"),
            apps.answer("answer", "x"),
        ],
        [apps.edge("start", "loop"), apps.edge("loop_start", "llm"), apps.edge("loop", "answer")],
    )
    host.begin(given, script=WAITING, limits=PATIENT)
    host.until_event("NodeRunStarted", "llm")
    outcome, seconds = abort(host)
    assert outcome.status == "stopped"
    assert seconds < 1
    assert host.run(apps.chain(apps.answer("answer", "next"))).answer == "next"


def test_an_abort_before_the_run_lets_no_node_start(host: Host) -> None:
    host.begin(apps.chain(apps.answer("answer", "first")))
    host.begin(waiting(), script=WAITING, limits=PATIENT)
    host.send(cmd="abort", reason="never mind")
    assert host.until().status == "succeeded"
    outcome = host.until()
    assert outcome.status == "stopped"
    assert "llm" not in outcome.started()


def test_an_abort_without_a_run_is_nothing(host: Host) -> None:
    host.send(cmd="abort", reason="who?")
    assert host.run(apps.chain(apps.answer("answer", "ok"))).answer == "ok"


def test_a_node_that_hears_nothing_ends_with_its_process(generation: str) -> None:
    """graphon repairs a broken JSON body in quadratic time, deaf to everything: the host tells the end and
    leaves the process.
    """
    body = {"type": "json", "data": [{"key": "", "type": "text", "value": '[{"a":"' * 8000}]}
    deaf = apps.node(
        "deaf",
        "http-request",
        method="post",
        url="http://x.test/",
        authorization={"type": "no-auth", "config": None},
        headers="",
        params="",
        body=body,
        timeout={},
    )
    with Host(generation) as host:
        host.begin(apps.chain(deaf, apps.answer("answer", "x")))
        host.until_event("NodeRunStarted", "deaf")
        outcome, seconds = abort(host)
        assert outcome.status == "stopped"
        assert outcome.end["error"] == "enough"
        assert seconds < 2
        assert host.ended()
        assert host.process.wait(5) == 0


def test_the_limit_of_steps(host: Host) -> None:
    given = apps.chain(*(apps.template(f"t{i}", "x") for i in range(6)), apps.answer("answer", "x"))
    outcome = host.run(given, limits={"max_steps": 4})
    assert outcome.status == "failed"
    assert "max_steps" in outcome.end["error"]
    assert outcome.started() == ["start", "t0", "t1", "t2"]
    assert host.run(given, limits={"max_steps": 8}).status == "succeeded"


def test_the_limit_of_seconds(host: Host) -> None:
    outcome = host.run(waiting(), script=WAITING, limits={"max_seconds": 0.3})
    assert outcome.status == "failed"
    assert "max_seconds" in outcome.end["error"]
    assert "0.3 seconds" in outcome.end["error"]


@pytest.mark.parametrize("node", ["llm", "big"])
def test_the_limit_of_output(host: Host, node: str) -> None:
    parts: dict[str, Any] = {
        "llm": apps.llm("llm"),
        "big": apps.template("big", "{{ q }}{{ q }}", q=["sys", "query"]),
    }
    script = {"nodes": {"llm": {"chunks": ["x" * 600, "y" * 600]}}}
    given = apps.chain(parts[node], apps.answer("answer", "x"))
    outcome = host.run(given, "z" * 600, script=script, limits={"max_output_bytes": 1000})
    assert outcome.status == "failed"
    assert "max_output_bytes" in outcome.end["error"]
    assert node in outcome.end["error"]


@pytest.mark.parametrize("count", [5, 50])
def test_the_limit_of_rounds(host: Host, count: int) -> None:
    given = apps.app(
        [
            apps.loop("loop", "step", count=count),
            apps.template("step", "x", "loop"),
            apps.answer("answer", "{{#loop.loop_round#}}"),
        ],
        [apps.edge("start", "loop"), apps.edge("loop_start", "step"), apps.edge("loop", "answer")],
    )
    outcome = host.run(given, limits={"max_loop_rounds": 5})
    if count == 5:
        assert outcome.answer == "5"
    else:
        assert outcome.status == "failed"
        assert "max_loop_rounds" in outcome.end["error"]


@pytest.mark.parametrize("value", [0, -1, "many", True])
def test_a_limit_that_is_no_number_is_refused(newest: Host, value: Any) -> None:
    error = newest.run(waiting(), limits={"max_steps": value}).error
    assert "max_steps" in error["title"]


def test_retries_do_not_wait_in_a_scripted_run(host: Host) -> None:
    retry = {"retry_enabled": True, "max_retries": 3, "retry_interval": 60_000}
    given = apps.chain(apps.llm("llm", retry_config=retry), apps.answer("answer", "{{#llm.text#}}"))
    script = {"nodes": {"llm": {"chunks": ["ok"], "fail": {"attempts": [1, 2], "error": "busy"}}}}
    outcome = host.run(given, script=script)
    assert outcome.answer == "ok"
    assert [event["retry_index"] for event in outcome.kinds("NodeRunRetry")] == [1, 2]
