"""Answers that can't run: told before a run, and true on every engine kernel."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from tests.conftest import CACHE
from tests.core.little_engine import START, graph, node
from tests.heal.random_apps import random_app
from workbench.core.blocking import scope_of
from workbench.core.finding import Finding
from workbench.core.findings import check
from workbench.core.findings.foretelling import walks
from workbench.core.findings.unreachable import _Ways
from workbench.core.graph import Graph
from workbench.core.graph_of import graph_of
from workbench.engine.client import Client
from workbench.engine.kernels import ensure
from workbench.records.app import App, read_app
from workbench.records.inputs import fill_inputs, system_variables

CODE = "answer-unreachable"
KERNELS = ["graphon-0.8", "graphon-0.7", "graphon-0.6", "graphon-0.5"]
ANSWER = node("answer", "response", text="Hello")
LEFT = node("left", "response", text="Left over")
LLM = node("llm")
CASES = node(
    "branch", "branch", "if-else", data={"cases": [{"case_id": "big", "id": "b1"}, {"case_id": "small"}]}
)


def told(app: Graph, mode: str | None = None) -> list[Finding]:
    return [finding for finding in check(app, mode=mode)[0] if finding.code == CODE]


def test_a_leftover_beside_an_answer_that_runs_is_information() -> None:
    (finding,) = told(graph([START, ANSWER, LEFT], "start>answer"))
    assert (finding.severity, finding.node_id) == ("info", "left")
    assert "no edge leads to it" in finding.message


def test_nothing_leads_to_any_answer() -> None:
    (finding,) = told(graph([START, LLM, ANSWER], "start>llm"))
    assert finding.severity == "error"
    assert "No Answer of the app ever runs" in finding.message


def test_the_answer_stands_behind_a_node_that_hangs_on_nothing() -> None:
    (finding,) = told(graph([START, node("a"), LLM, ANSWER], "start>a", "llm>answer"))
    assert 'it stands behind "The llm" (llm), and no edge leads to "The llm" (llm)' in finding.message


def test_an_edge_of_a_case_that_is_gone() -> None:
    app = graph([START, CASES, ANSWER, LEFT], "start>branch", "branch:big>answer", "branch:b1>left")
    (finding,) = told(app)
    assert (finding.severity, finding.node_id, finding.edges) == ("warning", "left", ("branch:b1>left",))
    assert "never leaves by [b1], only by [big], [small] and [false]" in finding.message


def test_an_edge_that_is_never_decided_holds_the_answer() -> None:
    """On the canvas the Answer looks connected: one edge does lead to it."""
    app = graph([START, LLM, ANSWER, node("loose")], "start>llm", "llm>answer", "loose>answer")
    (finding,) = told(app)
    assert (finding.severity, finding.edges) == ("error", ("loose>answer",))
    assert "it also waits for" in finding.message
    assert 'no edge leads to "The loose" (loose)' in finding.message


def test_a_circle_before_the_answer() -> None:
    app = graph([START, LLM, node("b"), ANSWER], "start>llm", "llm>b", "b>llm", "b>answer")
    (finding,) = told(app)
    assert "circle" in finding.message or "waits for" in finding.message


def test_an_answer_behind_another_entry_is_reachable() -> None:
    hook = node("hook", "root", "trigger-webhook")
    app = graph([START, hook, ANSWER, LEFT], "start>answer", "hook>left", "hook>answer")
    assert told(app) == []


def test_a_chatflow_needs_an_answer() -> None:
    (finding,) = told(graph([START, LLM], "start>llm"), "advanced-chat")
    assert (finding.severity, finding.node_id) == ("error", None)
    assert told(graph([START, LLM], "start>llm"), "workflow") == []


def test_many_leftovers_do_not_flood_the_page() -> None:
    nodes = [START, ANSWER, *(node(f"left{n}", "response", text="x") for n in range(50))]
    assert len(told(graph(nodes, "start>answer"))) == 5


def broken_app(seed: int) -> tuple[App, dict[str, Any]]:
    """A random chatflow with edges lost, handles spoilt and loose nodes that lead into it."""
    draw = Random(seed)
    data, script = random_app(seed)
    document = json.loads(data)
    flow = document["workflow"]["graph"]
    for _ in range(draw.randint(1, 3)):
        kind = draw.choice(["lose", "spoil", "loose"])
        edge = draw.choice(flow["edges"]) if flow["edges"] else None
        if kind == "lose" and edge:
            flow["edges"].remove(edge)
        elif kind == "spoil" and edge:
            edge["sourceHandle"] = "gone"
        else:
            loose = f"loose{len(flow['nodes'])}"
            template = {"type": "template-transform", "title": loose, "template": "x", "variables": []}
            target = draw.choice(flow["nodes"][1:])["id"]
            flow["nodes"].append({"id": loose, "type": "custom", "data": template})
            flow["edges"].append({"source": loose, "sourceHandle": "source", "target": target})
    return read_app(json.dumps(document).encode(), f"broken {seed}"), script


def test_all_ways_together_run_exactly_what_can_run() -> None:
    compared = 0
    for seed in range(200):
        app, _ = broken_app(seed)
        app_graph = graph_of(app.graph, app.root)
        scope = scope_of(app_graph)
        walked = list(walks(app_graph, scope))
        if len(walked) >= 100:
            continue
        compared += 1
        assert {ran for walk in walked for ran in walk.ran} == _Ways(scope).runs, seed
    assert compared > 150


@pytest.fixture(params=KERNELS)
def client(request: pytest.FixtureRequest) -> Iterator[Client]:
    with Client(ensure(request.param, CACHE, lambda _: None)) as made:
        yield made


def ran_on(client: Client, app: App, script: dict[str, Any]) -> set[str]:
    """The nodes that a run completes, every form approved."""
    order: dict[str, Any] = {"run_id": "run-1", "app": app.payload(), "script": script, "options": {}}
    system = system_variables(app, query="hi", run_id="run-1")
    command: dict[str, Any] = {"cmd": "run", "inputs": fill_inputs(app, {}), "system": system}
    ran: set[str] = set()
    for _ in range(8):
        client.send({**order, **command})
        end: dict[str, Any] = {}
        for message in client.messages():
            assert message["msg"] != "error", message
            if message["msg"] == "event" and message["event"]["kind"] == "NodeRunSucceeded":
                ran.add(message["event"]["node"])
            elif message["msg"] == "end":
                end = dict(message)
                break
        if end["pause"] is None:
            return ran
        form = {end["pause"]["reasons"][0]["node_id"]: {"action": "approve", "fields": {"note": "n"}}}
        gate = {"mode": "restored", "state": end["pause"]["gate"]}
        command = {"cmd": "resume", "state": end["pause"]["state"], "forms": form, "gate": gate}
    raise AssertionError("it pauses for ever")


@pytest.mark.kernel
@pytest.mark.timeout(600)
def test_what_is_told_is_true_on_the_real_engine(client: Client) -> None:
    unreachable = 0
    for seed in range(40):
        app, script = broken_app(seed)
        app_graph = graph_of(app.graph, app.root)
        never = {finding.node_id for finding in told(app_graph)}
        unreachable += len(never)
        ran = ran_on(client, app, script)
        assert not never & ran, seed
        assert ran <= _Ways(scope_of(app_graph)).runs, seed
    assert unreachable > 20
