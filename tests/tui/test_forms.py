"""Starting and resuming runs by their forms."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import Button, Input, Select

from tests.tui.conftest import Driver, Open
from tests.tui.doubles import FakeControl, FakeDesk
from workbench.errors import BadInputError
from workbench.tui.desk import ResumeOrder, StartOrder
from workbench.tui.screens.debugger import DebuggerScreen
from workbench.tui.screens.runs import RunsScreen
from workbench.tui.screens.start import StartScreen
from workbench.tui.widgets.graph.view import GraphView
from workbench.tui.widgets.resume import ResumePanel


def button(tui: Driver, label: str) -> Button:
    return next(b for b in tui.app.screen.query(Button) if str(b.label) == label)


async def test_a_pause_is_resumed_by_its_form(drive: Open, desk: FakeDesk) -> None:
    async with drive("120x40", run="paused-1") as tui:
        await tui.press("r")
        shown = tui.of("#tabs")
        assert "A customer asks for a refund of 250: hi" in shown
        assert "Gate restored" in shown
        tui.app.screen.query_one("#field-0", Input).focus()
        await tui.press(*"well")
        await tui.click(button(tui, "Approve"))
        assert desk.orders == [
            ResumeOrder("p-paused-1", "approval", "approve", {"note": "well"}, "restored", "graphon-0.8")
        ]
        screen = tui.app.screen
        assert isinstance(screen, DebuggerScreen)
        assert screen.journey is not None
        assert screen.journey.step == screen.journey.steps == 20
        assert "Your refund of 250 is approved. well" in tui.of("#tabs")


async def test_a_pause_is_resumed_without_its_gate_by_keys_alone(drive: Open, desk: FakeDesk) -> None:
    async with drive("80x24", run="paused-1") as tui:
        await tui.press("r")
        assert tui.app.screen.query_one(ResumePanel).is_on_screen
        gate = tui.app.screen.query_one("#gate-choice", Select)
        gate.focus()
        await tui.press("enter", "down", "enter")
        assert gate.value == "fresh"
        button(tui, "Reject").focus()
        await tui.press("enter")
        assert desk.orders[0].gate == "fresh"
        assert desk.orders[0].action == "reject"
        assert desk.orders[0].fields == {}, "what was left alone keeps its own default"
        assert "none of it" in tui.of("#tabs")


async def test_a_field_keeps_keys_to_itself_and_escape_leaves_it(drive: Open) -> None:
    async with drive("120x40", run="paused-1") as tui:
        await tui.press("r")
        field = tui.app.screen.query_one("#field-0", Input)
        field.focus()
        await tui.press("n", "q", "colon")
        assert field.value == "nq:"
        await tui.press("escape")
        assert isinstance(tui.app.focused, GraphView)
        assert isinstance(tui.app.screen, DebuggerScreen)


async def test_a_pause_resumed_before_says_that_it_makes_a_fork(drive: Open, desk: FakeDesk) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        await tui.press("r")
        assert "resuming it again makes a fork" in tui.of("#tabs")
        await tui.press("g")
        assert "The pause at step 11." in tui.of("#tabs")


async def test_a_run_without_a_pause_says_so(drive: Open, desk: FakeDesk) -> None:
    from tests.tui import journals

    desk.add("loop-1", "failed", *journals.looped())
    async with drive("120x40", run="loop-1") as tui:
        await tui.press("r")
        assert "This run is failed: it does not wait for anything." in tui.of("#tabs")


async def test_an_error_of_a_resume_is_shown_and_kept(drive: Open, desk: FakeDesk) -> None:
    async with drive("120x40", run="paused-1") as tui:
        await tui.press("r")
        desk.failing = BadInputError("The form is wrong.", "There is no field [red].", "Look at it again.")
        await tui.click(button(tui, "Approve"))
        assert "The form is wrong." in tui.text
        assert "There is no field [red]." in tui.text
        await tui.press("escape")
        desk.failing = None
        assert isinstance(tui.app.screen, DebuggerScreen)


async def test_several_forms_wait_and_one_is_chosen(drive: Open, desk: FakeDesk) -> None:
    from tests.tui import journals
    from workbench.core.replay import Timeline
    from workbench.core.state import Journal, Segment

    graph, timeline = journals.refund(None)
    second = {
        **journals.FORM,
        "node_id": "other",
        "node_title": "Ask [b]another[/]",
        "fields": [{"name": "colour", "type": "select", "options": ["red", "green"], "default": "green"}],
    }
    events = (*timeline.journal.events[:-1], {"kind": "GraphRunPaused", "reasons": [journals.FORM, second]})
    desk.add("two-1", "paused", graph, Timeline(graph, Journal({}, (Segment(1),), events)))
    async with drive("120x40", run="two-1") as tui:
        await tui.press("r")
        assert "Several forms wait" in tui.of("#tabs")
        tui.app.screen.query_one("#which-form", Select).value = "other"
        await tui.settle()
        assert tui.app.screen.query_one("#field-0", Select).value == "green"
        await tui.click(button(tui, "Approve"))
        assert desk.orders[0].node == "other"
        assert desk.orders[0].fields == {}


async def test_a_run_is_started_from_the_list_of_apps(drive: Open, desk: FakeDesk) -> None:
    async with drive("120x40") as tui:
        await tui.press("n")
        assert isinstance(tui.app.screen, StartScreen)
        assert tui.app.screen.query_one("#app-choice", Select).value == "app-1"
        query = tui.app.screen.query_one("#query", Input)
        query.value = "Where is my money?"
        tui.app.screen.query_one("#kernel", Select).value = "graphon-0.6"
        await tui.click("#start")
        assert desk.orders == [
            StartOrder("app-1", "Where is my money?", {"amount": "250"}, None, "graphon-0.6")
        ]
        assert isinstance(tui.app.screen, DebuggerScreen)
        assert tui.app.screen.run_id == "new-1"
        assert "paused" in tui.of("#heading")


async def test_a_run_is_started_from_a_path(drive: Open, desk: FakeDesk, tmp_path: Path) -> None:
    async with drive("120x40") as tui:
        await tui.press("n")
        path = tui.app.screen.query_one("#path", Input)
        path.value = str(tmp_path / "my.yml")
        path.focus()
        await tui.press("enter")
        button(tui, "Start").focus()
        await tui.press("enter")
        assert desk.orders[0].app == tmp_path / "my.yml"


async def test_what_was_typed_stays_when_the_app_is_read_late_or_again(
    drive: Open, desk: FakeDesk, tmp_path: Path
) -> None:
    async with drive("120x40") as tui:
        await tui.press("n")
        screen = tui.app.screen
        assert isinstance(screen, StartScreen)
        found = desk.app("app-1")
        await screen._show_app(tmp_path / "one.yml", found)
        screen.query_one("#query", Input).focus()
        await tui.press("end", *" you")
        await screen._show_app(tmp_path / "one.yml", found)
        assert screen.query_one("#query", Input).value == "Hello you"
        await screen._show_app(tmp_path / "two.yml", found)
        await tui.press("end", *"!")
        assert screen.query_one("#query", Input).value == "Hello you!", "the focus stays where it was"


async def test_an_app_that_can_not_be_read_is_told_in_the_form(drive: Open, desk: FakeDesk) -> None:
    async with drive("120x40") as tui:
        await tui.press("n")
        path = tui.app.screen.query_one("#path", Input)
        path.focus()
        path.value = "missing.yml"
        await tui.press("enter")
        assert "There is no file missing.yml." in tui.text
        await tui.press("escape")
        assert isinstance(tui.app.screen, RunsScreen)
        assert desk.orders == []


async def test_breakpoints_go_with_a_new_run(drive: Open, desk: FakeDesk) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        tui.app.screen.query_one(GraphView).selected = "answer"
        await tui.press("b", "R")
        assert tui.app.screen.query_one("#break-before", Input).value == "answer"
        await tui.click("#start")
        assert desk.orders[0].break_before == ("answer",)


async def test_a_run_that_goes_on_can_be_stopped(drive: Open) -> None:
    async with drive("120x40", run="paused-1", toasts=True) as tui:
        await tui.press("X")
        await tui.until(lambda: "No run started here is going on." in tui.text)
        brake = FakeControl()
        tui.app._control = brake  # type: ignore[assignment]
        await tui.press("X")
        assert brake.stopped


async def test_files_are_imported_and_offered_to_run(drive: Open, desk: FakeDesk) -> None:
    async with drive("120x40") as tui:
        await tui.press("i", *"a.yml", "enter")
        assert desk.orders == [("a.yml",)]
        assert isinstance(tui.app.screen, StartScreen)


async def test_a_folder_shows_how_far_it_is_and_what_could_not_be_read(drive: Open, desk: FakeDesk) -> None:
    async with drive("120x40") as tui:
        await tui.press("i", *"folder", "enter")
        assert "8 files" in tui.text
        assert "7  app" in tui.text
        assert "✗ folder/7.yml" in tui.text
        await tui.press("escape")
        desk.between_files.clear()
        tui.app.import_paths(["folder"])
        await tui.until_shown("0 of 8 files")
        tui.app.screen.query_one("#stop", Button).press()
        await tui.pilot.pause()
        desk.between_files.set()
        await tui.until(lambda: not tui.app.screen.query("#stop"))
        assert isinstance(tui.app.screen, StartScreen), "what was stored stays"


async def test_files_of_the_command_line_are_imported(drive: Open, desk: FakeDesk) -> None:
    async with drive("120x40", files=["b.yml"]) as tui:
        assert desk.orders == [("b.yml",)]
        assert isinstance(tui.app.screen, StartScreen)
