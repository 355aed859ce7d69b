"""An app that can't be built or run gets a clear error, and the kernel serves the next command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.kernels.host import apps
from tests.kernels.host.driver import Host

pytestmark = pytest.mark.kernel


def good() -> dict[str, Any]:
    return apps.chain(apps.llm("llm"), apps.answer("answer", "{{#llm.text#}}"))


def changed(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    made = good()
    change(made)
    return made


def in_node(position: int, **data: Any) -> dict[str, Any]:
    return changed(lambda app: app["graph"]["nodes"][position]["data"].update(data))


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


BAD: dict[str, tuple[Any, str]] = {
    "no app": (None, "holds no graph"),
    "a text": ("app", "holds no graph"),
    "no graph": ({"root": "start"}, "holds no graph"),
    "nodes are no list": (changed(lambda a: a["graph"].update(nodes={"a": 1})), "nodes is not a list"),
    "a node is a text": (changed(lambda a: a["graph"]["nodes"].append("x")), "nodes is not a list"),
    "a node without id": (changed(lambda a: a["graph"]["nodes"][1].pop("id")), "A node has no id"),
    "a node with a number as id": (
        changed(lambda a: a["graph"]["nodes"][1].update(id=7)),
        "A node has no id",
    ),
    "two nodes of one id": (
        changed(lambda a: a["graph"]["nodes"].append(a["graph"]["nodes"][1])),
        "Two nodes have the same id",
    ),
    "a node without type": (
        changed(lambda a: a["graph"]["nodes"][1]["data"].pop("type")),
        "A node has no type",
    ),
    "a node without data": (changed(lambda a: a["graph"]["nodes"][1].pop("data")), "A node has no type"),
    "no root": (changed(lambda a: a.update(root="nowhere")), "no start node"),
    "an edge without id": (changed(lambda a: a["graph"]["edges"][0].pop("id")), "An edge has no id"),
    "edges are no list": (changed(lambda a: a["graph"].update(edges="x")), "edges is not a list"),
    "variables are no list": (changed(lambda a: a.update(environment_variables=3)), "environment_variables"),
    "a model that is a text": (in_node(1, model="gpt"), "Llm"),
    "a prompt that is a number": (in_node(1, prompt_template=5), "Llm"),
    "an answer that is a list": (in_node(2, answer=["x"]), "Answer"),
    "an unknown error strategy": (in_node(1, error_strategy="hope"), "build the graph"),
    "a root that is no start": (changed(lambda a: a.update(root="llm")), "llm"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_app_is_refused(host: Host, case: str) -> None:
    given, words = BAD[case]
    outcome = host.run(given)
    if case == "a root that is no start":  # some generations take any node as root
        assert outcome.messages[-1]["msg"] in ("error", "end")
    else:
        error = outcome.error
        assert words in error["title"], error
        assert error["next_step"]
        assert "Traceback" not in error["cause"]
        assert "internal" not in error
        if case == "an unknown error strategy":
            assert error["node_id"] == "llm"
    assert host.run(apps.chain(apps.answer("answer", "still here"))).answer == "still here"


def test_the_error_names_the_node(host: Host) -> None:
    error = host.run(in_node(1, prompt_template=5)).error
    assert error["node_id"] == "llm"
    assert "prompt_template" in error["cause"]
    assert "errors.pydantic.dev" not in error["cause"]


def test_an_unknown_type_runs_as_a_stub_and_says_so(host: Host) -> None:
    given = apps.chain(apps.node("odd", "hologram"), apps.answer("answer", "x"))
    outcome = host.run(given)
    assert outcome.status == "succeeded"
    assert any("hologram" in message["text"] for message in outcome.of("note"))


def test_edges_that_lead_nowhere_and_cycles_end(host: Host) -> None:
    """Whatever comes of it, it is told and it ends."""
    graphs = {
        "dangling": good()["graph"]["edges"] + [apps.edge("llm", "ghost")],
        "self": good()["graph"]["edges"] + [apps.edge("llm", "llm")],
        "back": good()["graph"]["edges"] + [apps.edge("answer", "llm")],
        "none": [],
    }
    for edges in graphs.values():
        made = good()
        made["graph"]["edges"] = edges
        outcome = host.run(made, limits={"max_seconds": 5})
        assert outcome.messages[-1]["msg"] in ("error", "end")
    assert host.run(good()).status == "succeeded"


def test_a_container_without_its_start_fails(host: Host) -> None:
    for marker in (None, "ghost"):
        given = apps.app(
            [apps.loop("loop", "step"), apps.template("step", "x", "loop"), apps.answer("answer", "x")],
            [apps.edge("start", "loop"), apps.edge("loop_start", "step"), apps.edge("loop", "answer")],
        )
        given["graph"]["nodes"][1]["data"]["start_node_id"] = marker
        outcome = host.run(given, limits={"max_seconds": 10})
        if outcome.messages[-1]["msg"] == "end":
            assert outcome.status == "failed"
            assert outcome.end["error"]
    assert host.run(good()).status == "succeeded"


def test_containers_that_hold_each_other_end(host: Host) -> None:
    given = apps.app(
        [
            apps.loop("one", "x", parent="two"),
            apps.loop("two", "x", parent="one"),
            apps.answer("answer", "x"),
        ],
        [apps.edge("start", "answer")],
    )
    outcome = host.run(given, limits={"max_seconds": 10})
    assert outcome.messages[-1]["msg"] in ("error", "end")
    assert host.run(good()).status == "succeeded"


@pytest.mark.parametrize("levels", [50, 900, 5_000])
def test_deep_data_ends(host: Host, levels: int) -> None:
    outcome = host.run(in_node(1, extra=deep(levels))) if levels < 950 else _send_deep(host, levels)
    assert outcome.messages[-1]["msg"] in ("error", "end")
    assert host.run(good()).status == "succeeded"


def _send_deep(host: Host, levels: int) -> Any:
    """Python's own encoder gives up at this depth."""
    nested = b"[" * levels + b'"x"' + b"]" * levels
    host.open_commands += 1
    host.send_bytes(b'{"cmd": "run", "run_id": "r", "app": {"graph": {"nodes": %s}}}\n' % nested)
    return host.until()


def test_a_script_that_breaks_the_world_is_an_error_not_a_crash(host: Host) -> None:
    outcome = host.run(good(), script={"nodes": {"llm": {"chunks": [{"odd": 1}]}}})
    assert outcome.messages[-1]["msg"] in ("error", "end")
    assert host.run(good()).status == "succeeded"


def test_a_form_without_actions_pauses_and_only_times_out(host: Host) -> None:
    given = apps.app(
        [apps.human("ask", user_actions=[]), apps.answer("late", "late")],
        [apps.edge("start", "ask"), apps.edge("ask", "late", "__timeout")],
    )
    pause = host.run(given).pause
    assert pause["reasons"][0]["actions"] == []
    assert "has no action" in host.resume(given, pause, forms={"ask": {"action": "go"}}).error["title"]
    assert host.resume(given, pause, forms={"ask": {"action": "__timeout"}}).answer == "late"
