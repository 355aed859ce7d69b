"""Node executions from events: Dify's rows, in the order of the starts."""

from __future__ import annotations

from typing import Any

from tests.store.making import STARTED, WAITING, Ended, begin, node, paused_run, resume, say
from workbench.store import Store
from workbench.store.nodes import Execution, Executions


def fed(*events: dict[str, Any]) -> list[Execution]:
    """Executions after some events, one second apart."""
    made = Executions()
    for step, event in enumerate(events, 1):
        made.feed(step, 100.0 + step, event)
    return made.take()


def test_a_node_from_start_to_end() -> None:
    usage = {"total_tokens": 12}
    head = {"node": "llm", "xid": "x", "type": "llm"}
    (row,) = fed(
        {"kind": "GraphEdgeTaken", "edge": "e", "source": "start", "target": "llm"},
        {"kind": "NodeRunStarted", **head, "title": "Draft", "container": "loop", "index": 2},
        {"kind": "NodeRunStreamChunk", "node": "llm", "xid": "x", "selector": ["llm", "text"], "text": "a"},
        {
            "kind": "NodeRunSucceeded",
            **head,
            "inputs": {"i": 1},
            "process_data": {"p": 2},
            "outputs": {"text": "a"},
            "metadata": {"m": 3},
            "usage": usage,
            "handle": "source",
            "elapsed": 0.25,
        },
    )
    assert (row.index, row.node, row.type, row.title, row.status) == (1, "llm", "llm", "Draft", "succeeded")
    assert (row.predecessor, row.container, row.container_index) == ("start", "loop", 2)
    assert (row.inputs, row.process_data, row.outputs, row.metadata) == (
        {"i": 1},
        {"p": 2},
        {"text": "a"},
        {"m": 3},
    )
    assert (row.total_tokens, row.handle, row.elapsed) == (12, "source", 0.25)
    assert (row.first_step, row.last_step, row.started_at, row.finished_at) == (2, 4, 102.0, 104.0)


def test_time_is_taken_from_the_events_where_the_engine_tells_none() -> None:
    (row,) = fed(*node("a"))
    assert row.elapsed == 1.0


def test_failures_and_exceptions() -> None:
    head = {"node": "a", "type": "code"}
    rows = fed(
        {"kind": "NodeRunStarted", **head, "xid": "1"},
        {"kind": "NodeRunFailed", **head, "xid": "1", "error": "no", "error_type": "ValueError"},
        {"kind": "NodeRunStarted", **head, "xid": "2"},
        {"kind": "NodeRunException", **head, "xid": "2", "error": "yes", "handle": "fail-branch"},
    )
    assert [(row.status, row.error, row.error_type, row.handle) for row in rows] == [
        ("failed", "no", "ValueError", None),
        ("exception", "yes", None, "fail-branch"),
    ]


def test_a_retry_keeps_its_row_and_counts() -> None:
    head = {"node": "a", "xid": "1", "type": "llm"}
    retry = {"kind": "NodeRunRetry", **head, "error": "busy"}
    (row,) = fed({"kind": "NodeRunStarted", **head}, retry)
    assert (row.status, row.retries, row.error) == ("retry", 1, "busy")
    (row,) = fed({"kind": "NodeRunStarted", **head}, retry, retry, {"kind": "NodeRunSucceeded", **head})
    assert (row.status, row.retries, row.error) == ("succeeded", 2, None)


def test_what_still_runs_fails_with_the_run() -> None:
    start = {"kind": "NodeRunStarted", "node": "a", "xid": "1", "type": "llm"}
    (row,) = fed(start, {"kind": "GraphRunAborted", "reason": "Ctrl-C"})
    assert (row.status, row.error) == ("failed", "Ctrl-C")
    waiting, running = fed(*WAITING[:2], start, {"kind": "GraphRunFailed", "error": "boom"})
    assert (waiting.status, running.status, running.error) == ("paused", "failed", "boom")


def test_the_same_node_in_a_loop_has_a_row_a_round() -> None:
    rows = fed(*node("a", "1"), *node("a", "2"), *node("a", "3"))
    assert [(row.index, row.xid) for row in rows] == [(1, "1"), (2, "2"), (3, "3")]


def test_an_end_without_a_start_has_a_row() -> None:
    (row,) = fed({"kind": "NodeRunSucceeded", "node": "a", "xid": "1", "type": "llm"})
    assert (row.node, row.type, row.status) == ("a", "llm", "succeeded")


def test_strange_events_are_no_trouble() -> None:
    assert fed({}, {"kind": "Whatever"}, {"kind": "NodeRunSomethingNew"}, {"kind": None}) == []


def test_only_changes_are_taken() -> None:
    made = Executions()
    made.feed(1, 1.0, node("a")[0])
    assert len(made.take()) == 1
    assert made.take() == []
    made.feed(2, 2.0, node("a")[1])
    assert [row.status for row in made.take()] == ["succeeded"]


def test_a_form_keeps_its_row_over_the_pause(store: Store) -> None:
    pause_id = paused_run(store)
    assert [(row.node_id, row.status) for row in store.nodes("run-1")] == [
        ("start", "succeeded"),
        ("hum", "paused"),
    ]
    recorder = resume(store, pause_id)
    say(recorder, [STARTED, *node("hum", "x-hum", "human-input", outputs={"note": "hi"}), *node("answer")])
    recorder.finish(Ended())
    recorder.close()
    rows = store.nodes("run-1")
    assert [(row.index, row.segment, row.node_id, row.status) for row in rows] == [
        (1, 0, "start", "succeeded"),
        (2, 0, "hum", "succeeded"),
        (3, 1, "answer", "succeeded"),
    ]
    assert rows[1].outputs == {"note": "hi"}
    assert (rows[1].first_step, rows[1].last_step) == (4, 9)


def test_rows_survive_batches(store: Store) -> None:
    recorder = begin(store)
    for n, event in enumerate([STARTED, *node("a"), *node("b"), *node("c")]):
        recorder.event(n, float(n), event)
        recorder.flush()
    recorder.finish(Ended())
    recorder.close()
    assert [(row.index, row.node_id, row.status) for row in store.nodes("run-1")] == [
        (1, "a", "succeeded"),
        (2, "b", "succeeded"),
        (3, "c", "succeeded"),
    ]
