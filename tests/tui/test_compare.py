"""The comparison screen, by key and by mouse, on a real store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.widgets import Tabs

from tests.store.making import Ended
from tests.tui import journals, recorded
from tests.tui.conftest import Driver
from tests.tui.recorded import on_store
from tests.tui.test_hostile_text import ODD, ODD_IDS
from workbench.core.aligned import Row
from workbench.tui.screens.compare import CompareScreen
from workbench.tui.screens.compare.detail import DetailPanel
from workbench.tui.screens.compare.rows import RowsPanel
from workbench.tui.screens.debugger import DebuggerScreen
from workbench.verbs.context import Context

SIZES = ("80x24", "120x40", "200x60")
STATES = Path(__file__).parents[2] / "fixtures" / "states"
APP = Path(__file__).parents[2] / "fixtures" / "shapes" / "t1-if-else" / "app.yml"


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    made = recorded.context(tmp_path)
    recorded.paused(made)
    recorded.forked(made, "fresh-1", "fresh")
    recorded.forked(made, "restored-1", "restored")
    return made


async def compare(tui: Driver, before: str, after: str, app: str | None = None) -> CompareScreen:
    tui.app.open_compare(before, after, app)
    await tui.settle()
    await tui.pilot.pause(0.15)  # the values of a row are laid out when the cursor has rested on it
    await tui.settle()
    screen = tui.app.screen
    assert isinstance(screen, CompareScreen)
    return screen


def row(tui: Driver) -> Row:
    found = tui.app.screen.query_one(RowsPanel).row
    assert found is not None
    return found


async def rest(tui: Driver) -> None:
    await tui.pilot.pause(0.15)
    await tui.settle()


@pytest.mark.parametrize("size", SIZES)
async def test_two_runs(ctx: Context, snapshot: SnapshotAssertion, size: str) -> None:
    async with on_store(ctx, size) as tui:
        await compare(tui, "fresh-1", "restored-1")
        assert tui.text == snapshot


@pytest.mark.parametrize("size", SIZES[:2])
async def test_two_steps(ctx: Context, snapshot: SnapshotAssertion, size: str) -> None:
    async with on_store(ctx, size) as tui:
        await compare(tui, "paused-1@7", "paused-1@11")
        assert tui.text == snapshot


async def test_the_first_difference_is_shown_and_keys_go_to_the_others(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        await compare(tui, "fresh-1", "restored-1")
        assert "Not equal. 2 differences in text" in tui.text
        assert row(tui).what == "streamed text"
        assert "Your refund of 250 is approved. well" in tui.of("#compare-detail")
        await tui.press("n")
        assert row(tui).what == "pieces of the stream"
        await tui.press("n")
        assert row(tui).what == "pieces of the stream"
        await tui.until(lambda: "No more differences" in tui.text)
        await tui.press("p")
        assert row(tui).what == "streamed text"


async def test_only_differences_and_one_kind_by_key_and_mouse(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        await compare(tui, "fresh-1", "restored-1")
        panel = tui.app.screen.query_one(RowsPanel)
        everything = len(panel.rows)
        await tui.press("o")
        assert 2 <= len(panel.rows) < everything
        assert not any(r.equal for r in panel.rows)
        await tui.press("o")
        assert len(panel.rows) == everything
        await tui.press("f")
        assert {r.kind for r in panel.rows} == {"status"}
        await tui.press("F")
        assert len(panel.rows) == everything
        await tui.click("#kind-finding")
        assert {r.what.split()[0] for r in panel.rows} >= {"answer-locked-before-pause", "gate-state-missing"}
        assert tui.app.screen.query_one(Tabs).active == "kind-finding"


async def test_equal_is_said_plainly_and_timing_makes_nothing_unequal(ctx: Context) -> None:
    recorded.paused(ctx, "paused-2")
    recorded.record(ctx, "slow-1", recorded.refund_events(resumed=False), Ended("paused", {}), at=1.0)
    async with on_store(ctx) as tui:
        await compare(tui, "paused-1", "paused-2")
        assert "= Equal. Both runs did and said the same" in tui.text
        await tui.press("o")
        assert "Nothing differs here." in tui.text
        assert "No more differences" not in tui.text
        await tui.press("n")
        await tui.until(lambda: "No more differences" in tui.text)


async def test_values_whole_by_key_and_mouse(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        await compare(tui, "fresh-1", "restored-1")
        await tui.press("enter")
        detail = tui.app.screen.query_one(DetailPanel)
        assert detail.has_focus
        assert not tui.app.screen.query_one(RowsPanel).display
        await tui.press("escape")
        assert tui.app.screen.query_one(RowsPanel).has_focus
        rows = tui.text.split("\n")
        y = next(i for i, line in enumerate(rows) if "pieces of the stream" in line)
        await tui.click(None, offset=(20, y))
        await rest(tui)
        assert detail.has_focus
        assert '"Your refund of "' in tui.of("#compare-detail")
        await tui.press("z")
        assert tui.app.screen.query_one(RowsPanel).display


async def test_both_sides_change_places(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        screen = await compare(tui, "fresh-1", "restored-1")
        assert "fresh-1" in tui.of("#side-0")
        await tui.press("x")
        assert "restored-1" in tui.of("#side-0")
        assert "fresh-1" in tui.of("#side-1")
        assert screen.compared is not None
        assert screen.compared.found.before.name == "run restored-1"
        assert row(tui).before == "Your refund of 250 is approved. well"


async def test_a_side_opens_in_the_debugger_where_the_row_came_about(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        await compare(tui, "fresh-1", "restored-1")
        await tui.press("2")
        screen = tui.app.screen
        assert isinstance(screen, DebuggerScreen)
        assert screen.run_id == "restored-1"
        assert f" {row_step(ctx, 'restored-1')}/9 " in tui.text
        await tui.press("q")
        await tui.click("#side-0")
        assert isinstance(tui.app.screen, DebuggerScreen)
        assert tui.app.screen.run_id == "fresh-1"


def row_step(ctx: Context, run_id: str) -> int:
    """The first step that streamed something."""
    from workbench.verbs.inspect import open_run

    timeline = open_run(ctx, run_id).timeline
    return next(step for step in range(1, timeline.steps + 1) if timeline.chunks_at(step))


async def test_copied_and_written(ctx: Context, tmp_path: Path) -> None:
    async with on_store(ctx) as tui:
        await compare(tui, "fresh-1", "restored-1")
        await tui.press("Y")
        assert "5 differences between run fresh-1 and run restored-1" in tui.app.clipboard
        await tui.press("P")
        patch = json.loads(tui.app.clipboard)
        assert patch[0] == {
            "op": "replace",
            "path": "/streamed",
            "value": "Your refund of 250 is approved. well",
        }
        await tui.press("W")
        written = sorted(path.name.partition(".")[2] for path in (tmp_path / "comparisons").iterdir())
        assert written == ["json", "patch.json", "txt"]


async def test_two_eras_of_a_saved_state_with_and_without_the_app(ctx: Context) -> None:
    first, second = str(STATES / "C/t1-if-else.json"), str(STATES / "D/t1-if-else.json")
    async with on_store(ctx) as tui:
        screen = await compare(tui, first, second, str(APP))
        assert screen.compared is not None
        assert screen.compared.found.view == "step"
        await tui.press("q")
        screen = await compare(tui, first, second)
        assert screen.compared is not None
        assert screen.compared.found.view == "resumption-context"
        assert "Not equal." in tui.text


async def test_two_apps(ctx: Context, tmp_path: Path) -> None:
    edited = tmp_path / "edited.yml"
    edited.write_text(APP.read_text().replace("Hello {{#hum.note#}}!", "Bye {{#hum.note#}}!"))
    async with on_store(ctx) as tui:
        await compare(tui, str(APP), str(edited))
        assert "Not equal. 1 difference in node." in tui.text
        assert "≠" in tui.of("#compare-detail")
        await tui.press("1")
        await tui.until(lambda: "An app has no steps" in tui.text)


async def test_what_cannot_be_compared_is_told(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        await compare(tui, "fresh-1", str(APP))
        assert "can't be compared" in tui.text
        assert "Nothing was compared." in tui.text
        for key in ("n", "o", "x", "1", "Y", "W", "enter"):
            await tui.press(key)
        assert isinstance(tui.app.screen, CompareScreen)
        await tui.press("q")
        assert not isinstance(tui.app.screen, CompareScreen)


@pytest.mark.parametrize("text", ODD, ids=ODD_IDS)
async def test_hostile_texts_are_shown_and_never_acted_on(ctx: Context, text: str) -> None:
    events = [*recorded.refund_events(resumed=False)]
    events[3] = journals.succeeded("start", {"amount": 250, text or "k": text}, inputs={text or "k": [text]})
    recorded.record(ctx, "odd-1", events, Ended("failed", {text or "k": text}, error=text))
    async with on_store(ctx, "80x24") as tui:
        screen = await compare(tui, "odd-1", "restored-1")
        await tui.press("enter", "escape", "f", "o")
        assert screen.compared is not None
        assert "\x1b" not in tui.text
        assert "\u202e" not in tui.text
        assert "\r" not in tui.text
        for line in tui.text.split("\n"):
            assert len(line) <= 80
        await tui.press("Y")
        assert "\x1b" not in tui.app.clipboard


async def test_secrets_are_masked(ctx: Context) -> None:
    pool = {"env": {"api_key": {"type": "secret", "value": "sk-very-secret-1"}}, **recorded.POOL}
    events = [*recorded.refund_events(resumed=False)]
    events[3] = journals.succeeded("start", {"amount": 250, "told": "the key is sk-very-secret-1"})
    recorded.record(ctx, "secret-1", events, Ended("paused", {}), pool=pool)
    async with on_store(ctx) as tui:
        screen = await compare(tui, "secret-1", "paused-1")
        await tui.press("o")
        panel = screen.query_one(RowsPanel)
        for at, each in enumerate(panel.rows):
            panel.cursor = at
            await rest(tui)
            assert "sk-very-secret-1" not in tui.text, each.what
        await tui.press("Y")
        assert "sk-very-secret-1" not in tui.app.clipboard
        await tui.press("P")
        assert "sk-very-secret-1" not in tui.app.clipboard


async def test_without_colour_signs_tell_what_differs(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with on_store(ctx) as tui:
        await compare(tui, "fresh-1", "restored-1")
        assert tui.app.no_color
        shown = tui.of("#compare-rows")
        assert "≠ text" in shown
        assert "= status" in shown


async def test_help_tells_of_the_panel_in_focus(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        await compare(tui, "fresh-1", "restored-1")
        await tui.press("question_mark")
        assert "told beside the differences" in " ".join(tui.text.split())
