"""Breakpoints, steps over nodes, and a run that goes on, by key and by mouse."""

from __future__ import annotations

import gc
from dataclasses import replace

from textual.widgets import Button

from tests.tui import journals
from tests.tui.conftest import Driver, Open
from tests.tui.doubles import FakeControl, FakeDesk
from tests.tui.test_debugger import journey
from workbench.core.replay import Timeline
from workbench.tui.live import Teller
from workbench.tui.screens.breakpoints import BreakpointsScreen
from workbench.tui.screens.debugger import DebuggerScreen
from workbench.tui.widgets.graph.view import GraphView
from workbench.views.breakpoints import Breakpoint, Breakpoints


def screen(tui: Driver) -> DebuggerScreen:
    found = tui.app.screen
    assert isinstance(found, DebuggerScreen)
    return found


async def press_button(tui: Driver, button: str) -> None:
    await tui.click(tui.app.screen.query_one(button, Button))


async def test_a_step_over_goes_to_the_end_of_the_node_and_back(drive: Open) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        await tui.press("g", "o")
        assert journey(tui).step == 2
        await tui.press("o")
        assert journey(tui).step == 4, "the end of Start, its edge skipped"
        await tui.press("O")
        assert journey(tui).step == 2


async def test_a_variable_and_the_gate_stop_a_continue(drive: Open) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        await tui.press("2", "j", "j", "v")
        assert screen(tui).breakpoints.on == (Breakpoint("variable", "approval", "note"),)
        await tui.press("g", "c")
        assert journey(tui).step == 14
        assert "◉ breakpoint when Ask the team lead.note is written" in tui.text
        assert "◉" in tui.of("#timeline")
        await tui.press("c")
        assert journey(tui).step == 17
        await tui.press("B", "g", "escape", "g", "c")
        assert journey(tui).step == 7, "the first change of the gate"


async def test_a_breakpoint_on_no_variable_says_how(drive: Open) -> None:
    async with drive("120x40", run="fresh-1", toasts=True) as tui:
        await tui.press("v")
        assert "Choose a variable first" in tui.text


async def test_the_list_switches_and_clears_by_key(drive: Open) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        tui.app.screen.query_one(GraphView).selected = "approval"
        await tui.press("b", "B")
        assert isinstance(tui.app.screen, BreakpointsScreen)
        assert "● on  before Ask the team lead" in tui.text
        await tui.press("space")
        assert "○ off before Ask the team lead" in tui.text
        await tui.press("escape", "g", "c")
        assert journey(tui).step == 20, "one that is off stops nothing"
        await tui.press("B", "x")
        assert "None yet" in tui.text
        await tui.press("g", "X", "escape")
        assert screen(tui).breakpoints == Breakpoints()


async def test_the_list_switches_and_clears_by_mouse(drive: Open) -> None:
    for size in ("80x24", "120x40"):
        async with drive(size, run="fresh-1") as tui:
            tui.app.screen.query_one(GraphView).selected = "approval"
            await tui.press("b", "B")
            await press_button(tui, "#gate-break")
            await press_button(tui, "#switch")
            assert "○ off before" in tui.text
            await tui.click("#break-list", offset=(3, 0))
            assert "● on  before" in tui.text
            await press_button(tui, "#clear")
            await press_button(tui, "#done")
            assert screen(tui).breakpoints.all == (Breakpoint("gate"),)
            await tui.press("B")
            await press_button(tui, "#clear-all")
            await press_button(tui, "#done")
            assert screen(tui).breakpoints == Breakpoints()


async def test_breakpoints_of_an_app_are_there_in_its_other_runs(drive: Open) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        tui.app.screen.query_one(GraphView).selected = "approval"
        await tui.press("b", "q")
        tui.app.open_run("restored-1")
        await tui.settle()
        assert screen(tui).breakpoints.before == {"approval"}


async def test_a_resume_gives_the_engine_the_nodes_to_stop_before(drive: Open, desk: FakeDesk) -> None:
    async with drive("120x40", run="paused-1") as tui:
        tui.app.screen.query_one(GraphView).selected = "answer"
        await tui.press("b", "r")
        await press_button(tui, "#form-actions Button")
        order = desk.orders[-1]
        assert (order.target, order.break_before, order.app) == ("p-paused-1", ("answer",), None)


async def test_a_followed_run_stops_at_a_gate_change_and_is_recorded_on(drive: Open, desk: FakeDesk) -> None:
    graph, timeline = journals.refund(None)

    def grow(steps: int) -> None:
        cut = replace(timeline.journal, events=timeline.journal.events[:steps])
        desk.add("live-1", "running", graph, Timeline(graph, cut))

    grow(4)
    async with drive("120x40", run="live-1", toasts=True) as tui:
        assert "● live  4 events, 0 of 6 nodes" in tui.text or "● live  4 events, 1 of" in tui.text
        await tui.press("B", "g", "escape")
        grow(9)
        await tui.until(lambda: journey(tui).steps == 9)
        assert journey(tui).step == 7
        assert "Stopped when the gate changes" in tui.text
        assert "The run is recorded on" in tui.text
        assert "○ live, standing still" in tui.text
        grow(11)
        await tui.until(lambda: journey(tui).steps == 11)
        assert journey(tui).step == 7
        await tui.press("space")
        assert journey(tui).step == 11
        assert "● live" in tui.text


async def test_the_engine_is_told_where_this_program_runs_it(drive: Open, desk: FakeDesk) -> None:
    graph, timeline = journals.refund(None)
    desk.add("live-1", "running", graph, timeline)
    async with drive("120x40", run="live-1", toasts=True) as tui:
        await tui.press("i")
        assert "Another program runs this" in tui.text
        control = FakeControl()
        tui.app._control, tui.app.playing = control, "live-1"  # type: ignore[assignment]
        await tui.press("i")
        assert control.paused == "Paused by the user."
        assert "The engine pauses before its next node" in tui.text
    async with drive("120x40", run="fresh-1", toasts=True) as tui:
        await tui.press("i", "space")
        assert "This run is not going on" in tui.text
        assert "nothing to follow" in tui.text


async def test_an_event_that_hits_a_breakpoint_pauses_the_engine_at_once(drive: Open) -> None:
    async with drive() as tui:
        control = FakeControl()
        points = Breakpoints().toggled(Breakpoint("after", "large"))
        teller = Teller(tui.app, control, lambda: points)  # type: ignore[arg-type]
        teller.event(1, 0.0, journals.started("large"))
        assert control.paused == ""
        teller.event(2, 0.0, journals.succeeded("large"))
        assert control.paused == "Breakpoint after large."


async def test_a_long_run_is_spared_by_the_collector_while_it_is_shown(drive: Open, desk: FakeDesk) -> None:
    """A full collection over 10,000 events takes 0.1 s; what was held is given back with the screen."""
    graph, timeline = journals.parallel()
    chunks = tuple(journals.chunk("slow", f"{n} ") for n in range(600))
    events = (*timeline.journal.events, *chunks)
    desk.add("long-1", "running", graph, Timeline(graph, replace(timeline.journal, events=events)))
    gc.unfreeze()
    async with drive("120x40", run="long-1") as tui:
        assert gc.get_freeze_count() > 600
        await tui.press("1", "enter")
        assert "598 599" in " ".join(tui.text.replace("│", " ").split()), "the whole text on a page"
        await tui.press("escape", "q")
        assert gc.get_freeze_count() == 0
