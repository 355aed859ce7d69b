"""A recorder whose transactions are cut: by Ctrl-C after a commit, by a busy store, by errors behind it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from tests.store.making import PAUSED, STARTED, Ended, begin, node, say
from workbench.errors import StoreBusyError, StoreError
from workbench.store import Store, recorder


@contextlib.contextmanager
def cut(monkeypatch: pytest.MonkeyPatch, error: type[BaseException], *, after: bool) -> Iterator[None]:
    """The recorder's next lease ends with `error`, right after its commit or before it has begun."""
    real = recorder.lease

    @contextlib.contextmanager
    def lease(*args: Any, **more: Any) -> Iterator[Any]:
        if not after:
            raise error("cut")
        with real(*args, **more) as held:
            yield held
        raise error("cut")

    with monkeypatch.context() as patch:
        patch.setattr(recorder, "lease", lease)
        yield


EVENTS = [STARTED, *node("a"), *node("b")]


@pytest.mark.parametrize("after", [True, False])
def test_ctrl_c_while_a_run_ends(store: Store, monkeypatch: pytest.MonkeyPatch, after: bool) -> None:
    """The verb then records the run as stopped: it is, unless its real end was committed."""
    made = begin(store)
    made.note("one")
    say(made, EVENTS)
    with cut(monkeypatch, KeyboardInterrupt, after=after), pytest.raises(KeyboardInterrupt):
        made.finish(Ended())
    made.finish(Ended("stopped", {}, "Ctrl-C"))
    made.close()
    row = store.run("run-1")
    assert row.status == ("succeeded" if after else "stopped")
    assert not row.interrupted
    assert [step for step, _, _ in store.events("run-1")] == [1, 2, 3, 4, 5]
    assert [n.node_id for n in store.nodes("run-1")] == ["a", "b"]
    assert store.segments("run-1")[0].notes == ("one",)


@pytest.mark.parametrize("after", [True, False])
def test_ctrl_c_while_a_run_pauses(store: Store, monkeypatch: pytest.MonkeyPatch, after: bool) -> None:
    made = begin(store)
    say(made, EVENTS)
    with cut(monkeypatch, KeyboardInterrupt, after=after), pytest.raises(KeyboardInterrupt):
        made.finish(PAUSED)
    made.finish(Ended("stopped", {}, "Ctrl-C"))
    made.close()
    assert store.run("run-1").status == ("paused" if after else "stopped")
    assert len(store.pauses("run-1")) == after
    assert len(store.events("run-1")) == 5


def test_a_pause_that_is_tried_again_is_the_same(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    made = begin(store)
    say(made, EVENTS)
    assert PAUSED.pause is not None
    with cut(monkeypatch, StoreBusyError, after=True), pytest.raises(StoreBusyError):
        made.pause(PAUSED.pause, {})
    pause_id = made.pause(PAUSED.pause, {})
    made.close()
    assert [pause.pause_id for pause in store.pauses("run-1")] == [pause_id]


@pytest.mark.parametrize("after", [True, False])
def test_a_batch_that_is_cut_is_written_once(
    store: Store, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    made = begin(store)
    made.note("one")
    say(made, EVENTS[:2])
    made.flush()
    made.note("two")
    say(made, EVENTS[2:4])
    with cut(monkeypatch, StoreBusyError, after=after), pytest.raises(StoreBusyError):
        made.flush()
    made.note("three")
    say(made, EVENTS[4:])
    made.flush()
    made.finish(Ended())
    made.close()
    assert [step for step, _, _ in store.events("run-1")] == [1, 2, 3, 4, 5]
    assert [(n.node_id, n.status) for n in store.nodes("run-1")] == [("a", "succeeded"), ("b", "succeeded")]
    assert store.segments("run-1")[0].notes == ("one", "two", "three")


def test_a_store_that_is_busy_in_the_background_does_not_stop_the_run(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "BATCH_SECONDS", 0.001)
    made = begin(store)
    with cut(monkeypatch, StoreBusyError, after=False):
        for n in range(200):
            made.event(n, 1.0, STARTED)
    made.finish(Ended())
    made.close()
    assert len(store.events("run-1")) == 200


@pytest.mark.parametrize("error", [StoreError, MemoryError])
def test_an_error_behind_the_run_is_told_by_the_next_call(
    store: Store, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    monkeypatch.setattr(recorder, "BATCH_SECONDS", 0.001)
    made = begin(store)
    with cut(monkeypatch, error, after=False), pytest.raises(StoreError, match="cut"):
        say(made, [STARTED] * 10_000_000)
    steps = made.step
    made.finish(Ended("failed", {}, "cut"))
    made.close()
    assert store.run("run-1").status == "failed"
    assert len(store.events("run-1")) == steps
