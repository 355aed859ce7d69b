"""What is put into a store comes out of it: apps, files, runs, segments, pauses, forks, facts."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.store.making import (
    PAUSED,
    STARTED,
    WAITING,
    App,
    Ended,
    Saved,
    begin,
    finished_run,
    node,
    paused_run,
    resume,
    say,
)
from workbench.errors import NotFoundError, PauseConsumedError, UsageError
from workbench.store import Store

ODD = 'a\ud800\0"\u202e\U0001f642\r\n\t'
"""A lone surrogate, a NUL, quotes, a right-to-left mark, an emoji, line breaks."""


def test_apps_keep_their_bytes(store: Store) -> None:
    data = b"\xef\xbb\xbfkind: app\r\nname: \xff\x00\n"
    app_id = store.put_app(App(data, name=ODD))
    assert app_id == store.put_app(App(data, name="other"))
    assert len(app_id) == 32
    assert store.app_bytes(app_id) == data
    second = store.put_app(App(b"kind: app\n", name="Parcels", mode="workflow", dsl_version=None))
    assert [app.app_id for app in store.apps()] == [second, app_id]
    assert [app.app_id for app in store.apps("PARC")] == [second]
    assert store.apps()[0].name == "Parcels"
    with pytest.raises(NotFoundError):
        store.app_bytes("0" * 32)


def test_files_keep_their_bytes(store: Store) -> None:
    data = bytes(range(256)) * 1000
    before = time.time()
    file_id = store.put_file("runtime-state", data, f"state{ODD}.json", "saved by Dify 1.15")
    assert store.put_file("runtime-state", data, "again.json", "") == file_id
    found = store.file(file_id)
    assert found.data == data
    assert (found.kind, found.detail) == ("runtime-state", "saved by Dify 1.15")
    assert found.name.endswith(".json")
    assert before - 1 < found.imported_at < time.time() + 1
    with pytest.raises(NotFoundError):
        store.file("0" * 32)


def test_a_run_from_its_beginning_to_its_end(store: Store) -> None:
    before = time.time()
    recorder = begin(
        store, options={"limits": {"max_steps": 5}}, script={"nodes": {"llm": {"chunks": ["a"]}}}
    )
    row = store.run("run-1")
    assert (row.status, row.steps, row.interrupted, row.finished_at) == ("running", 0, False, None)
    recorder.graph({"msg": "graph", "root": "start", "nodes": {"start": {"kind": "root"}}})
    recorder.pool({"sys": {"query": {"type": "string", "value": ODD}}})
    recorder.note("code runs in a child")
    say(recorder, [STARTED, *node("start", kind="start"), *node("llm", outputs={"text": ODD})])
    assert recorder.finish(Ended(outputs={"answer": ODD, "n": 10**30}, exceptions_count=1)) is None
    recorder.close()
    row = store.run("run-1")
    assert row.status == "succeeded"
    assert row.answer == ODD
    assert row.outputs == {"answer": ODD, "n": 10**30}
    assert row.inputs == {"colour": "blue"}
    assert row.system == {"query": "Where is my parcel?"}
    assert row.script == {"nodes": {"llm": {"chunks": ["a"]}}}
    assert row.options == {"limits": {"max_steps": 5}}
    assert (row.steps, row.node_run_steps, row.total_tokens, row.exceptions_count) == (5, 2, 7, 1)
    assert row.elapsed == 4.0
    assert row.finished_at is not None
    assert before - 1 < row.started_at <= row.finished_at < time.time() + 1
    assert row.forked_from is None
    events = store.events("run-1")
    assert [step for step, _, _ in events] == [1, 2, 3, 4, 5]
    assert events[0] == (1, 1_790_000_001.0, STARTED)
    assert events[4][2]["outputs"] == {"text": ODD}
    assert [step for step, _, _ in store.events("run-1", 2, 3)] == [2, 3]
    (segment,) = store.segments("run-1")
    assert (segment.first_step, segment.last_step, segment.status) == (1, 5, "succeeded")
    assert segment.graph == {"root": "start", "nodes": {"start": {"kind": "root"}}}
    assert segment.pool == {"sys": {"query": {"type": "string", "value": ODD}}}
    assert segment.notes == ("code runs in a child",)
    assert segment.gate_mode == "fresh"


def test_the_answer_belongs_to_chatflows(store: Store) -> None:
    finished_run(store, "flow", mode="workflow")
    assert store.run("flow").answer is None
    assert store.run("flow").outputs == {"answer": "Goodbye"}


def test_a_pause_is_whole_when_it_is_reported(store: Store) -> None:
    state, gate = json.dumps({"v": ODD}) + ODD, '{"gate": "' + "x" * 100_000 + '"}'
    recorder = begin(store)
    say(recorder, [STARTED, *WAITING])
    reasons = (
        {"type": "human_input_required", "node_id": "hum", "form_id": "f"},
        {"type": "scheduled_pause"},
    )
    pause_id = recorder.pause(Saved(state, gate, reasons), {"so": "far"})
    (pause,) = store.pauses("run-1")
    recorder.close()
    assert pause == store.pause(pause_id)
    assert (pause.state, pause.gate) == (state, gate)
    assert pause.reasons == reasons
    assert pause.outputs == {"so": "far"}
    assert (pause.run_id, pause.step, pause.segment, pause.resumed_at) == ("run-1", 4, 0, None)
    row = store.run("run-1")
    assert (row.status, row.steps, row.answer, row.finished_at) == ("paused", 4, None, None)
    with pytest.raises(NotFoundError):
        store.pause("nothing")


def test_a_resume_goes_on_counting(store: Store) -> None:
    pause_id = paused_run(store)
    recorder = resume(store, pause_id)
    assert recorder.first_step == 7
    row = store.run("run-1")
    assert (row.status, row.segments) == ("running", 2)
    assert store.pause(pause_id).resumed_at is not None
    say(recorder, [{"kind": "GraphRunStarted", "reason": "resumption"}, *node("hum", "x-hum", "human-input")])
    recorder.finish(Ended(node_run_steps=4))
    recorder.close()
    assert [step for step, _, _ in store.events("run-1")] == list(range(1, 10))
    row = store.run("run-1")
    assert (row.status, row.steps, row.node_run_steps, row.answer) == ("succeeded", 9, 4, "Goodbye")
    first, second = store.segments("run-1")
    assert (first.status, first.last_step) == ("paused", 6)
    assert (second.first_step, second.last_step, second.gate_mode) == (7, 9, "restored")
    assert second.gate == '{"version":"2.0"}'
    assert second.pause_id == pause_id
    assert second.forms == {"hum": {"action": "approve", "fields": {"note": "hi"}}}


def test_a_pause_is_consumed_once(store: Store) -> None:
    pause_id = paused_run(store)
    resume(store, pause_id).close()
    with pytest.raises(PauseConsumedError, match="was resumed already"):
        resume(store, pause_id)
    with pytest.raises(NotFoundError):
        resume(store, "nothing")
    with pytest.raises(NotFoundError):
        resume(store, pause_id, run_id="another")


def test_of_many_resumes_at_once_one_goes_on(store: Store) -> None:
    pause_id = paused_run(store)
    results: list[str] = []

    def try_it() -> None:
        try:
            recorder = resume(store, pause_id)
        except PauseConsumedError:
            results.append("late")
        else:
            results.append("first")
            recorder.finish(Ended())
            recorder.close()

    threads = [threading.Thread(target=try_it) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == ["first", "late", "late", "late", "late"]


def test_a_fork_knows_where_it_comes_from(store: Store) -> None:
    pause_id = paused_run(store)
    base = {"state": '{"version":"3.0"}', "pause_id": pause_id, "odd": ODD}
    recorder = begin(store, "fork-1", forked_from={"run_id": "run-1", "step": 6}, base=base)
    recorder.finish(Ended())
    recorder.close()
    assert store.run("fork-1").forked_from == {"run_id": "run-1", "step": 6}
    assert store.segments("fork-1")[0].base == base
    assert store.run("run-1").status == "paused"


def test_a_run_id_is_used_once_and_is_plain(store: Store) -> None:
    finished_run(store, "run-1")
    with pytest.raises(UsageError, match="There is a run run-1 already"):
        begin(store)
    for bad in ("", "../up", "a b", ".hidden", "x" * 101, "a\nb"):
        with pytest.raises(UsageError, match="can't be a run id"):
            begin(store, bad)
    assert [row.run_id for row in store.runs()] == ["run-1"]


def test_streams_are_kept_where_the_journal_does_not_give_them(store: Store) -> None:
    for run_id, lockstep in (("raced", False), ("steady", True)):
        recorder = begin(store, run_id, options={"lockstep": lockstep})
        recorder.event(1, 1.0, STARTED)
        recorder.stream(1, [["answer", ["answer", "answer"], ODD, False]], None)
        recorder.event(2, 1.0, STARTED)
        recorder.stream(2, [], "Stream is already closed")
        recorder.finish(Ended())
        recorder.close()
    dead = (2, (), "Stream is already closed")
    chunk = (1, (("answer", ["answer", "answer"], ODD, False),), None)
    told = {run: [(s.step, s.chunks, s.error) for s in store.streams(run)] for run in ("raced", "steady")}
    assert told == {"raced": [chunk, dead], "steady": [dead]}


def test_ends_of_every_kind(store: Store) -> None:
    for status in ("succeeded", "partial-succeeded", "failed", "stopped"):
        finished_run(store, status, Ended(status, {}, f"because {ODD}"))
        row = store.run(status)
        assert row.status == status
        assert row.error is not None
        assert row.error.startswith("because a")


def test_a_recorder_that_was_only_closed_leaves_an_interrupted_run(store: Store) -> None:
    recorder = begin(store)
    say(recorder, [STARTED, node("llm")[0]])
    recorder.close()
    row = store.run("run-1")
    assert (row.status, row.interrupted, row.steps) == ("stopped", True, 2)
    assert row.error is not None
    assert "after step 2" in row.error
    assert [(n.node_id, n.status) for n in store.nodes("run-1")] == [("llm", "failed")]
    assert store.segments("run-1")[0].status == "stopped"
    assert not list((store.path.parent / "workbench.duckdb.live").iterdir())


def test_events_arrive_while_the_run_goes_on(store: Store) -> None:
    recorder = begin(store)
    recorder.event(1, 1.0, STARTED)
    recorder.flush()
    assert len(store.events("run-1")) == 1
    assert store.run("run-1").steps == 1
    recorder.event(2, 1.0, STARTED)
    deadline = time.monotonic() + 20
    while len(store.events("run-1")) < 2:  # in the background, within about 0.2 s
        assert time.monotonic() < deadline
    recorder.finish(Ended())
    recorder.finish(Ended("failed"))  # too late: nothing happens
    recorder.close()
    recorder.close()
    assert store.run("run-1").status == "succeeded"


def test_the_counter_tells_of_changes_only(store: Store) -> None:
    assert store.change_counter() == 0
    assert not store.path.exists()  # looking makes nothing
    finished_run(store, "run-1")
    counted = store.change_counter()
    assert counted > 0
    store.runs()
    store.run("run-1")
    store.segments("run-1")
    assert store.change_counter() == counted
    app_id = store.put_app(App())
    assert store.change_counter() == counted + 1
    assert store.put_app(App()) == app_id  # known already
    assert store.change_counter() == counted + 1


def test_everything_is_private(store: Store) -> None:
    paused_run(store)
    recorder = begin(store, "alive")
    paths = [store.path.parent, *store.path.parent.rglob("*")]
    recorder.close()
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in paths if path.exists()}
    assert len(modes) > 4
    assert {mode for name, mode in modes.items() if "." in name and not name.endswith(".live")} == {0o600}
    assert modes["home"] == modes["workbench.duckdb.live"] == 0o700


def test_importing_the_store_does_not_load_duckdb() -> None:
    code = "import sys, workbench.store; sys.exit('duckdb' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_two_pauses_in_a_row(store: Store) -> None:
    first = paused_run(store)
    recorder = resume(store, first)
    say(recorder, [*node("hum", "x-hum", "human-input"), {**WAITING[0], "node": "hum2", "xid": "x-2"}])
    second = recorder.finish(PAUSED)
    recorder.close()
    assert second is not None
    assert [pause.pause_id for pause in store.pauses("run-1")] == [first, second]
    assert [pause.resumed_at is None for pause in store.pauses("run-1")] == [False, True]
    assert store.run("run-1").status == "paused"


def test_the_same_state_is_kept_once(store: Store, tmp_path: Path) -> None:
    big = json.dumps({"x": "y" * 1_000_000})
    for number in range(5):
        recorder = begin(store, f"run-{number}")
        recorder.pause(Saved(big, big), {})
        recorder.close()
    assert store.path.stat().st_size < 8_000_000


def test_a_run_whose_live_file_is_gone_is_interrupted(store: Store) -> None:
    """The store was copied without the folder beside it."""
    recorder = begin(store)
    say(recorder, [STARTED])
    recorder.flush()
    (spool,) = (store.path.parent / "workbench.duckdb.live").iterdir()
    spool.unlink()
    (row,) = store.runs()
    assert (row.interrupted, row.steps) == (True, 1)
    recorder.close()


def test_files_of_recorders_that_died_being_born_go(store: Store) -> None:
    finished_run(store, "run-1")
    live = store.path.parent / "workbench.duckdb.live"
    for name in ("old.new", "young.new", "stray.spool", "notes.txt"):
        (live / name).write_text("x")
    os.utime(live / "old.new", (1, 1))
    assert len(store.runs()) == 1
    assert sorted(path.name for path in live.iterdir()) == ["notes.txt", "young.new"]


def test_a_torn_line_is_dropped(store: Store) -> None:
    recorder = begin(store)
    say(recorder, [STARTED, node("a")[0]])
    (spool,) = (store.path.parent / "workbench.duckdb.live").iterdir()
    with spool.open("ab") as file:
        file.write(b'event\t3\t1.0\t{"kind":"NodeRunSuc')  # killed in the middle of a write
    recorder._spool.leave()
    recorder._is_over = True
    assert [step for step, _, _ in store.events("run-1")] == [1, 2]
    assert store.run("run-1").interrupted
