"""Runs that go on: waiting, awaiting, interrupting, stopping, progress."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from workbench import Workbench
from workbench.errors import UsageError
from workbench.notebook import playing
from workbench.notebook.playing import Interrupted, Playing, bar

pytestmark = pytest.mark.kernel
LLM = Path(__file__).resolve().parents[2] / "fixtures" / "nodes" / "llm" / "app.yml"
SLOW: dict[str, Any] = {"nodes": {"llm": {"chunks": ["one ", "two ", "three"], "delay": 1.5}}}


def test_a_started_run_is_seen_while_it_goes_on(wb: Workbench) -> None:
    going = wb.start(LLM, "hi", script=SLOW)
    assert going.id is not None
    deadline = time.monotonic() + 20
    while not going.run.events and time.monotonic() < deadline:  # type: ignore[union-attr]
        time.sleep(0.05)
    seen = wb.runs()[0]
    assert (seen.id, seen.status, going.done) == (going.id, "running", False)
    assert "going on" in repr(going)
    going.stop()
    stopped = going.result()
    assert (stopped.id, stopped.status) == (going.id, "stopped")
    assert stopped.error == "Stopped from a notebook."
    assert going.done


async def test_a_run_is_awaited_without_blocking_the_loop(wb: Workbench) -> None:
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.02)
            ticks += 1

    beside = asyncio.create_task(tick())
    run = await wb.start(wb.example(), "hi")
    beside.cancel()
    assert run.status == "paused"
    assert ticks > 3


async def test_the_plain_methods_work_inside_a_running_loop(wb: Workbench) -> None:
    """A Jupyter cell is run by an event loop."""
    assert wb.example().run("hi").status == "paused"


def test_several_runs_at_once(wb: Workbench) -> None:
    runs = [each.result() for each in [wb.start(wb.example(), f"run {n}") for n in range(3)]]
    assert [run.query for run in runs] == ["run 0", "run 1", "run 2"]
    assert len(wb.runs()) == 3


def test_an_interrupt_stops_the_run_and_then_ends_the_cell(
    wb: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    going = wb.start(LLM, "hi", script=SLOW)
    assert going.id is not None

    def interrupted(timeout: float) -> tuple[str, str]:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(going._teller, "news", _News(interrupted, going._teller.news))
    with pytest.raises(Interrupted) as told:
        going.result()
    assert going.id in str(told.value)
    assert told.value._render_traceback_() == [str(told.value)]
    assert wb.load(going.id).status == "stopped"


class _News:
    """A queue whose first `get` is something else."""

    def __init__(self, first: Any, queue: Any) -> None:
        self._first, self._queue = first, queue

    def get(self, timeout: float) -> Any:
        first, self._first = self._first, None
        return first(timeout) if first is not None else self._queue.get(timeout=timeout)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)


def test_what_can_t_begin_raises_where_it_is_waited_for(wb: Workbench) -> None:
    going = wb.start("no-such-app.yml")
    assert going.id is None
    assert going.run is None
    with pytest.raises(Exception, match=r"There is no file no-such-app\.yml"):
        going.result()
    assert "could not go on" in repr(going)
    with pytest.raises(UsageError, match="no input named"):
        wb.run(wb.example(), inputs={"amuont": 1})


class Bar:
    """Stands for tqdm's."""

    made: list[Bar] = []  # noqa: RUF012

    def __init__(self, total: int | None, unit: str) -> None:
        self.n, self.told, self.closed = 0, "", False
        Bar.made.append(self)

    def update(self, count: int) -> None:
        self.n += count

    def set_description_str(self, text: str, refresh: bool) -> None:
        self.told = text

    def set_postfix_str(self, text: str, refresh: bool) -> None: ...

    def refresh(self) -> None: ...

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize(("delay", "bars"), [(0.0, 1), (60.0, 0)])
def test_a_bar_is_made_only_when_it_takes_long(
    wb: Workbench, monkeypatch: pytest.MonkeyPatch, delay: float, bars: int
) -> None:
    monkeypatch.setattr(Bar, "made", [])
    monkeypatch.setattr(playing, "_tqdm", Bar)
    monkeypatch.setattr(playing, "DELAY", delay)
    run = wb.start(wb.example(), "hi").result(progress=True)
    assert len(Bar.made) == bars
    for each in Bar.made:
        assert each.closed
        assert each.n == run.row.steps
        assert each.told == "Refund approval on graphon-0.8"


def test_the_usual_bar_is_used(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "DELAY", 0.0)
    with bar(True, 2, " files") as paint:
        paint("event", "a\x1b[31m.yml")
        paint("note", "still at it")
    told = capsys.readouterr().err
    assert "1/2" in told
    assert "still at it" in told
    assert "\x1b[31m" not in told
    with bar(None, 2) as paint:  # nobody looks
        paint("event", "x")
    assert capsys.readouterr().err == ""


def test_an_interrupt_before_anything_is_followed_stops_the_run_too(
    wb: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    going: Playing = wb.start(LLM, "hi", script=SLOW)
    bars: list[bool | None] = []

    def importing(progress: bool | None) -> Any:
        bars.append(progress)
        if len(bars) == 1:
            raise KeyboardInterrupt
        return bar(progress)

    monkeypatch.setattr("workbench.notebook.playing.bar", importing)
    with pytest.raises(Interrupted):
        going.result(True)
    assert bars == [True, False]
    assert wb.runs()[0].status == "stopped"


def test_a_run_can_be_asked_to_pause(wb: Workbench) -> None:
    before = threading.active_count()
    going: Playing = wb.start(LLM, "hi", script=SLOW)
    assert going.id is not None
    going.pause()
    assert going.result().status in ("paused", "succeeded")
    assert threading.active_count() < before + 20, "other tests of this process may have left some"
