"""The list of runs: found by typing, filtered, opened."""

from __future__ import annotations

from textual.widgets import Input

from tests.tui import journals
from tests.tui.conftest import Open
from tests.tui.doubles import FakeDesk
from workbench.errors import StoreBusyError
from workbench.tui.screens.debugger import DebuggerScreen
from workbench.tui.widgets.lines import LineView


async def test_typing_narrows_the_list_and_escape_clears_it(drive: Open) -> None:
    async with drive("80x24") as tui:
        await tui.press("slash", *"fresh")
        await tui.until(lambda: "1 runs" in tui.text)
        assert "restored-1" not in tui.text
        await tui.press("enter")
        assert isinstance(tui.app.focused, LineView)
        await tui.press("enter")
        assert isinstance(tui.app.screen, DebuggerScreen)
        assert tui.app.screen.run_id == "fresh-1"
        await tui.press("q", "escape")
        await tui.until(lambda: "3 runs" in tui.text)
        assert tui.app.screen.query_one(Input).value == ""


async def test_nothing_found_says_what_to_do(drive: Open) -> None:
    async with drive("80x24") as tui:
        await tui.press("slash", *"zzz")
        await tui.until(lambda: "Nothing fits" in tui.text)


async def test_an_empty_store_says_how_to_begin(drive: Open, desk: FakeDesk) -> None:
    desk.made.clear()
    async with drive("80x24") as tui:
        assert "No runs yet. n starts one" in tui.text


async def test_status_filter_by_key_and_mouse(drive: Open) -> None:
    async with drive("120x40") as tui:
        await tui.press("s")
        assert "1 runs" in tui.text
        assert "paused-1" in tui.text
        await tui.press("S")
        assert "3 runs" in tui.text
        row = tui.text.split("\n")[1]
        await tui.click(None, offset=(row.index(" succeeded") + 2, 1))
        assert "2 runs" in tui.text


async def test_moving_and_opening_by_key_and_mouse(drive: Open) -> None:
    async with drive("80x24") as tui:
        view = tui.app.screen.query_one("#runs", LineView)
        await tui.press("j", "j", "j")
        assert view.cursor == 2
        await tui.press("k")
        assert view.cursor == 1
        await tui.press("home")
        assert view.cursor == 0
        await tui.press("G")
        assert view.cursor == 2
        rows = tui.text.split("\n")
        y = next(i for i, row in enumerate(rows) if "fresh-1" in row)
        await tui.click(None, offset=(10, y))
        assert isinstance(tui.app.screen, DebuggerScreen)
        assert tui.app.screen.run_id == "fresh-1"


async def test_a_run_recorded_elsewhere_appears_and_the_cursor_stays_on_its_run(
    drive: Open, desk: FakeDesk
) -> None:
    async with drive("80x24") as tui:
        await tui.press("j")
        view = tui.app.screen.query_one("#runs", LineView)
        assert view.row.run_id == "fresh-1"
        desk.add("elsewhere-1", "running", *journals.looped())
        await tui.until(lambda: "elsewhere-1" in tui.text)
        assert view.row.run_id == "fresh-1"


async def test_a_busy_store_is_told_and_asked_again(drive: Open, desk: FakeDesk) -> None:
    desk.failing = StoreBusyError("The store is busy.", "Process 4711 holds it for `import`.", "Wait for it.")
    async with drive("80x24") as tui:
        assert "The store is busy." in tui.text
        assert "Process 4711 holds it" in tui.text
        desk.failing = None
        desk.counter += 1
        await tui.until(lambda: "3 runs" in tui.text)
        assert "The store is busy." not in tui.text


async def test_ten_thousand_runs_are_shown_at_once_and_the_rest_is_said(drive: Open, desk: FakeDesk) -> None:
    graph, timeline = journals.refund(None)
    for n in range(2_500):
        desk.add(f"r{n}", "paused", graph, timeline)
    async with drive("80x24") as tui:
        assert "2,000 runs, the newest; older ones are found by searching" in tui.text
        await tui.press("G")
        assert tui.app.screen.query_one("#runs", LineView).cursor == 1_999
