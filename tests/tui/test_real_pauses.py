"""Saved pauses, forks, healing and breakpoints in the TUI, on the real store and the real engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Button, Input, Select, TextArea

from tests.tui.conftest import Driver
from tests.tui.journals import REFUND
from tests.tui.test_real_engine import button, debugger
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.debugger import DebuggerScreen
from workbench.tui.screens.pick_app import PickAppScreen
from workbench.tui.widgets.graph.view import GraphView
from workbench.verbs.context import Context, make_context
from workbench.verbs.exporting import export
from workbench.verbs.run import run
from workbench.views.breakpoints import Breakpoint


def paused(ctx: Context) -> tuple[str, str]:
    """A run of the example on graphon 0.6 and its pause."""
    made = run(ctx, REFUND, query="hi", kernel="graphon-0.8")
    assert made.pause is not None
    return made.run_id, made.pause.pause_id


@pytest.mark.kernel
async def test_a_file_from_dify_is_opened_healed_and_resumed(home: Path, tmp_path: Path) -> None:
    """Nothing is imported: the app is asked for by path, the gate is rebuilt, and the Answer streams."""
    elsewhere = Context(tmp_path / "other.duckdb", make_context().home)
    _, pause = paused(elsewhere)
    file = tmp_path / "state.json"
    export(elsewhere, pause, file, "runtime-state")

    app = WorkbenchApp(make_context(), selected=str(file))
    async with app.run_test(size=(120, 40)) as pilot:
        tui = Driver(app, pilot)
        await tui.settle()
        assert isinstance(app.screen, PickAppScreen)
        app.screen.query_one("#path", Input).value = str(REFUND)
        await tui.click("#ok")
        assert "saved pause" in tui.of("#heading")
        assert "taken before the" in tui.of("#gate"), "a runtime state alone has no gate"
        await tui.press("m")
        app.screen.query_one("#heal", Button).press()
        await tui.until(lambda: bool(app.screen.query("#resume").results(Button)))
        await tui.until(lambda: "rebuilt" in tui.text)
        app.screen.query_one("#resume", Button).press()
        await tui.until(lambda: isinstance(app.screen, DebuggerScreen) and app.screen.run_id != str(file))
        await tui.press("r")
        assert app.screen.query_one("#gate-choice", Select).value == "restored"
        button(tui, "Approve").press()
        await tui.until(lambda: "succeeded" in tui.of("#heading"))
        await tui.press("1")
        assert "Your refund of 250 is approved." in tui.of("#tabs")
        assert "A chat user saw" not in tui.of("#tabs")


@pytest.mark.kernel
async def test_a_pause_by_its_id_and_a_fork_with_another_amount(home: Path) -> None:
    ctx = make_context()
    run_id, pause = paused(ctx)
    app = WorkbenchApp(ctx, selected=pause)
    async with app.run_test(size=(120, 40)) as pilot:
        tui = Driver(app, pilot)
        await tui.settle()
        assert debugger(tui).run_id == run_id
        assert debugger(tui).journey.step == debugger(tui).opened.at  # type: ignore[union-attr]
        await tui.press("g", "n", "n", "n", "n", "F")
        app.screen.query_one("#variable", Select).value = "start.amount"
        await tui.settle()
        area = app.screen.query_one("#changes TextArea", TextArea)
        area.text = "a lot"
        await tui.press("f5")
        await tui.until(lambda: "a lot" in tui.text and app.screen.query_one("#form-problem").display)
        assert area.text == "a lot"
        area.text = "50"
        await tui.press("f5")
        await tui.until(lambda: "fork of" in tui.text and "succeeded" in tui.text)
        assert debugger(tui).run_id != run_id


@pytest.mark.kernel
async def test_a_breakpoint_after_a_node_holds_the_engine_before_the_next(home: Path) -> None:
    ctx = make_context()
    run_id, _ = paused(ctx)
    app = WorkbenchApp(ctx, selected=run_id)
    async with app.run_test(size=(120, 40)) as pilot:
        tui = Driver(app, pilot)
        await tui.settle()
        app.screen.query_one(GraphView).selected = "start"
        await tui.press("b", "b")
        assert debugger(tui).breakpoints.on == (Breakpoint("after", "start"),)
        await tui.press("R")
        await tui.until(lambda: bool(app.screen.query("#start").results(Button)))
        assert app.screen.query_one("#break-before", Input).value == "large"
        app.screen.query_one("#query", Input).value = "hi"
        app.screen.query_one("#start", Button).press()
        await tui.until(
            lambda: (
                isinstance(app.screen, DebuggerScreen)
                and app.screen.run_id != run_id
                and app.screen.opened is not None
                and app.screen.opened.loaded.run.status == "paused"
            )
        )
        events = debugger(tui).journey.events  # type: ignore[union-attr]
        assert [e["node"] for e in events if e["kind"] == "NodeRunStarted"] == ["start"]
        assert events[-1]["kind"] == "GraphRunPaused"
