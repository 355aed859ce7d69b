"""The timeline: steps, segments, gates fresh and restored, bases, dead streams; and the player."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.little_engine import BRANCH, HUMAN, START, Run, graph, node
from workbench.core import replay
from workbench.core.replay import Journal, Player, Segment, Timeline

IF_ELSE = graph(
    [
        START,
        BRANCH,
        HUMAN,
        node("answer", "response", text="Hello {{#human.note#}}!"),
        node("other", "response", text="Nothing to ask."),
    ],
    "start>branch",
    "branch:true>human",
    "branch:false>other",
    "human:approve>answer",
)


def paused() -> Run:
    return Run(IF_ELSE).complete("start").complete("branch", "true", result=True).pause("human")


def finished(gate: str) -> Run:
    return paused().resume(gate).complete("human", "approve", note="Ann").complete("answer").end()


def test_step_zero_is_before_the_first_event() -> None:
    state = paused().timeline.at(0)
    assert state.event is None
    assert set(state.nodes.values()) == {"unknown"}
    assert [(answer.node_id, answer.state) for answer in state.answers] == [
        ("answer", "locked"),
        ("other", "locked"),
    ]


def test_states_of_nodes_and_edges() -> None:
    timeline = paused().timeline
    state = timeline.at(timeline.steps)
    assert state.nodes == {
        "start": "taken",
        "branch": "taken",
        "human": "unknown",
        "answer": "unknown",
        "other": "skipped",
    }
    assert state.edges["branch:true>human"] == "taken"
    assert state.edges["branch:false>other"] == "skipped"
    assert state.status == {"start": "succeeded", "branch": "succeeded", "human": "paused"}
    answer = next(answer for answer in state.answers if answer.node_id == "answer")
    assert answer.blocking == ("human:approve>answer",)
    assert answer.taken == ("branch:true>human",)


def test_outputs_are_there_before_the_edges_that_leave() -> None:
    timeline = paused().timeline
    step = next(n for n, e in enumerate(timeline.journal.events, 1) if e.get("edge") == "branch:false>other")
    assert timeline.at(step - 1).variables.get("branch") is None
    assert timeline.at(step).variables["branch"] == {"result": True}


@pytest.mark.parametrize(("gate", "text"), [("fresh", ""), ("restored", "Hello Ann!")])
def test_a_resume_with_each_gate(gate: str, text: str) -> None:
    run = finished(gate)
    last = run.timeline.at(len(run.events))
    assert last.segment == 1
    assert last.segment_streamed == last.streamed == text
    phase = next(answer for answer in last.answers if answer.node_id == "answer")
    assert phase.state == ("done" if text else "locked")
    assert phase.blocking == (() if text else ("branch:true>human",))


def test_text_of_the_segment_and_of_the_message() -> None:
    app = graph(
        [START, node("first", "response", text="First. "), HUMAN, node("second", "response", text="Second.")],
        "start>first",
        "first>human",
        "human:approve>second",
    )
    run = Run(app).complete("start").complete("first").pause("human").resume().complete("human", "approve")
    run.complete("second").end()
    last = run.timeline.at(len(run.events))
    assert last.streamed == "First. Second."
    assert last.segment_streamed == "Second."
    assert run.timeline.at(run.segments[1].first_step - 1).segment_streamed == "First. "


def test_a_run_from_a_file_begins_with_its_base() -> None:
    before = paused()
    gate = before.timeline.at(len(before.events)).gate
    later = Run(IF_ELSE)
    later.events.clear()
    later.tell("GraphRunStarted", reason="resumption").complete("human", "approve", note="Bob").complete(
        "answer"
    )
    for saved, text in ((gate, "Hello Bob!"), (None, "")):
        mode = "restored" if saved else "fresh"
        journal = Journal({}, (Segment(1, mode, saved, before.base()),), tuple(later.events))
        state = Timeline(IF_ELSE, journal).at(len(later.events))
        assert state.streamed == text
        assert state.edges["branch:true>human"] == "taken"
        assert state.variables["branch"] == {"result": True}


def test_a_gate_that_does_not_fit_leaves_the_stream_dead() -> None:
    run = paused()
    gate = {"response_nodes": ["gone"], "pending_sessions": [{"node_id": "gone", "index": 0}]}
    run.segments.append(Segment(len(run.events) + 1, "restored", gate))
    run.tell("GraphRunStarted", reason="resumption").complete("human", "approve", note="Ann").complete(
        "answer"
    )
    state = run.timeline.at(len(run.events))
    assert state.streamed == ""
    assert "gone" in (state.stream_error or "")


LOOP = graph(
    [
        START,
        node("loop", "container", "loop", data={"loop_variables": [{"label": "n"}]}),
        node("llm", parent="loop"),
        node("answer", "response", text="{{#llm.text#}} {{#loop.n#}}"),
    ],
    "start>loop",
    "loop>answer",
)


def rounds(count: int, *, kernel: str) -> tuple[Timeline, Run]:
    run = Run(LOOP).complete("start").start("loop")
    run.tell("NodeRunLoopStarted", node="loop", xid="x-loop", inputs={"loop_count": count, "n": 7})
    for index in range(count):
        if index:
            run.tell("NodeRunLoopNext", node="loop", xid="x-loop", round=index)
        place: dict[str, Any] = {"node": "llm", "xid": f"x{index}", "container": "loop", "index": index}
        run.tell("NodeRunStarted", type="llm", title="llm", **place)
        run.tell("NodeRunStreamChunk", selector=["llm", "text"], text="a", final=True, **place)
        run.tell("NodeRunSucceeded", outputs={"text": "a"}, **place)
    run.complete("loop", loop_round=count).complete("answer").end()
    return Timeline(LOOP, Journal({}, (Segment(1),), tuple(run.events), kernel)), run


def test_a_stream_that_is_closed_twice_kills_the_stream_and_not_the_replay() -> None:
    timeline, run = rounds(2, kernel="graphon-0.8")
    state = timeline.at(timeline.steps)
    assert state.stream_error == "Stream llm.text is already closed"
    assert state.streamed == ""
    assert state.status["answer"] == "succeeded"
    (step,) = timeline.stream_deaths
    assert run.events[step - 1]["kind"] == "NodeRunStreamChunk"
    assert timeline.at(step - 1).stream_error is None


@pytest.mark.parametrize(("kernel", "inner"), [("graphon-0.8", None), ("graphon-0.7", {"text": "a"})])
def test_a_loops_children_write_into_the_root_only_in_older_engines(kernel: str, inner: Any) -> None:
    timeline, _ = rounds(1, kernel=kernel)
    state = timeline.at(timeline.steps)
    assert state.variables.get("llm") == inner
    assert state.variables["loop"] == {"n": 7, "loop_round": 1}
    assert state.streamed == "a 7"


@pytest.mark.parametrize(
    ("kernel", "container", "known", "expected"),
    [
        ("graphon-0.8", "loop", True, "new"),
        ("graphon-0.8", "loop", False, None),
        ("graphon-0.8", "iteration", True, "old"),
        ("graphon-0.7", "loop", False, "new"),
        ("graphon-0.7", "iteration", True, "old"),
        ("graphon-0.5", "iteration", True, "new"),
    ],
)
def test_an_assigner_in_a_container(kernel: str, container: str, known: bool, expected: Any) -> None:
    app = graph([START, node("box", "container", container), node("set", parent="box")], "start>box")
    first = {"conversation": {"c": "old"}} if known else {}
    run = Run(app, first).complete("start").start("box")
    run.tell(
        "NodeRunVariableUpdated",
        node="set",
        xid="x",
        container="box",
        selector=["conversation", "c"],
        value="new",
    )
    state = Timeline(app, Journal(first, (Segment(1),), tuple(run.events), kernel)).at(len(run.events))
    assert state.variables.get("conversation", {}).get("c") == expected


@pytest.mark.parametrize(
    ("kind", "empty"), [("string", ""), ("array[string]", []), ("object", {}), ("none", None)]
)
def test_an_empty_value_is_told_by_its_type(kind: str, empty: Any) -> None:
    run = Run(graph([START]), {"conversation": {"c": "old"}})
    run.tell("NodeRunVariableUpdated", node="start", xid="x", selector=["conversation", "c"], type=kind)
    assert run.timeline.at(len(run.events)).variables["conversation"]["c"] == empty


def test_branches_of_triggers_that_did_not_fire_are_skipped() -> None:
    app = graph(
        [
            START,
            node("hook", "root", "trigger-webhook"),
            node("only"),
            node("both", "response", text="{{#only.text#}}x"),
        ],
        "hook>only",
        "only>both",
        "start>both",
    )
    run = Run(app)
    run.edges |= {"hook>only": "skipped", "only>both": "skipped"}
    run.complete("start").complete("both").end()
    state = run.timeline.at(len(run.events))
    assert state.nodes["only"] == "skipped"
    assert state.edges["only>both"] == "skipped"
    assert state.streamed == "x"


@settings(max_examples=30, deadline=None)
@given(every=st.integers(1, 9), gate=st.sampled_from(["fresh", "restored"]))
def test_checkpoints_change_nothing(every: int, gate: str) -> None:
    run = finished(gate)
    plain = [run.timeline.at(step) for step in range(len(run.events) + 1)]
    kept = replay.CHECKPOINT
    replay.CHECKPOINT = every  # type: ignore[misc]
    try:
        again = run.timeline
        assert [again.at(step) for step in range(len(run.events) + 1)] == plain
    finally:
        replay.CHECKPOINT = kept  # type: ignore[misc]


def test_there_is_no_step_beyond_the_last() -> None:
    timeline = paused().timeline
    for step in (-1, timeline.steps + 1):
        with pytest.raises(IndexError):
            timeline.at(step)


def test_a_player_on_a_resume_goes_on_like_the_timeline() -> None:
    run = finished("restored")
    first = run.segments[1].first_step
    player = Player(IF_ELSE, {}, dump=run.segments[1].gate, base=paused().base())
    told = [chunk.text for event in run.events[first - 1 :] for chunk in player.feed(event)]
    assert told == ["Hello ", "Ann", "!"]
    assert player.gate.dump() == run.timeline.at(len(run.events)).gate


def test_the_steps_at_which_the_gate_moves() -> None:
    for gate in ("fresh", "restored"):
        run = finished(gate)
        timeline = run.timeline
        wanted = []
        for step in range(1, timeline.steps + 1):
            before, after = timeline.at(step - 1).answers, timeline.at(step).answers
            if [(a.state, len(a.blocking)) for a in before] != [(a.state, len(a.blocking)) for a in after]:
                wanted.append(step)
        assert list(timeline.gate_changes()) == wanted
        assert len(wanted) == (3 if gate == "fresh" else 2)
