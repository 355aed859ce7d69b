"""The debugger by key and by mouse."""

from __future__ import annotations

import pytest
from textual.widget import Widget
from textual.widgets import TabbedContent

from tests.tui import journals
from tests.tui.conftest import Driver, Open
from tests.tui.doubles import FakeDesk
from workbench.tui.screens.debugger import DebuggerScreen
from workbench.tui.screens.runs import RunsScreen
from workbench.tui.widgets.events import EventsPanel
from workbench.tui.widgets.findings import FindingsPanel
from workbench.tui.widgets.gate import GatePanel
from workbench.tui.widgets.graph.view import GraphView
from workbench.tui.widgets.node import NodePanel
from workbench.tui.widgets.resume import ResumePanel
from workbench.tui.widgets.stream import StreamPanel
from workbench.tui.widgets.timeline import Timeline
from workbench.tui.widgets.variables import VariablesPanel
from workbench.views.journey import Journey


def journey(tui: Driver) -> Journey:
    screen = tui.app.screen
    assert isinstance(screen, DebuggerScreen)
    assert screen.journey is not None
    return screen.journey


async def test_stepping_by_key(drive: Open) -> None:
    async with drive(run="fresh-1") as tui:
        at = journey(tui)
        assert (at.step, at.steps) == (20, 20)
        await tui.press("g")
        assert at.step == 0
        assert "Before the first step." in tui.text
        await tui.press("n", "n")
        assert at.step == 2
        assert "2/20  Start starts" in tui.text
        await tui.press("p")
        assert at.step == 1
        await tui.press("full_stop", "comma")
        assert at.step == 1
        await tui.press("p", "p")
        assert at.step == 0, "there is nothing before the beginning"
        await tui.press("G")
        assert at.step == 20


async def test_jumps_to_gate_changes_pauses_and_nodes(drive: Open) -> None:
    async with drive(run="fresh-1") as tui:
        at = journey(tui)
        await tui.press("g", "right_square_bracket")
        assert at.step == 7, "the branch opens half of the way"
        await tui.press("right_square_bracket")
        assert at.step == 12, "the fresh gate of the resume forgets it"
        await tui.press("left_square_bracket")
        assert at.step == 7
        await tui.press("right_curly_bracket")
        assert at.step == 11
        await tui.press("right_curly_bracket")
        assert at.step == 20
        await tui.press("left_curly_bracket")
        assert at.step == 11
        await tui.press("N")
        assert at.step == 13
        await tui.press("P")
        assert at.step == 11


async def test_the_gate_opens_edge_by_edge_and_is_lost_at_the_resume(drive: Open) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        await tui.press("right_curly_bracket", "left_curly_bracket")
        gate = tui.of("#gate")
        assert "Nothing streams: “Tell the customer” waits" in gate
        assert "○ Above 100? —if→ Ask the team lead" in gate
        assert "taken at step 7" in gate
        await tui.press("n")
        assert "! Above 100? —if→ Ask the team lead" in tui.of("#gate")
        assert "!▸" in tui.of("#graph")


async def test_timeline_by_mouse(drive: Open) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        at = journey(tui)
        timeline = tui.app.screen.query_one(Timeline)
        width = timeline.size.width
        await tui.click(Timeline, offset=(timeline.cell_of(7, width) + 1, 1))
        assert at.step == 7
        await tui.click(Timeline, offset=(1, 1))
        assert at.step == 0


async def test_footer_by_mouse(drive: Open) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        at = journey(tui)
        footer = tui.text.split("\n")[-1]
        await tui.click(None, offset=(footer.index("p Back"), 39))
        assert at.step == 19


async def test_selecting_nodes_by_key_and_mouse(drive: Open) -> None:
    async with drive("200x60", run="paused-1") as tui:
        graph = tui.app.screen.query_one(GraphView)
        await tui.press("l")
        assert graph.selected == "answer", "right of the node of this step"
        await tui.press("j")
        assert graph.selected == "refused"
        await tui.press("h", "k")
        assert graph.selected in ("approval", "answer")
        rows = tui.of("#graph").split("\n")
        y = next(i for i, row in enumerate(rows) if "Above 100?" in row)
        await tui.click("#graph", offset=(rows[y].index("Above 100?"), y))
        assert graph.selected == "large"
        await tui.press("enter")
        assert tui.app.screen.query_one(TabbedContent).active == "node"
        shown = tui.of("#tabs")
        assert "if-else" in shown
        assert "succeeded" in shown


async def test_zoom_pan_follow_tidy(drive: Open) -> None:
    async with drive("120x40", run="paused-1") as tui:
        graph = tui.app.screen.query_one(GraphView)
        assert graph.level == "full"
        await tui.press("minus")
        assert graph.level == "line"
        assert "⟦◉ Ask the team le…‖⟧" in tui.of("#graph")
        await tui.press("minus")
        assert graph.level == "overview"
        await tui.press("plus", "plus")
        assert graph.level == "full"
        before = graph.scroll_offset.x
        await tui.press("L")
        assert graph.scroll_offset.x > before
        assert not graph.follow
        await tui.press("f")
        assert graph.follow
        await tui.press("t")
        assert "tidy" in tui.of("#graph")
        await tui.press("0")
        assert "fit" in tui.of("#graph")


async def test_entering_a_loop_and_leaving_it(drive: Open, desk: FakeDesk) -> None:
    desk.add("loop-1", "running", *journals.looped())
    async with drive("120x40", run="loop-1") as tui:
        graph = tui.app.screen.query_one(GraphView)
        graph.selected = "loop"
        await tui.press("enter")
        assert graph.scope == "loop"
        assert "Graph › Three rounds" in tui.text
        assert "Say it" not in tui.of("#graph")
        graph.focus()
        await tui.press("backspace")
        assert graph.scope is None
        assert graph.selected == "loop"


async def test_tabs_by_key_and_mouse(drive: Open) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        tabs = tui.app.screen.query_one(TabbedContent)
        for key, name in zip(
            "123456", ("stream", "variables", "events", "findings", "node", "resume"), strict=True
        ):
            tui.app.screen.query_one(GraphView).focus()
            await tui.press(key)
            assert tabs.active == name
        rows = tui.text.split("\n")
        y = next(i for i, row in enumerate(rows) if "Vars  Events" in row)
        await tui.click(None, offset=(rows[y].index("Events") + 1, y))
        assert tabs.active == "events"


async def test_events_follow_the_step_and_lead_to_it(drive: Open) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        await tui.press("3")
        panel = tui.app.screen.query_one(EventsPanel)
        assert panel.marked == 19
        await tui.press("k", "k", "enter")
        assert journey(tui).step == 18
        assert panel.marked == 17
        rows = tui.text.split("\n")
        y = next(i for i, row in enumerate(rows) if "The run resumes" in row)
        await tui.click(None, offset=(20, y))
        assert journey(tui).step == 12


async def test_variables_change_and_say_who_wrote_them(drive: Open) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        await tui.press("2")
        await tui.press("j", "j")
        row = tui.app.screen.query_one("#variables-panel").row  # type: ignore[attr-defined]
        assert (row.node, row.name) == ("approval", "note")
        await tui.press("W")
        assert journey(tui).step == 17
        await tui.press("enter")
        assert "Ask the team lead.note" in tui.text
        await tui.press("escape")
        await tui.press("g")
        journey(tui).go(15)
        await tui.press("p")
        assert "note" not in tui.of("#tabs")


async def test_findings_lead_to_their_evidence_and_explain_themselves(drive: Open) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        await tui.press("w")
        assert "answer-locked-before-pause" in tui.of("#tabs")
        await tui.press("enter")
        assert journey(tui).step == 7
        assert tui.app.screen.query_one(GraphView).selected == "answer"
        await tui.press("w", "K")
        assert "╭─ answer-locked-before-pause ─" in tui.text
        await tui.press("escape")
        assert isinstance(tui.app.screen, DebuggerScreen)


async def test_breakpoints_stop_a_continue(drive: Open) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        graph = tui.app.screen.query_one(GraphView)
        graph.selected = "approval"
        await tui.press("g", "b")
        assert "●◉ Ask" in tui.of("#graph")
        await tui.press("c")
        assert journey(tui).step == 9
        await tui.press("c")
        assert journey(tui).step == 13
        await tui.press("c")
        assert journey(tui).step == 20
        await tui.press("C")
        assert journey(tui).step == 13
        await tui.press("b", "c")
        assert journey(tui).step == 17, "b again: after the node"
        await tui.press("b", "c")
        assert journey(tui).step == 20, "and once more: none"


async def test_maximise_hide_resize_and_remember(drive: Open, desk: FakeDesk) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        await tui.press("z")
        assert not tui.app.screen.query_one(GatePanel).is_on_screen
        await tui.press("z")
        gate = tui.app.screen.query_one(GatePanel)
        width = gate.size.width
        await tui.press("greater_than_sign")
        assert gate.size.width > width
        height = tui.app.screen.query_one(GraphView).size.height
        await tui.press("right_parenthesis")
        assert tui.app.screen.query_one(GraphView).size.height > height
        gate.focus()
        await tui.press("x")
        assert "─ Gate ─" not in tui.text
        await tui.press("3")
    async with drive("120x40", run="fresh-1") as tui:
        assert "─ Gate ─" not in tui.text, "what was hidden stays hidden"
        assert tui.app.screen.query_one(TabbedContent).active == "events"
        await tui.press("A")
        assert "─ Gate ─" in tui.text
        assert tui.app.settings.gate_share == 45


async def test_jump_mode(drive: Open) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        await tui.press("semicolon", "s")
        assert isinstance(tui.app.focused, GatePanel)
        await tui.press("semicolon", "escape")
        assert isinstance(tui.app.focused, GatePanel)
        await tui.press("semicolon")
        await tui.click(None, offset=(5, 30))
        assert isinstance(tui.app.focused, StreamPanel)


async def test_the_palette_lists_what_can_be_done_with_its_keys(drive: Open) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        await tui.press("colon", *"pausebefore")
        assert "Pause before  {" in tui.text
        await tui.press("enter")
        assert journey(tui).step == 11


async def test_help_is_about_the_panel_in_focus(drive: Open) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        tui.app.screen.query_one(GatePanel).focus()
        await tui.press("question_mark")
        assert "The gate decides when an Answer's text is shown." in tui.text
        await tui.press("question_mark")
        assert isinstance(tui.app.screen, DebuggerScreen)


async def test_leaving_leads_back_to_the_runs(drive: Open) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        await tui.press("q")
        assert isinstance(tui.app.screen, RunsScreen)


@pytest.mark.parametrize("run", ["nothing-there"])
async def test_a_run_that_is_not_there_says_so(drive: Open, run: str) -> None:
    async with drive("80x24", run=run) as tui:
        assert "nothing-there is not a run." in tui.text
        assert "→ Look at the list." in tui.text
        await tui.press("q")
        assert isinstance(tui.app.screen, RunsScreen)


async def test_a_panel_that_breaks_shows_so_and_keeps_the_rest(
    drive: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("the gate's paint is dry [red]")

    async with drive("120x40", run="fresh-1") as tui:
        monkeypatch.setattr(GatePanel, "show", broken)
        await tui.press("g", "n")
        assert "the gate's paint is dry [red]" in tui.text
        assert "1/20  The run starts" in tui.text
        assert "Start starts" not in tui.of("#timeline")


@pytest.mark.parametrize(
    ("panel", "key", "method"),
    [
        (GraphView, "g", "set_picture"),
        (Timeline, "g", "set_step"),
        (StreamPanel, "1", "show"),
        (VariablesPanel, "2", "set_rows"),
        (EventsPanel, "3", "set_rows"),
        (FindingsPanel, "4", "show"),
        (NodePanel, "5", "show"),
        (ResumePanel, "6", "show"),
    ],
)
async def test_every_panel_may_break(
    drive: Open, monkeypatch: pytest.MonkeyPatch, panel: type[Widget], key: str, method: str
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("no paint left [red]")

    monkeypatch.setattr(panel, method, broken)
    async with drive("120x40", run="fresh-1") as tui:
        await tui.press(key)
        assert "no paint left [red]" in tui.text
        assert "Something in the workbench broke." in tui.text
        await tui.press("g", "n", "n")
        assert journey(tui).step == 2
        assert "─ Gate ─" in tui.text
        assert "Tell the customer" in tui.of("#gate")


async def test_a_live_run_is_followed_while_it_is_recorded(drive: Open, desk: FakeDesk) -> None:
    graph, timeline = journals.refund(None)
    whole = timeline.journal
    from dataclasses import replace

    from workbench.core.replay import Timeline as Replay

    def grow(steps: int, status: str) -> None:
        desk.add("live-1", status, graph, Replay(graph, replace(whole, events=whole.events[:steps])))

    grow(4, "running")
    async with drive("120x40", run="live-1") as tui:
        assert "● live" in tui.text
        assert journey(tui).step == 4
        grow(6, "running")
        await tui.until(lambda: journey(tui).steps == 6)
        assert journey(tui).step == 6
        await tui.press("p", "p")
        grow(8, "running")
        await tui.until(lambda: journey(tui).steps == 8)
        assert journey(tui).step == 4, "who looks at an earlier step stays there"
        await tui.press("G")
        grow(11, "paused")
        await tui.until(lambda: journey(tui).steps == 11)
        assert journey(tui).step == 11
        assert "● live" not in tui.text
