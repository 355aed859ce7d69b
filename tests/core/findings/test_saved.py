"""What a saved pause will do: the seven shapes of pause and resume, for each Dify that may resume them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.little_engine import BRANCH, HUMAN, START, Run, graph, node
from workbench.core.finding import Finding
from workbench.core.findings import diagnose_saved
from workbench.core.graph import Graph

HELLO = node("answer", "response", text="Hello {{#human.note#}}!")
FIRST = node("first", "response", text="First. ")
ASSIGN = node("assign", node_type="assigner", writes=frozenset({("conversation", "c")}))


def c0() -> Run:
    return (
        Run(graph([START, HUMAN, HELLO], "start>human", "human:ok>answer")).complete("start").pause("human")
    )


def t1() -> Run:
    app = graph([START, BRANCH, HUMAN, HELLO], "start>branch", "branch:true>human", "human:ok>answer")
    return Run(app).complete("start").complete("branch", "true", result=True).pause("human")


def t2() -> Run:
    before = node("before", "branch", "human-input")
    app = graph([START, before, HUMAN, HELLO], "start>before", "before:ok>human", "human:ok>answer")
    run = Run(app).complete("start").pause("before").resume()
    return run.complete("before", "ok", note="n").pause("human")


def t3() -> Run:
    app = graph([START, FIRST, HUMAN, HELLO], "start>first", "first>human", "human:ok>answer")
    return Run(app).complete("start").complete("first").pause("human")


def t4() -> Run:
    answer = node("answer", "response", text="c={{#conversation.c#}}")
    app = graph([START, ASSIGN, HUMAN, answer], "start>assign", "assign>human", "human:ok>answer")
    run = Run(app, {"conversation": {"c": "OLD"}}).complete("start").start("assign")
    run.tell("NodeRunVariableUpdated", node="assign", xid="x", selector=["conversation", "c"], value="NEW")
    return run.complete("assign").pause("human")


def t4b() -> Run:
    answer = node("answer", "response", text="llm said {{#llm.text#}}")
    app = graph([START, node("llm"), HUMAN, answer], "start>llm", "llm>human", "human:ok>answer")
    return (
        Run(app)
        .complete("start")
        .start("llm")
        .chunks("llm", "a", "b")
        .complete("llm", text="ab")
        .pause("human")
    )


def t5() -> Run:
    answer = node("answer", "response", text="llm said {{#llm.text#}}; note {{#human.note#}}")
    app = graph(
        [START, node("llm"), HUMAN, answer], "start>llm", "start>human", "llm>answer", "human:ok>answer"
    )
    return (
        Run(app)
        .complete("start")
        .start("llm")
        .chunks("llm", "a", "b")
        .complete("llm", text="ab")
        .pause("human")
    )


SHAPES = {
    "c0": (c0, set(), ()),
    "t1": (t1, {"answer-locked-before-pause"}, ("branch:true>human",)),
    "t2": (t2, {"answer-locked-before-pause"}, ("before:ok>human",)),
    "t3": (t3, {"answer-locked-before-pause", "answer-replayed"}, ("first>human",)),
    "t4": (t4, {"answer-locked-before-pause"}, ("assign>human",)),
    "t4b": (t4b, set(), ()),
    "t5": (t5, {"answer-replayed"}, ()),
}


def saved(run: Run) -> tuple[Graph, Any, Any]:
    return run.graph, run.base(), run.timeline.at(len(run.events)).gate


def troubles(findings: tuple[Finding, ...]) -> set[str]:
    return {finding.code for finding in findings if finding.severity != "info"}


@pytest.mark.parametrize("shape", SHAPES)
def test_with_its_gate_every_shape_is_healthy(shape: str) -> None:
    graph_, base, gate = saved(SHAPES[shape][0]())
    for dify in (None, "1.16.1", "1.17", "main"):
        findings, answers = diagnose_saved(graph_, base, gate, dify)
        assert troubles(findings) == set()
        assert all(answer.state in ("locked", "active", "done") for answer in answers)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("given", "dify"), [(False, None), (False, "main"), (True, "1.15.0"), (False, "1.15")]
)
def test_without_it_each_shape_suffers_its_own_harm(shape: str, given: bool, dify: str | None) -> None:
    make, codes, lost = SHAPES[shape]
    graph_, base, gate = saved(make())
    findings, _ = diagnose_saved(graph_, base, gate if given else None, dify)
    assert troubles(findings) == codes | ({"gate-state-missing"} if codes else set())
    assert {edge for finding in findings if finding.severity != "info" for edge in finding.edges} == set(lost)
    missing = next(finding for finding in findings if finding.code == "gate-state-missing")
    assert missing.severity == ("error" if codes else "info")
    assert ("workbench heal" in missing.advice) == (bool(codes) and not given)
    assert ("which reads the gate state that was saved" in missing.advice) == (bool(codes) and given)
    if dify:
        assert ("Dify " + dify in missing.message) == (dify.startswith("1.15"))


def test_the_message_names_nodes_edges_and_what_to_do() -> None:
    graph_, base, _ = saved(t1())
    findings, _ = diagnose_saved(graph_, base, None, "1.15.0")
    locked = next(finding for finding in findings if finding.code == "answer-locked-before-pause")
    assert '"The answer" (answer)' in locked.message
    assert '"The branch" -> "The human" [true] (branch:true>human)' in locked.message
    assert "Dify 1.15.0 saves no gate state" in locked.message
    assert "1.16" in locked.advice


def test_the_coordinator_of_dify_1_14_is_read_by_dify_1_14_only() -> None:
    graph_, base, gate = saved(t1())
    assert troubles(diagnose_saved(graph_, base, None, "1.14.2", coordinator=gate)[0]) == set()
    findings, _ = diagnose_saved(graph_, base, None, "1.16.0", coordinator=gate)
    assert "answer-locked-before-pause" in troubles(findings)
    assert "response_coordinator" in findings[0].message


def test_a_gate_that_lost_its_edge_at_an_earlier_resume_is_told_though_it_was_saved() -> None:
    before = node("before", "branch", "human-input")
    app = graph([START, before, HUMAN, HELLO], "start>before", "before:ok>human", "human:ok>answer")
    run = Run(app).complete("start").pause("before").resume()
    run.complete("before", "ok", note="n").pause("human").resume("fresh").pause("human")
    findings, _ = diagnose_saved(*saved(run), None)
    assert troubles(findings) == {"answer-locked-before-pause"}
    assert "earlier resume" in findings[0].message


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda gate: {**gate, "paths_map": {"answer": [["gone"]]}}, "gone"),
        (
            lambda gate: {**gate, "response_nodes": [], "pending_sessions": [], "paths_map": {}},
            "does not know",
        ),
        (lambda gate: {**gate, "pending_sessions": [{"node_id": "other", "index": 0}]}, "other"),
        (lambda gate: {**gate, "stream_positions": 3}, "can't be read"),
    ],
)
def test_a_gate_of_another_version_of_the_app(change: Any, told: str) -> None:
    graph_, base, gate = saved(t1())
    findings, _ = diagnose_saved(graph_, base, change(gate), None)
    finding = next(finding for finding in findings if finding.code == "graph-changed-while-paused")
    assert finding.severity == "error"
    assert told in finding.message


def test_a_bare_gate_state_tells_where_its_answers_stand() -> None:
    graph_, _, gate = saved(t1())
    findings, answers = diagnose_saved(graph_, None, gate, None)
    assert troubles(findings) == set()
    assert answers[0].blocking == ("human:ok>answer",)
    assert answers[0].taken == ("branch:true>human",)


def test_a_head_that_waits_for_what_can_not_come_any_more() -> None:
    answer = node("answer", "response", text="{{#llm.nothing#}}")
    app = graph([START, node("llm", data={}), HUMAN, answer], "start>llm", "llm>human", "llm>answer")
    run = Run(app).complete("start").complete("llm", text="x").pause("human")
    findings, _ = diagnose_saved(*saved(run), None)
    assert {"queue-head-starved", "variable-reference-broken"} == troubles(findings)
