"""The fork form and the heal form, by key and by mouse."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Input, Select, TextArea

from tests.tui.conftest import Open
from tests.tui.doubles import FakeDesk
from tests.tui.journals import FORM
from tests.tui.test_breakpoints import press_button, screen
from tests.tui.test_hostile_text import ODD, ODD_IDS, check_calm, renamed
from workbench.core.replay import Timeline
from workbench.errors import UsageError
from workbench.tui.desk import HealOrder
from workbench.tui.screens.fork import ForkScreen
from workbench.tui.screens.heal import HealScreen
from workbench.tui.widgets.resume import ResumePanel


async def test_a_fork_goes_on_from_this_step_with_what_was_changed(drive: Open, desk: FakeDesk) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        await tui.press("g", *"nnnn", "F")
        form = tui.app.screen
        assert isinstance(form, ForkScreen)
        assert "Goes on from the state after step 4. Next: Above 100?." in tui.text
        form.query_one("#variable", Select).value = "start.amount"
        await tui.settle()
        area = form.query_one("#changes TextArea", TextArea)
        assert area.text == "250"
        area.text = "50"
        form.query_one("#script", Input).value = "script.yml"
        form.query_one("#kernel", Select).value = "graphon-0.7"
        form.query_one("#gate-choice", Select).value = "fresh"
        await press_button(tui, "#go")
        order = desk.orders[-1]
        assert (order.run_id, order.step, order.variables) == ("fresh-1", 4, {"start.amount": "50"})
        assert (order.script, order.kernel, order.gate, order.dify) == (
            "script.yml",
            "graphon-0.7",
            "fresh",
            None,
        )
        assert screen(tui).run_id == "fork-1"


async def test_a_fork_that_is_refused_keeps_what_was_typed(drive: Open, desk: FakeDesk) -> None:
    async with drive("80x24", run="fresh-1") as tui:
        await tui.press("F")
        form = tui.app.screen
        form.query_one("#dify", Input).value = "1.15.0"
        form.query_one("#step", Input).value = "4"
        form.query_one("#variable", Select).value = "sys.query"
        await tui.settle()
        desk.failing = UsageError("No [red]such[/] kernel.", "Why.", "Choose another.")
        await tui.press("f5")
        assert tui.app.screen is form
        assert "No [red]such[/] kernel." in tui.text
        assert form.query_one("#dify", Input).value == "1.15.0"
        assert form.query_one("#changes TextArea", TextArea).text == "hi"
        desk.failing = None
        await tui.press("f5")
        assert desk.orders[-1].step == 4
        assert screen(tui).run_id == "fork-1"


async def test_a_fork_at_a_pause_submits_its_form_or_waits_again(drive: Open, desk: FakeDesk) -> None:
    async with drive("120x40", run="paused-1") as tui:
        await tui.press("F")
        assert "The form “Ask the team lead” waits there" in tui.text
        tui.app.screen.query_one("#action", Select).value = "reject"
        tui.app.screen.query_one("#field-0", Input).value = "no"
        await tui.press("f5")
        order = desk.orders[-1]
        assert (order.node, order.action, order.fields) == ("approval", "reject", {"note": "no"})
    async with drive("120x40", run="paused-1") as tui:
        await tui.press("F", "f5")
        assert (desk.orders[-1].action, desk.orders[-1].fields) == (None, {})


async def test_a_variable_can_be_kept_as_it_was_and_a_step_that_is_none_is_told(drive: Open) -> None:
    async with drive("120x40", run="fresh-1") as tui:
        await tui.press("F")
        form = tui.app.screen
        form.query_one("#variable", Select).value = "sys.query"
        await tui.settle()
        await press_button(tui, ".drop")
        assert not form.query("#changes TextArea")
        form.query_one("#step", Input).value = "77"
        await tui.settle()
        assert "There is no step 77." in tui.text
        await press_button(tui, "#cancel")
        assert screen(tui).run_id == "fresh-1"


async def test_a_run_s_pause_is_healed_and_resumed_healed(drive: Open, desk: FakeDesk) -> None:
    async with drive("120x40", run="paused-1") as tui:
        await tui.press("m")
        assert isinstance(tui.app.screen, HealScreen)
        assert "As the run recorded it" in tui.text
        await press_button(tui, "#heal")
        assert desk.orders[-1] == HealOrder("p-paused-1")
        assert "The gate was rebuilt from the runtime state." in tui.text
        assert "What the user has seen is not [b]known[/b]." in tui.text
        await press_button(tui, "#resume")
        panel = screen(tui).query_one(ResumePanel)
        assert panel.query_one("#gate-choice", Select).value == "healed"


async def test_a_saved_pause_is_healed_with_evidence_written_and_kept(
    drive: Open, desk: FakeDesk, tmp_path: Path
) -> None:
    async with drive("120x40", run="saved-1", app="app-1") as tui:
        await tui.press("m")
        form = tui.app.screen
        form.query_one("#evidence", Select).value = "capture"
        await tui.settle()
        await tui.press("f5")
        assert "Give the path of the file" in tui.text
        form.query_one("#evidence-path", Input).value = "stream.sse"
        desk.failing = UsageError("There is no [b]file[/b].", "", "Look again.")
        await press_button(tui, "#heal")
        assert "There is no [b]file[/b]." in tui.text
        assert form.query_one("#evidence-path", Input).value == "stream.sse", "what was typed stays"
        desk.failing = None
        form.query_one("#evidence", Select).value = "text"
        await tui.settle()
        form.query_one("#message", TextArea).text = "Your\nrefund"
        form.query_one("#dify", Input).value = "1.16.1"
        await press_button(tui, "#heal")
        assert desk.orders[-1] == HealOrder("saved-1", "app-1", message="Your\nrefund", dify="1.16.1")
        await press_button(tui, "#write")
        assert "Give the path of the file to write." in tui.text
        out = tmp_path / "healed.json"
        form.query_one("#output", Input).value = str(out)
        form.query_one("#output").focus()
        await tui.press("enter")
        assert out.read_text("utf-8") == '{"healed": true}'
        assert out.stat().st_mode & 0o077 == 0
        await press_button(tui, "#resume")
        assert (screen(tui).run_id, screen(tui).app_given) == ("healed-1", "app-1")


@pytest.mark.parametrize("text", ODD, ids=ODD_IDS)
async def test_forms_stay_calm(drive: Open, desk: FakeDesk, text: str) -> None:
    """Names, values, errors and reports of strangers are shown as they are."""
    graph, timeline = renamed(text)
    events = [*timeline.journal.events[:-1], {"kind": "GraphRunPaused", "reasons": [_odd_form(text)]}]
    odd = Timeline(graph, replace(timeline.journal, events=tuple(events)))
    desk.add("odd-1", "paused", graph, odd, app=text)
    async with drive("80x24", run="odd-1") as tui:
        await tui.press("F")
        form = tui.app.screen
        form.query_one("#variable", Select).value = f"sys.{text or 'k'}"
        await tui.settle()
        check_calm(tui, 80)
        desk.failing = UsageError(text, text, text)
        await tui.press("f5")
        check_calm(tui, 80)
        form.query_one("#form-problem").scroll_visible(animate=False)
        await tui.settle()
        check_calm(tui, 80)
        await tui.press("escape", "m", "f5")
        check_calm(tui, 80)
        desk.failing = None
        await tui.press("escape", "b", "B", "g")
        check_calm(tui, 80)
        await tui.press("escape", "c", "d")
        check_calm(tui, 80)


def _odd_form(text: str) -> dict[str, object]:
    action = {"id": text, "title": text, "style": text}
    field = {"name": text, "type": text, "default": text}
    return {**FORM, "node_id": "slow", "node_title": text, "actions": [action], "fields": [field]}
