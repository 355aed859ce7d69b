"""What front ends paint: looks, the gate in words, marks, names of handles."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tui import journals
from workbench.core.graph import Edge, Graph, Node, Text, Variable
from workbench.core.picture.gate_view import buffers, gate_view
from workbench.core.picture.handles import declared, handles_in_use, name_of
from workbench.core.picture.looks import edge_looks, node_looks
from workbench.core.picture.marks import describe, marks, next_step, previous_step
from workbench.core.replay import Timeline
from workbench.core.state import Journal, Segment


def node(node_type: str, **data: Any) -> Node:
    kinds: dict[str, Any] = {"if-else": "branch", "question-classifier": "branch", "human-input": "branch"}
    return Node("n", node_type, "N", kinds.get(node_type, "executable"), data=data)


@pytest.mark.parametrize(
    ("made", "names"),
    [
        (
            node("if-else", cases=[{"case_id": "true"}, {"case_id": "c-2"}, {"id": "c-3"}]),
            {"true": "if", "c-2": "elif 1", "c-3": "elif 2", "false": "else"},
        ),
        (node("if-else"), {"true": "if", "false": "else"}),
        (
            node("question-classifier", classes=[{"id": "1", "name": "Refunds"}, {"id": "2"}]),
            {"1": "Refunds", "2": "2"},
        ),
        (
            node("human-input", user_actions=[{"id": "yes", "title": "Approve"}, {"id": "no"}]),
            {"yes": "Approve", "no": "no", "__timeout": "timeout"},
        ),
        (
            node("llm", error_strategy="fail-branch"),
            {"success-branch": "success", "fail-branch": "on failure"},
        ),
        (node("llm"), {}),
        (node("if-else", cases="broken"), {"true": "if", "false": "else"}),
        (node("human-input", user_actions=[7, {"id": 3}]), {"": "", "__timeout": "timeout"}),
    ],
)
def test_handles_have_the_names_a_reader_knows(made: Node, names: dict[str, str]) -> None:
    assert declared(made) == names


def test_a_single_way_out_needs_no_name() -> None:
    assert name_of(node("llm"), "source") == ""
    assert name_of(node("llm", error_strategy="fail-branch"), "source") == "success"
    assert name_of(None, "fail-branch") == "on failure"
    assert name_of(node("tool"), "odd-handle") == "odd-handle"
    graph, _ = journals.refund(None)
    assert handles_in_use(graph) == {
        "large": {"true": "if", "false": "else"},
        "approval": {"approve": "Approve", "reject": "Reject"},
    }


def test_looks_at_the_pause_and_after_a_fresh_resume() -> None:
    graph, timeline = journals.refund("fresh")
    at_pause = edge_looks(graph, timeline.at(11))
    assert at_pause == {
        "start-source-large-target": "taken",
        "large-true-approval-target": "unlocked",
        "large-false-small-target": "skipped",
        "approval-approve-answer-target": "blocking",
        "approval-reject-refused-target": "blocking",
    }
    ended = edge_looks(graph, timeline.at(20))
    assert ended["large-true-approval-target"] == "lost"
    assert ended["approval-approve-answer-target"] == "unlocked"
    assert ended["approval-reject-refused-target"] == "skipped"
    nodes = node_looks(graph, timeline.at(11))
    assert nodes["approval"] == "paused"
    assert nodes["small"] == "skipped"
    assert nodes["answer"] == "unknown"
    assert set(edge_looks(graph, None).values()) == {"unknown"}
    assert set(node_looks(graph, None).values()) == {"unknown"}


def sentence(run: tuple[Graph, Timeline], step: int, taken: dict[str, int] | None = None) -> str:
    graph, timeline = run
    return gate_view(graph, timeline.at(step), taken).sentence


def test_the_sentence_names_the_edge_that_is_waited_for() -> None:
    run = journals.refund("fresh")
    assert (
        sentence(run, 1)
        == "Nothing streams: “Small amount” waits for the edge Above 100? —else→ Small amount."
    )
    assert sentence(run, 11) == (
        "Nothing streams: “Tell the customer” waits for the "
        "edge Ask the team lead —Approve→ Tell the customer. "
        "The run is paused at “Ask the team lead” until its form is answered."
    )


def test_the_sentence_says_what_a_fresh_gate_lost_and_when() -> None:
    told = sentence(journals.refund("fresh"), 20, {"large-true-approval-target": 7})
    assert told == (
        "The run has ended, and “Tell the customer” stays "
        "locked: Above 100? —if→ Ask the team lead was taken "
        "before the pause (step 7), and the gate of this resume never heard of it."
    )


def test_the_sentence_does_not_cry_over_branches_that_were_not_taken() -> None:
    assert sentence(journals.refund("restored"), 20) == (
        "The run has ended. What is still locked lies on branches that were not taken."
    )


def test_the_sentence_of_an_active_answer_says_what_it_waits_for() -> None:
    run = journals.parallel()
    assert sentence(run, 1) == (
        "“First answer” is active and waits for slow.text: "
        "“Slow model” has not started. 1 more waits behind it."
    )
    assert sentence(run, 6) == (
        "“First answer” is active and waits for slow.text: "
        "“Slow model” is running and has written nothing yet. "
        "1 more waits behind it."
    )
    assert (
        sentence(run, 10)
        == "“First answer” streams slow.text as “Slow model” writes it. 1 more waits behind it."
    )


def test_an_app_without_answers_and_a_dead_stream_are_told() -> None:
    graph = Graph({"start": Node("start", "start", "Start", "root")}, {}, "start")
    run = graph, Timeline(graph, Journal({}, (Segment(1),), ({"kind": "GraphRunStarted"},)))
    assert "nothing can stream" in sentence(run, 1)
    nodes = {
        "start": Node("start", "start", "Start", "root"),
        "llm": Node("llm", "llm", "Model", "executable"),
        "say": Node(
            "say",
            "answer",
            "Say",
            "response",
            template=(Variable(("llm", "text")),),
            text_selector=("say", "answer"),
        ),
    }
    edges = {"a": Edge("a", "start", "llm"), "b": Edge("b", "llm", "say")}
    graph = Graph(nodes, edges, "start")
    events = (
        {"kind": "GraphRunStarted", "reason": "initial"},
        journals.chunk("llm", "x", final=True),
        journals.chunk("llm", "y"),
    )
    dead = graph, Timeline(graph, Journal({}, (Segment(1),), events))
    assert sentence(dead, 3).startswith("The stream is dead: ")


def test_buffers_tell_read_and_unread() -> None:
    graph, timeline = journals.parallel()
    view = gate_view(graph, timeline.at(10))
    assert [(b.selector, b.read, b.unread, b.closed) for b in view.buffers] == [
        (("fast", "text"), "", "quick words", False),
        (("slow", "text"), "slow ", "", False),
    ]
    assert view.queue == ("one", "two")
    assert [p.state for p in view.answers[0].template] == ["streamed", "next"]
    assert [p.state for p in view.answers[1].template] == ["next", "later"]


def test_a_dump_of_another_making_does_not_break_the_view() -> None:
    odd = {
        "stream_buffers": [{"selector": "x", "events": ["a", {"chunk": 3}]}],
        "stream_positions": [{}],
        "closed_streams": ["y"],
    }
    assert buffers(odd)[0].unread == "a"
    assert buffers({}) == ()


def test_marks_name_what_is_worth_stopping_at() -> None:
    graph, timeline = journals.refund("fresh")
    found = marks(graph, timeline.journal.events, timeline.gate_changes())
    assert [m.kind for m in found] == [
        *("run", "start", "edge", "end", "start", "edge", "gate", "end", "start", "form", "pause"),
        *("gate", "start", "form", "edge", "gate", "end", "start", "end", "run"),
    ]
    assert found[6].text == "Above 100? —if→ Ask the team lead taken"
    assert found[11].text == "The run resumes"
    assert found[13].text == "Ask the team lead got its form: Approve"
    graph, timeline = journals.parallel()
    kinds = [m.kind for m in marks(graph, timeline.journal.events)]
    assert kinds[7:] == ["first-chunk", "chunk", "chunk"]


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"kind": "NodeRunFailed", "node": "large", "error": "boom"}, "Above 100? failed: boom"),
        ({"kind": "NodeRunRetry", "node": "large"}, "Above 100? is retried"),
        ({"kind": "NodeRunLoopNext", "node": "large", "round": 2}, "Above 100?: round 2"),
        (
            {"kind": "NodeRunVariableUpdated", "node": "large", "selector": ["conversation", "v"]},
            "Above 100? sets conversation.v",
        ),
        ({"kind": "GraphRunFailed", "error": "no"}, "The run failed: no"),
        ({"kind": "GraphEdgeTaken", "edge": "gone"}, "gone → (not in this graph) taken"),
        ({"kind": "NodeRunNewThing", "node": "gone"}, "gone newthing"),
        ({}, " "),
    ],
)
def test_every_event_has_its_words(event: dict[str, Any], words: str) -> None:
    graph, _ = journals.refund(None)
    assert describe(graph, event) == words


def test_steps_around_a_step() -> None:
    assert [next_step((2, 5), n) for n in (0, 2, 5)] == [2, 5, None]
    assert [previous_step((2, 5), n) for n in (6, 5, 2)] == [5, 2, None]


def test_gate_changes_are_the_steps_at_which_answers_differ() -> None:
    for graph, timeline in (
        journals.refund("fresh"),
        journals.refund("restored"),
        journals.parallel(),
        journals.looped(),
    ):
        states = [timeline.at(step).answers for step in range(timeline.steps + 1)]
        slow = tuple(step for step in range(1, timeline.steps + 1) if states[step] != states[step - 1])
        assert timeline.gate_changes() == slow, graph.root


def test_texts_and_templates_of_a_done_answer_are_all_streamed() -> None:
    graph, timeline = journals.refund("restored")
    view = gate_view(graph, timeline.at(20))
    answer = next(a for a in view.answers if a.node_id == "answer")
    assert answer.phase == "done"
    assert {p.state for p in answer.template} == {"streamed"}
    assert any(isinstance(part, Text) for part in graph.nodes["answer"].template)
