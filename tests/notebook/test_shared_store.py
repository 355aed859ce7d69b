"""A notebook and other processes on one store: each sees the other's runs live; nobody loses work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tui.conftest import Driver
from workbench import Workbench
from workbench.notebook import Run
from workbench.tui.app import WorkbenchApp
from workbench.verbs.context import make_context

pytestmark = pytest.mark.kernel
LLM = Path(__file__).resolve().parents[2] / "fixtures" / "nodes" / "llm" / "app.yml"


def elsewhere(code: str) -> subprocess.Popen[str]:
    """A notebook in another process, on the store of WORKBENCH_HOME."""
    program = f"from workbench import Workbench\nwb = Workbench(progress=False)\n{code}"
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)


def told(process: subprocess.Popen[str]) -> str:
    out, _ = process.communicate(timeout=100)
    assert process.returncode == 0
    return out.strip()


def row(tui: Driver) -> str:
    """The first run in the list."""
    return next((line for line in tui.text.split("\n") if "graphon-0.8" in line), "")


async def test_a_run_of_a_notebook_appears_live_in_an_open_tui(wb: Workbench) -> None:
    app = WorkbenchApp(make_context())
    async with app.run_test(size=(120, 40)) as pilot:
        tui = Driver(app, pilot)
        await tui.settle()
        script = "{'nodes': {'llm': {'chunks': ['one', 'two'], 'delay': 1.5}}}"
        process = elsewhere(f"print(wb.run({str(LLM)!r}, 'hi', script={script}).id)")
        await tui.until(lambda: "running" in row(tui))
        await tui.until(lambda: "succeeded" in row(tui))
        assert wb.runs()[0].id == told(process)


async def test_a_run_of_the_tui_is_told_to_a_notebook_s_watch(wb: Workbench) -> None:
    seen: list[str] = []
    watch = wb.watch(lambda: seen.extend(run.status for run in wb.runs()))
    app = WorkbenchApp(make_context())
    async with app.run_test(size=(120, 40)) as pilot:
        tui = Driver(app, pilot)
        await tui.settle()
        await tui.press("n")
        choice = app.screen.query_one("#app-choice")
        choice.value = next(v for p, v in choice._options if "refund" in str(p).lower())  # type: ignore[attr-defined]
        await tui.settle()
        await tui.click("#start")
        await tui.until(lambda: "paused" in seen)
    watch.stop()
    assert wb.runs()[0].pause is not None


def test_a_pause_resumed_elsewhere_becomes_a_fork_and_says_so(paused: Run, wb: Workbench) -> None:
    pause = paused.pause
    assert pause is not None
    assert not pause.consumed
    resume = f"wb.load({pause.id!r}).resume(action='reject')"
    other = told(elsewhere(f"print({resume}.id)"))
    assert other == paused.id

    mine = pause.resume(action="approve", fields={"note": "mine"})
    assert mine.id != paused.id
    assert mine.notes[0].startswith("The pause was resumed before, so this is a fork of it")
    assert mine.streamed == "Your refund of 250 is approved. mine"
    theirs = paused.refresh()
    assert theirs.nodes.column("node_id")[-1] == "refused"
    assert theirs.pause is not None
    assert theirs.pause.consumed


def test_two_resumes_at_once_both_keep_their_run(paused: Run, wb: Workbench) -> None:
    assert paused.pause is not None
    call = f"print(wb.load({paused.pause.id!r}).resume(action='approve', fields={{'note': 'NOTE'}}).id)"
    both = [elsewhere(call.replace("NOTE", note)) for note in ("first", "second")]
    ids = {told(process) for process in both}
    assert len(ids) == 2
    assert paused.id in ids
    assert {wb.load(each).answer for each in ids} == {
        "Your refund of 250 is approved. first",
        "Your refund of 250 is approved. second",
    }


def test_two_edits_at_once_both_stay(paused: Run, wb: Workbench) -> None:
    assert paused.pause is not None
    before = paused.pause.source.state
    both = [
        elsewhere(f"print(wb.load({paused.pause.id!r}).edit({{'sys.query': {text!r}}}).id)")
        for text in ("one", "two")
    ]
    ids = [told(process) for process in both]
    values = {
        row["value"] for each in ids for row in wb.load(each).variables
        if (row["node_id"], row["name"]) == ("sys", "query")
    }  # fmt: skip
    assert values == {"one", "two"}
    assert wb.pause_of(paused.pause.id).source.state == before
