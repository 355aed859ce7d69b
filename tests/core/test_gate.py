"""The gate in examples: what opens it, what it streams, and what a saved state can do to it."""

from __future__ import annotations

import json

import pytest

from tests.bench.bench_core import diamonds
from tests.core.little_engine import BRANCH, HUMAN, START, graph, node
from workbench.core.blocking import scope_of
from workbench.core.gate import Chunk, Gate, StreamClosedError
from workbench.core.path_lists import path_count
from workbench.core.pool import Pool
from workbench.errors import BadInputError

STARTED = {"kind": "GraphRunStarted"}
APP = graph(
    [START, BRANCH, HUMAN, node("answer", "response", text="Hello {{#human.note#}}!")],
    "start>branch",
    "branch:true>human",
    "human:approve>answer",
)


def taken(edge: str) -> dict[str, str]:
    return {"kind": "GraphEdgeTaken", "edge": edge}


def test_an_answer_opens_when_the_last_blocking_edge_is_taken() -> None:
    gate = Gate(APP, Pool({"human": {"note": "Ann"}}))
    assert (
        gate.feed(STARTED) == gate.feed(taken("start>branch")) == gate.feed(taken("branch:true>human")) == []
    )
    assert gate.feed(taken("human:approve>answer")) == [
        Chunk("answer", ("answer", "answer"), "Hello ", False, "answer"),
        Chunk("human", ("human", "note"), "Ann", False, "answer"),
        Chunk("answer", ("answer", "answer"), "!", True, "answer"),
    ]


def test_a_restored_gate_goes_on_and_a_fresh_one_stays_shut() -> None:
    before = Gate(APP, Pool())
    before.feed(STARTED)
    before.feed(taken("branch:true>human"))
    pool = Pool({"human": {"note": "Ann"}})
    restored = Gate(APP, pool, dump=json.loads(json.dumps(before.dump())))
    assert restored.dump()["paths_map"] == {"answer": [["human:approve>answer"]]}
    assert "".join(chunk.text for chunk in restored.feed(taken("human:approve>answer"))) == "Hello Ann!"
    fresh = Gate(APP, pool)
    fresh.feed(STARTED)
    assert fresh.feed(taken("human:approve>answer")) == []
    assert fresh.dump()["paths_map"] == {"answer": [["branch:true>human"]]}


def test_a_final_chunk_closes_the_stream_for_good() -> None:
    app = graph(
        [START, node("llm"), node("answer", "response", text="{{#llm.text#}}")], "start>llm", "llm>answer"
    )
    gate = Gate(app, Pool())
    gate.feed(STARTED)
    chunk = {
        "kind": "NodeRunStreamChunk",
        "node": "llm",
        "xid": "1",
        "selector": ["llm", "text"],
        "text": "a",
    }
    assert [c.text for c in gate.feed({**chunk, "final": True})] == ["a"]
    with pytest.raises(StreamClosedError, match=r"Stream llm\.text is already closed"):
        gate.feed(chunk)


def test_a_gate_of_too_many_paths_is_saved_without_lists_and_read_again() -> None:
    app = diamonds(40)
    gate = Gate(app, Pool({"start": {"text": "hi"}}))
    gate.feed(STARTED)
    edges = list(app.edges)
    half = edges[: len(edges) // 2]
    for edge in half:
        gate.feed(taken(edge))
    dump = json.loads(json.dumps(gate.dump()))
    assert dump["paths_map"] is None
    assert dump["paths_count"] == 2**40
    again = Gate(app, Pool({"start": {"text": "hi"}}), dump=dump)
    told = [chunk.text for edge in edges[len(half) :] for chunk in again.feed(taken(edge))]
    assert told == ["hi"]


def test_a_thousand_diamonds_are_counted_exactly() -> None:
    assert path_count(scope_of(diamonds(1000)), "answer") == 2**1000


def test_a_copy_goes_its_own_way() -> None:
    pool = Pool({"human": {"note": "Ann"}})
    gate = Gate(APP, pool)
    gate.feed(taken("branch:true>human"))
    copy = gate.clone(pool, frozenset())
    copy.feed(taken("human:approve>answer"))
    assert copy.state.active is None
    assert gate.dump()["pending_sessions"] == [{"node_id": "answer", "index": 0}]


@pytest.mark.parametrize(
    "dump",
    [
        {"response_nodes": 3},
        {"response_nodes": ["answer"], "pending_sessions": [{"index": 0}]},
        {"response_nodes": ["answer"], "active_session": {"node_id": "answer", "index": -1}},
        {"response_nodes": ["answer"], "paths_map": {"answer": [[1]]}},
        {"response_nodes": ["answer"], "stream_buffers": ["no"]},
        {"response_nodes": ["answer"], "stream_buffers": [{"selector": ["a", "b"], "events": [{"id": "1"}]}]},
        {"response_nodes": ["answer"], "closed_streams": [[["a"], "b"]]},
        {"response_nodes": ["answer"], "waiting_sessions": [{"node_id": "gone", "index": 0}]},
        {"response_nodes": ["human"]},
    ],
)
def test_a_state_that_does_not_fit_is_refused(dump: dict[str, object]) -> None:
    with pytest.raises(BadInputError) as caught:
        Gate(APP, Pool(), dump=dump)
    assert caught.value.title
    assert caught.value.cause
    assert caught.value.next_step


def test_answers_in_containers_are_seen_by_the_old_filters_only() -> None:
    box = node("loop", "container", "loop")
    app = graph([START, box, node("inner", "response", text="x", parent="loop")], "start>loop")
    assert Gate(app, Pool()).dump()["response_nodes"] == []
    whole = Gate(scope_of(app, whole=True), Pool())
    assert whole.dump()["version"] == "1.0"
    assert whole.dump()["paths_map"] == {"inner": []}
