"""Recorded streams of healthy and of harmed runs, explained alone and with their app."""

from __future__ import annotations

import json

import pytest

from tests.core.captures.samples import AGAIN, DONE, FILLED, PAUSED, SIGNS, STARTED_TWICE
from tests.core.captures.writing import sse
from tests.core.little_engine import BRANCH, HUMAN, START, Run, graph, node
from workbench.core.captures import findings, signs
from workbench.core.captures.played import Explained, explain, explain_rest
from workbench.core.captures.reading import runs_of
from workbench.core.captures.run import CapturedRun
from workbench.core.graph import Graph
from workbench.records.sse import read_capture

HELLO = node("answer", "response", text="Hello {{#human.note#}}!")
BEHIND_IF = graph(
    [START, BRANCH, HUMAN, HELLO, node("other", "response", text="No.")],
    "start>branch",
    "branch:true>human",
    "branch:false>other",
    "human:ok>answer",
)
ANSWER_BEFORE = graph(
    [START, node("first", "response", text="First. "), HUMAN, HELLO],
    "start>first",
    "first>human",
    "human:ok>answer",
)
PLAIN = graph([START, HUMAN, HELLO], "start>human", "human:ok>answer")


def played(app: Graph, gate: str) -> Run:
    run = Run(app).complete("start")
    if "branch" in app.nodes:
        run.complete("branch", "true", selected_case_id="true")
    if "first" in app.nodes:
        run.complete("first")
    return run.pause("human").resume(gate).complete("human", "ok", note="Ann").complete("answer").end()


def read(text: str) -> CapturedRun:
    (run,) = runs_of(read_capture(text, "talk.txt").events)
    return run


def told(run: CapturedRun) -> list[tuple[str, str | None]]:
    return [(f.code, f.node_id) for f in (*findings.of_run(run), *signs.of_run(run))]


def wrong(explained: Explained) -> list[tuple[str, str | None, tuple[str, ...]]]:
    return [(f.code, f.node_id, f.edges) for f in explained.findings if f.severity != "info"]


@pytest.mark.parametrize("app", [BEHIND_IF, ANSWER_BEFORE, PLAIN])
@pytest.mark.parametrize("details", [True, False])
def test_a_healthy_run_has_nothing_to_tell(app: Graph, details: bool) -> None:
    run = read(sse(played(app, "restored").timeline, details=details))
    assert told(run) == []
    assert wrong(explain(app, run, {})) == []


def test_an_answer_behind_a_branch_that_is_silent_after_the_pause() -> None:
    run = read(sse(played(BEHIND_IF, "fresh").timeline))
    assert told(run) == [("answer-locked-before-pause", "answer")]
    explained = explain(BEHIND_IF, run, {})
    assert explained.gates == ("fresh",)
    assert wrong(explained) == [("answer-locked-before-pause", "answer", ("branch:true>human",))]
    (finding,) = (f for f in explained.findings if f.severity == "error")
    assert finding.versions == ("1.15", "1.15")
    assert "#38432" in finding.advice


def test_without_the_branchs_outputs_node_order_tells_its_way() -> None:
    run = read(sse(played(BEHIND_IF, "fresh").timeline, details=False))
    explained = explain(BEHIND_IF, run, {})
    assert explained.inferred.guessed == ["branch"]
    assert explained.inferred.edges["branch:true>human"] == "taken"
    assert explained.inferred.edges["branch:false>other"] == "skipped"
    assert wrong(explained) == [("answer-locked-before-pause", "answer", ("branch:true>human",))]


def test_an_answer_that_comes_again_and_one_that_never_comes() -> None:
    run = read(sse(played(ANSWER_BEFORE, "fresh").timeline))
    assert run.streamed() == "First. First. "
    expected = [("answer-locked-before-pause", "answer"), ("answer-replayed", "first")]
    assert told(run) == expected
    assert [(code, node_id) for code, node_id, _ in wrong(explain(ANSWER_BEFORE, run, {}))] == expected


def test_the_second_half_alone_names_the_edge_that_the_app_would_lose() -> None:
    whole = sse(played(BEHIND_IF, "fresh").timeline)
    half = whole[whole.index('data: {"event": "workflow_started"', whole.index("workflow_paused")) :]
    run = read(half)
    assert run.begins == "resume"
    assert told(run) == [("answer-locked-before-pause", "answer")]
    (finding,) = explain_rest(BEHIND_IF, run)
    assert finding.edges == ("branch:true>human",)


def test_a_silent_answer_without_a_pause_is_told_without_a_guess() -> None:
    text = sse(played(PLAIN, "restored").timeline)
    once = "\n\n".join(each for each in text.split("\n\n") if '"event": "message",' not in each)
    (code, node_id) = told(read(once))[0]
    assert (code, node_id) == ("stream-differs-from-answer", "answer")


def test_a_recording_that_ends_early_is_not_judged() -> None:
    text = sse(played(BEHIND_IF, "fresh").timeline)
    run = read(text[: text.index('data: {"event": "message_end"')])
    assert run.status is None
    assert told(run) == []


def test_two_runs_in_one_recording_are_kept_apart() -> None:
    one = sse(played(PLAIN, "restored").timeline)
    other = (
        sse(played(BEHIND_IF, "fresh").timeline).replace("run-1", "run-2").replace("message-1", "message-2")
    )
    frames = [frame for pair in zip(one.split("\n\n"), other.split("\n\n"), strict=False) for frame in pair]
    rest = other.split("\n\n")[len(one.split("\n\n")) :]
    first, second = runs_of(read_capture("\n\n".join([*frames, *rest]), "talk.txt").events)
    assert (first.run_id, second.run_id) == ("run-1", "run-2")
    assert first.streamed() == "Hello Ann!"
    assert told(second) == [("answer-locked-before-pause", "answer")]


def test_a_stream_that_was_joined_again_tells_each_node_once() -> None:
    text = sse(played(PLAIN, "restored").timeline)
    pause = text.index('data: {"event": "workflow_started"', text.index("workflow_paused"))
    replayed = text[:pause].replace("event: ping\n\n", "")
    run = read(replayed[: replayed.index('data: {"event": "human_input')] + text)
    assert [n.node for n in run.nodes] == ["start", "human", "answer"]
    assert any("second time" in note for note in run.notes)
    assert told(run) == []


@pytest.mark.parametrize(("text", "codes"), SIGNS)
def test_signs_of_known_faults(text: str, codes: list[str]) -> None:
    assert [code for code, _ in told(read(text))] == codes


def test_a_client_that_starts_again_instead_of_joining() -> None:
    runs = runs_of(read_capture(STARTED_TWICE, "talk.txt").events)
    assert [finding.code for finding in signs.of_runs(runs)] == ["run-started-twice"]
    assert list(signs.of_runs(runs_of(read_capture(PAUSED, "talk.txt").events))) == []


def test_a_node_that_is_told_as_finished_twice_is_one_execution() -> None:
    run = read(AGAIN + FILLED + DONE + DONE)
    assert [(node.node, node.status, node.action) for node in run.nodes] == [("ask", "succeeded", None)]
    assert run.notes == ["'Ask' (ask) is told as finished more than once."]
    assert told(run) == []


def test_a_chat_without_a_workflow_has_its_text() -> None:
    frames = [
        {"event": "agent_message", "message_id": "m", "answer": "secret "},
        {"event": "message_replace", "message_id": "m", "answer": "Sorry, "},
        {"event": "tts_message", "message_id": "other", "audio": "x"},
        {"event": "message", "message_id": "m", "answer": "no."},
        {"event": "message_end", "message_id": "m"},
    ]
    run = read("".join(f"data: {json.dumps(each)}\n\n" for each in frames))
    assert (run.mode, run.status, run.streamed()) == ("chat", "succeeded", "Sorry, no.")
    assert told(run) == []
