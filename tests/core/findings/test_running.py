"""Findings about runs, beyond what the fixtures play on the real engines."""

from __future__ import annotations

import pytest

from tests.core.little_engine import BRANCH, HUMAN, START, Run, graph, node
from workbench.core.finding import Finding
from workbench.core.findings import CODES, diagnose, explain
from workbench.core.replay import Journal, Segment, Timeline
from workbench.errors import NotFoundError

HELLO = node("answer", "response", text="Hello {{#human.note#}}!")
FIRST = node("first", "response", text="First. ")


def found(run: Run) -> dict[str, Finding]:
    """What is wrong with a run, by code."""
    return {f.code: f for f in diagnose(run.graph, run.timeline) if f.severity != "info"}


def if_else() -> Run:
    other = node("other", "response", text="Nothing to ask.")
    app = graph(
        [START, BRANCH, HUMAN, HELLO, other],
        "start>branch",
        "branch:true>human",
        "branch:false>other",
        "human:ok>answer",
    )
    return Run(app).complete("start").complete("branch", "true", result=True).pause("human")


def test_the_lost_edge_is_named_with_its_step() -> None:
    run = if_else()
    step = next(n for n, e in enumerate(run.events, 1) if e.get("edge") == "branch:true>human")
    run.resume("fresh").complete("human", "ok", note="Ann").complete("answer").end()
    finding = found(run)["answer-locked-before-pause"]
    assert finding.edges == ("branch:true>human",)
    assert finding.steps == (step,)
    assert f'"The branch" -> "The human" [true] (branch:true>human), taken at step {step}' in finding.message
    assert list(found(run)) == ["answer-locked-before-pause"]


def test_restored_there_is_nothing_to_say_but_the_branch_that_was_not_taken() -> None:
    run = if_else().resume().complete("human", "ok", note="Ann").complete("answer").end()
    (finding,) = diagnose(run.graph, run.timeline)
    assert (finding.code, finding.severity, finding.node_id) == ("branch-not-taken", "info", "other")
    assert finding.edges == ("branch:false>other",)
    assert "the run went" in finding.message


def test_an_edge_lost_at_the_first_of_two_resumes_stays_lost() -> None:
    second = node("second", "branch", "human-input", data={"inputs": [{"output_variable_name": "note"}]})
    answer = node("answer", "response", text="Hello {{#second.note#}}")
    app = graph(
        [START, BRANCH, HUMAN, second, answer],
        "start>branch",
        "branch:true>human",
        "human:ok>second",
        "second:ok>answer",
    )
    run = Run(app).complete("start").complete("branch", "true").pause("human").resume("fresh")
    run.complete("human", "ok", note="x").pause("second")
    assert "will stay silent" in found(run)["answer-locked-before-pause"].message
    lost_at = run.segments[1].first_step
    run.resume().complete("second", "ok", note="Ann").complete("answer").end()
    finding = found(run)["answer-locked-before-pause"]
    assert finding.edges == ("branch:true>human",)
    assert f"the resume at step {lost_at}" in finding.message


def test_a_file_resumed_without_its_gate_repeats_what_was_open() -> None:
    app = graph([START, FIRST, HUMAN, HELLO], "start>first", "first>human", "human:ok>answer")
    before = Run(app).complete("start").complete("first").pause("human")
    later = Run(app)
    later.events[:] = [{"kind": "GraphRunStarted", "reason": "resumption"}]
    later.complete("human", "ok", note="Ann").complete("answer").end()
    journal = Journal({}, (Segment(1, "fresh", None, before.base()),), tuple(later.events))
    codes = {f.code: f for f in diagnose(app, Timeline(app, journal)) if f.severity != "info"}
    assert set(codes) == {"answer-locked-before-pause", "answer-replayed"}
    assert codes["answer-locked-before-pause"].edges == ("first>human",)
    gate = before.timeline.at(len(before.events)).gate
    journal = Journal({}, (Segment(1, "restored", gate, before.base()),), tuple(later.events))
    assert [f for f in diagnose(app, Timeline(app, journal)) if f.severity != "info"] == []


def test_parallel_answers_in_another_order() -> None:
    """Both open at once, C first by its id; Z runs first."""
    c, z = node("c", "response", text="C{{#late.text#}}"), node("z", "response", text="Z")
    app = graph([START, node("late"), c, z], "start>late", "late>c", "start>z")
    run = (
        Run(app)
        .complete("start")
        .complete("z")
        .chunks("late", "!")
        .complete("late", text="!")
        .complete("c")
        .end()
    )
    assert run.timeline.at(len(run.events)).streamed == "C!Z"
    finding = found(run)["parallel-answers-order"]
    assert finding.severity == "warning"
    assert '"The c" (c) and "The z" (z) in this order' in finding.message


def test_a_text_that_the_node_reworked_after_streaming() -> None:
    app = graph(
        [START, node("llm"), node("answer", "response", text="{{#llm.text#}}")], "start>llm", "llm>answer"
    )
    run = Run(app).complete("start").start("llm").chunks("llm", "<think>", "hi").complete("llm", text="hi")
    finding = found(run.complete("answer").end())["stream-differs-from-answer"]
    assert "changed the text after streaming" in finding.message


def test_a_variable_that_changed_between_stream_and_answer() -> None:
    code = node("code", node_type="code", data={"outputs": {"v": {}}})
    app = graph([START, code, node("answer", "response", text="{{#code.v#}}")], "start>code", "code>answer")
    run = Run(app).complete("start").complete("code", v="old")
    run.tell("NodeRunVariableUpdated", node="code", xid="x", selector=["code", "v"], value="new")
    finding = found(run.complete("answer", answer="new").end())["stream-differs-from-answer"]
    assert 'between the stream ("old") and the Answer ("new")' in finding.message


def test_a_pause_with_an_answer_under_way_is_healthy() -> None:
    answer = node("answer", "response", text="llm said {{#llm.text#}}; note {{#human.note#}}")
    app = graph(
        [START, node("llm"), HUMAN, answer], "start>llm", "start>human", "llm>answer", "human:ok>answer"
    )
    run = Run(app).complete("start").start("llm").chunks("llm", "a").complete("llm", text="a").pause("human")
    assert found(run) == {}


def test_a_pause_whose_head_can_not_go_on_is_told() -> None:
    app = graph(
        [START, node("llm"), HUMAN, node("answer", "response", text="{{#llm.text#}}"), FIRST],
        "start>llm",
        "llm>answer",
        "answer>first",
        "first>human",
    )
    run = Run(app).complete("start").start("llm").chunks("llm", "a", end=False)
    run.complete("llm", kind="NodeRunException", text="DEFAULT").complete("answer").complete("first").pause(
        "human"
    )
    finding = found(run)["queue-head-starved"]
    assert "went on with its error strategy" in finding.message
    assert '"The first" (first) must wait behind it' in finding.message


def test_a_failed_run_is_not_blamed_on_the_gate() -> None:
    app = graph(
        [START, node("llm"), node("answer", "response", text="{{#llm.text#}}")], "start>llm", "llm>answer"
    )
    run = Run(app).complete("start").start("llm").chunks("llm", "a", end=False)
    run.tell("NodeRunFailed", node="llm", xid="x-llm", error="broken").tell("GraphRunFailed", error="broken")
    assert found(run) == {}


def test_a_run_that_is_still_on_is_not_blamed_either() -> None:
    run = if_else().resume()
    assert found(run) == {}


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_its_page(code: str) -> None:
    page = explain(code)
    assert page.startswith(f"# {code}\n")
    assert len(page) > 300
    assert "TODO" not in page


def test_the_promised_codes_are_there() -> None:
    promised = {
        "gate-state-missing", "answer-locked-before-pause", "answer-replayed", "branch-not-taken",
        "answer-in-container", "queue-head-starved", "stream-closed-twice", "paths-explode",
        "stream-differs-from-answer", "variable-reference-broken", "parallel-answers-order",
        "same-variable-twice", "graph-changed-while-paused",
    }  # fmt: skip
    assert promised <= set(CODES)


def test_an_unknown_code_is_refused_with_the_known_ones() -> None:
    with pytest.raises(NotFoundError, match="no-such-code") as caught:
        explain("no-such-code")
    assert "branch-not-taken" in caught.value.cause
