"""The guided tours, by key and by mouse, on the real engine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.widgets import TabbedContent

from tests.conftest import CACHE
from tests.tui.conftest import Driver
from tests.tui.recorded import on_store
from workbench.tui.screens.runs import RunsScreen
from workbench.tui.screens.tour import TourScreen
from workbench.tui.screens.tour.guide import GuideScreen
from workbench.tui.widgets.gate import GatePanel
from workbench.tui.widgets.lines import LineView
from workbench.verbs.context import Context

pytestmark = pytest.mark.kernel


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "store.duckdb", CACHE)


async def begin(tui: Driver, number: int = 0) -> GuideScreen:
    await tui.press("T")
    assert isinstance(tui.app.screen, TourScreen)
    await tui.until(lambda: len(tui.app.screen.query_one(LineView).rows) > 0)
    tui.app.screen.query_one(LineView).cursor = number
    await tui.press("enter")
    await tui.until(lambda: isinstance(tui.app.screen, GuideScreen))
    screen = tui.app.screen
    assert isinstance(screen, GuideScreen)
    await tui.until(lambda: screen.journey is not None)
    await tui.settle()
    return screen


def still(text: str) -> str:
    return re.sub(r"\d\d-\d\d \d\d:[\d:]*|\d+(\.\d+)? m?s\b|[0-9a-f]{8}-[0-9a-f-]*|[0-9a-f]{8}…", "_", text)


@pytest.mark.parametrize("size", ["80x24", "120x40", "200x60"])
async def test_the_first_step(ctx: Context, snapshot: SnapshotAssertion, size: str) -> None:
    async with on_store(ctx, size) as tui:
        screen = await begin(tui)
        assert tui.of("#guide") == snapshot
        assert screen.query_one(GatePanel).has_focus


async def test_a_whole_tour_by_key(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        screen = await begin(tui)
        await tui.press("backslash")
        assert screen.journey is not None
        assert screen.journey.step == 0
        await tui.press("backslash")
        assert "What will the chat user see" in tui.of("#guide")
        assert "Think, then go on for the answer." in tui.of("#guide")
        await tui.press("backslash")
        await tui.until(lambda: "lost with the" in " ".join(tui.of("#guide").split()))
        await tui.until(lambda: screen.query_one(TabbedContent).active == "findings")
        await tui.until(lambda: "answer-locked-before-pause" in tui.text)
        await tui.press("backspace")
        assert screen.number == 1
        await tui.press("backslash", "backslash")
        assert "The same pause, now with its gate restored" in tui.of("#guide")
        await tui.press("backslash")
        await tui.until(lambda: "Hello thanks!" in tui.of("#tabs"))
        await tui.press("backslash")
        assert isinstance(tui.app.screen, TourScreen)
        await tui.press("q")
        assert isinstance(tui.app.screen, RunsScreen)


async def test_by_mouse(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        screen = await begin(tui, 4)
        assert screen.number == 0
        assert screen.asked
        await tui.click("#guide-next")
        await tui.until(lambda: "What was streamed can't be taken back" in " ".join(tui.of("#guide").split()))
        await tui.click("#guide-leave")
        assert isinstance(tui.app.screen, TourScreen)
