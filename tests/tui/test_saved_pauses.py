"""A saved pause in the debugger: asked for its app, shown, resumed, edited, healed."""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.widgets import Button, Input, TabbedContent

from tests.tui.conftest import Open
from tests.tui.doubles import FakeDesk
from tests.tui.test_breakpoints import press_button, screen
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.pick_app import PickAppScreen
from workbench.tui.screens.runs import RunsScreen


async def test_the_app_is_asked_for_and_those_that_fit_stand_first(drive: Open) -> None:
    async with drive("120x40", run="saved-1") as tui:
        assert isinstance(tui.app.screen, PickAppScreen)
        assert "✓ fits Refund approval  app-1" in tui.text
        assert "[red]Odd[/] app" in tui.text
        await tui.press("enter")
        assert "saved pause  graphon-0.6" in tui.text
        assert screen(tui).app_given == "app-1"
        assert "‖" in tui.of("#graph"), "the node that waits"
        assert "locked" in tui.of("#gate")


async def test_the_app_by_mouse_by_path_and_not_at_all(drive: Open) -> None:
    async with drive("80x24", run="saved-1") as tui:
        await tui.click("#app-list", offset=(9, 0))
        assert screen(tui).opened is not None
    async with drive("120x40", run="saved-1") as tui:
        await tui.press("slash", *"missing.yml", "enter")
        assert "There is no file missing.yml." in tui.text
        assert tui.app.screen.query_one("#path", Input).value == "missing.yml"
        tui.app.screen.query_one("#path", Input).value = "here.yml"
        await press_button(tui, "#ok")
        assert screen(tui).app_given == "here.yml"
    async with drive("120x40", run="saved-1") as tui:
        await tui.press("escape")
        assert isinstance(tui.app.screen, RunsScreen)


async def test_it_has_variables_findings_and_a_form(drive: Open, desk: FakeDesk) -> None:
    async with drive("120x40", run="saved-1", app="app-1") as tui:
        await tui.press("2")
        assert "250" in tui.of("#tabs")
        await tui.press("4")
        assert tui.app.screen.query_one(TabbedContent).active == "findings"
        await tui.press("r")
        assert "Resuming a saved pause makes a new run" in tui.of("#tabs")
        await press_button(tui, "#form-actions Button")
        order = desk.orders[-1]
        assert (order.target, order.app, order.action) == ("saved-1", "app-1", "approve")


async def test_what_a_saved_pause_can_not_do_is_said(drive: Open) -> None:
    async with drive("120x40", run="saved-1", app="app-1", toasts=True) as tui:
        await tui.press("F")
        assert "A saved pause has no run to fork" in tui.text


async def test_an_imported_pause_opens_in_the_debugger_with_the_app_beside_it(
    drive: Open, desk: FakeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.verbs.results import ImportedFile

    found = (
        ImportedFile("app.yml", "app", "app-1", "Refund approval", None),
        ImportedFile("saved.json", "resumption-context", "saved-1", "Dify 1.15", None),
    )
    monkeypatch.setattr(desk, "import_files", lambda paths, goes_on: found)
    async with drive("120x40", files=["app.yml", "saved.json"]) as tui:
        assert screen(tui).app_given == "app-1"
        assert screen(tui).saved


async def test_ways_open_the_other_screens_on_the_pause(drive: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    for name in ("open_editor", "open_compare", "open_lineage", "open_apps", "open_tour"):
        monkeypatch.setattr(WorkbenchApp, name, lambda self, *a, name=name: asked.append((name, a[:2])))
    async with drive("120x40", run="saved-1", app="app-1") as tui:
        await tui.press("e", "T")
        assert asked == [("open_editor", ("saved-1", "app-1")), ("open_lineage", (None,))]
    asked.clear()
    async with drive("120x40", run="paused-1") as tui:
        await tui.press("e", "T", "d")
        await tui.press(*"fresh", "enter")
        assert asked == [
            ("open_editor", ("p-paused-1", None)),
            ("open_lineage", ("paused-1",)),
            ("open_compare", ("fresh-1", "paused-1@11")),
        ]
        asked.clear()
        await tui.press("d")
        await tui.click("#run-list", offset=(4, 0))
        await tui.press("d", *"fresh-1@7")
        await press_button(tui, "#ok")
        await tui.press("d", *"x/y.json", "enter")
        assert [a[0] for _, a in asked] == ["restored-1", "fresh-1@7", "x/y.json"]
    asked.clear()
    async with drive("120x40") as tui:
        await tui.press("t", "a", "T", "d")
        assert "◆ Refund approval" in tui.text
        await tui.press("j", "d", "j", "e")
        assert asked == [
            ("open_lineage", ("restored-1",)),
            ("open_apps", ()),
            ("open_tour", ()),
            ("open_compare", ("restored-1", "fresh-1")),
            ("open_editor", ("paused-1", None)),
        ]


async def test_a_run_without_a_pause_says_so(drive: Open, desk: FakeDesk) -> None:
    from tests.tui import journals

    desk.add("loop-1", "succeeded", *journals.looped())
    async with drive("120x40", run="loop-1", toasts=True) as tui:
        await tui.press("e", "m")
        assert tui.text.count("This run never paused") == 2
    async with drive("120x40", toasts=True) as tui:
        await tui.press("e")
        assert "This run is succeeded: no pause of it waits." in tui.text


@pytest.mark.parametrize("size", ["80x24", "120x40", "200x60"])
async def test_screens(drive: Open, snapshot: SnapshotAssertion, size: str) -> None:
    async with drive(size, run="saved-1") as tui:
        # Whether the footer below the question is painted yet depends on the machine.
        assert tui.text.rpartition("\n")[0] == snapshot(name="app")
        await tui.press("enter")
        await tui.until(lambda: ": Commands" in tui.text)
        assert tui.text == snapshot(name="saved")
    async with drive(size, run="paused-1") as tui:
        await tui.until(lambda: ": Commands" in tui.text)
        await tui.press("F")
        assert tui.text == snapshot(name="fork")
        await tui.press("escape", "m")
        assert tui.text == snapshot(name="heal")
        tui.app.screen.query_one("#heal", Button).press()
        await tui.settle()
        assert tui.text == snapshot(name="healed")
        await tui.press("escape", "d")
        assert tui.text == snapshot(name="compare with")
        await tui.press("escape", "b", "B", "g")
        assert tui.text == snapshot(name="breakpoints")
