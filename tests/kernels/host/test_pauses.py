"""Scheduling pauses and breakpoints: exact on every generation, and over after a resume."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kernels.host import apps
from tests.kernels.host.conftest import Hosts
from tests.kernels.host.driver import Host

pytestmark = pytest.mark.kernel


def three() -> dict[str, Any]:
    return apps.chain(
        apps.template("one", "1"),
        apps.template("two", "{{ a }}2", a=["one", "output"]),
        apps.answer("answer", "{{#two.output#}}"),
    )


@pytest.mark.parametrize("node", ["start", "one", "two", "answer"])
def test_a_breakpoint_stops_exactly_before_its_node(host: Host, node: str) -> None:
    outcome = host.run(three(), options={"break_before": [node]})
    assert outcome.status == "paused"
    order = ["start", "one", "two", "answer"]
    assert outcome.started() == order[: order.index(node)]
    (reason,) = outcome.pause["reasons"]
    assert reason["type"] == "scheduled_pause"
    assert reason["node_id"] == node
    assert node in reason["message"]
    resumed = host.resume(three(), outcome.pause, options={"break_before": [node]})
    assert resumed.started() == order[order.index(node) :]
    assert resumed.answer == "12"
    assert outcome.chunks + resumed.chunks == ["12"]


def test_every_node_may_be_a_breakpoint(host: Host) -> None:
    nodes = ["one", "two", "answer"]
    outcome, stops = host.run(three(), options={"break_before": nodes}), []
    while outcome.status == "paused":
        stops.append(outcome.pause["reasons"][0]["node_id"])
        outcome = host.resume(three(), outcome.pause, options={"break_before": nodes})
    assert stops == nodes
    assert outcome.answer == "12"


def parallel() -> dict[str, Any]:
    return apps.app(
        [
            apps.template("a", "a"),
            apps.template("b", "b"),
            apps.template("c", "c"),
            apps.answer("answer", "{{#a.output#}}{{#b.output#}}{{#c.output#}}"),
        ],
        [apps.edge("start", name) for name in "abc"] + [apps.edge(name, "answer") for name in "abc"],
    )


def test_a_breakpoint_holds_what_is_parallel_to_it(host: Host) -> None:
    outcome = host.run(parallel(), options={"break_before": ["b"]})
    assert outcome.started() == ["start", "a"]
    assert {"b"} <= {reason.get("node_id") for reason in outcome.pause["reasons"]} <= {"b", "c"}
    resumed = host.resume(parallel(), outcome.pause)
    assert sorted(resumed.started()) == ["answer", "b", "c"]
    assert resumed.answer == "abc"


def failing() -> dict[str, Any]:
    """A failed node goes on by its fail branch: graphon 0.5 and 0.6 queue the next node even while
    pausing.
    """
    return apps.app(
        [
            apps.llm("llm", error_strategy="fail-branch"),
            apps.answer("answer", "good"),
            apps.answer("sorry", "sorry"),
        ],
        [
            apps.edge("start", "llm"),
            apps.edge("llm", "answer", "success-branch"),
            apps.edge("llm", "sorry", "fail-branch"),
        ],
    )


def test_a_breakpoint_behind_a_failed_node_is_exact_too(host: Host) -> None:
    script = {"nodes": {"llm": {"fail": {"attempts": [1], "after_chunks": 0, "error": "no"}}}}
    outcome = host.run(failing(), script=script, options={"break_before": ["sorry"]})
    assert outcome.status == "paused"
    assert outcome.started() == ["start", "llm"]
    assert host.resume(failing(), outcome.pause, script=script).answer == "sorry"


def looped() -> dict[str, Any]:
    return apps.app(
        [
            apps.loop("loop", "step", count=3),
            apps.template("step", "x", "loop"),
            apps.answer("answer", "{{#loop.loop_round#}}"),
        ],
        [apps.edge("start", "loop"), apps.edge("loop_start", "step"), apps.edge("loop", "answer")],
    )


@pytest.mark.parametrize("name", ["0.8", "0.7"])
def test_a_breakpoint_in_a_loop_stops_in_every_round(hosts: Hosts, name: str) -> None:
    host = hosts[name]
    options = {"break_before": ["step"]}
    outcome, rounds = host.run(looped(), options=options), []
    while outcome.status == "paused":
        rounds += [event["index"] for event in outcome.kinds("NodeRunPauseRequested")]
        outcome = host.resume(looped(), outcome.pause, options=options)
    assert (rounds, outcome.answer) == ([0, 1, 2], "3")


@pytest.mark.parametrize("name", ["0.6", "0.5"])
def test_a_breakpoint_in_a_loop_is_refused_where_graphon_cannot_pause_there(hosts: Hosts, name: str) -> None:
    host = hosts[name]
    error = host.run(looped(), options={"break_before": ["step"]}).error
    assert error["node_id"] == "step"
    assert name in error["cause"]


def test_a_breakpoint_before_no_node_is_refused(host: Host) -> None:
    error = host.run(three(), options={"break_before": ["nowhere"]}).error
    assert "nowhere" in error["title"]
    assert "start, one, two, answer" in error["cause"]


def slow() -> dict[str, Any]:
    return apps.chain(
        apps.llm("llm"), apps.template("after", "x"), apps.answer("answer", "{{#after.output#}}")
    )


def test_a_pause_command_holds_the_next_node(host: Host) -> None:
    script = {"nodes": {"llm": {"chunks": ["a", "b"], "delay": 0.05}}}
    host.begin(slow(), script=script)
    host.until_event("NodeRunStreamChunk", "llm")
    host.send(cmd="pause", reason="lunch")
    outcome = host.until()
    assert outcome.status == "paused"
    (reason,) = outcome.pause["reasons"]
    assert (reason["message"], reason["node_id"]) == ("lunch", "after")
    assert "after" not in outcome.started()
    assert host.resume(slow(), outcome.pause, script=script).answer == "x"


def test_a_pause_that_comes_before_the_run_holds_its_first_node(host: Host) -> None:
    host.begin(three())
    host.begin(three())
    host.send(cmd="pause", reason="not yet")
    first, second = host.until(), host.until()
    assert first.status == "succeeded"
    assert (second.status, second.started()) == ("paused", [])


def test_a_pause_after_the_last_node_comes_too_late(host: Host) -> None:
    assert host.run(three()).status == "succeeded"
    host.send(cmd="pause")
    assert host.run(three()).status == "succeeded"
