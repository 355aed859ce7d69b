"""The TUI on the real store and the real engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Button, Input, Select

from tests.tui.conftest import Driver
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.debugger import DebuggerScreen
from workbench.tui.widgets.lines import LineView
from workbench.verbs.context import make_context


def debugger(tui: Driver) -> DebuggerScreen:
    screen = tui.app.screen
    assert isinstance(screen, DebuggerScreen)
    return screen


def button(tui: Driver, label: str) -> Button:
    return next(b for b in tui.app.screen.query(Button) if str(b.label) == label)


async def resume(tui: Driver, gate: str) -> None:
    await tui.press("r")
    tui.app.screen.query_one("#field-0", Input).value = "well"
    tui.app.screen.query_one("#gate-choice", Select).value = gate
    button(tui, "Approve").focus()
    await tui.press("enter")


@pytest.mark.kernel
async def test_the_story_of_the_silent_answer(home: Path) -> None:
    """Start the example, resume it with the gate lost, see the edge; resume again with the gate restored."""
    app = WorkbenchApp(make_context())
    async with app.run_test(size=(120, 40)) as pilot:
        tui = Driver(app, pilot)
        await tui.settle()
        await tui.press("n")
        choice: Select[str] = app.screen.query_one("#app-choice", Select)
        choice.value = next(v for p, v in choice._options if "refund" in str(p).lower())
        await tui.settle()
        await tui.click("#start")
        await tui.until(lambda: isinstance(app.screen, DebuggerScreen) and "paused" in tui.of("#heading"))
        first = debugger(tui).run_id
        assert "The run is paused at “Ask the team lead”" in " ".join(
            tui.of("#gate").replace("│", " ").split()
        )

        await resume(tui, "fresh")
        await tui.until(lambda: "succeeded" in tui.of("#heading"))
        assert debugger(tui).run_id == first
        await tui.press("1")
        shown = " ".join(tui.of("#tabs").replace("│", " ").split())
        assert "The run's answer is: Your refund of 250 is approved. well" in shown
        assert "A chat user saw none of it." in shown
        assert "lost at the pause" in tui.of("#gate")
        await tui.until(lambda: "Why (" in tui.of("#tabs"))

        await resume(tui, "restored")
        await tui.until(lambda: "fork of" in tui.of("#heading") and "succeeded" in tui.of("#heading"))
        assert debugger(tui).run_id != first
        await tui.press("1")
        assert "Your refund of 250 is approved. well" in tui.of("#tabs")
        assert "A chat user saw" not in tui.of("#tabs")

        await tui.press("q")
        await tui.until(lambda: "2 runs" in tui.text)
        rows = app.screen.query_one("#runs", LineView).rows
        assert {r.run_id for r in rows} >= {first}
