"""The apps screen and the script editor, by key and by mouse."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.widgets import Input, TextArea

from tests.conftest import REPOSITORY
from tests.tui import journals, recorded
from tests.tui.conftest import Driver
from tests.tui.recorded import on_store
from tests.tui.test_hostile_text import ODD
from workbench.records.app import read_app
from workbench.records.script import read_script
from workbench.tui.screens.apps import AppsScreen
from workbench.tui.screens.apps.desk import VERSIONS
from workbench.tui.screens.pages import PageScreen
from workbench.tui.screens.script import ScriptScreen
from workbench.tui.screens.script.entries import places, whole
from workbench.tui.screens.script.screen import NodesPanel
from workbench.tui.screens.start import StartScreen
from workbench.tui.widgets.findings import FindingBox
from workbench.tui.widgets.graph.view import GraphView
from workbench.verbs.context import Context

SIZES = ("80x24", "120x40", "200x60")
LOST = REPOSITORY / "fixtures/shapes/t1-if-else/app.yml"


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    made = recorded.context(tmp_path)
    recorded.paused(made)
    made.store.put_app(read_app(LOST.read_bytes(), "t1"))
    return made


async def apps(tui: Driver) -> AppsScreen:
    await tui.press("a")
    screen = tui.app.screen
    assert isinstance(screen, AppsScreen)
    await tui.until(lambda: "left …" not in tui.text and "Checking" not in tui.text)
    return screen


def still(text: str) -> str:
    return re.sub(r"\d\d-\d\d \d\d:\d\d", "00-00 00:00", text)


@pytest.mark.parametrize("size", SIZES)
async def test_the_apps(ctx: Context, snapshot: SnapshotAssertion, size: str) -> None:
    async with on_store(ctx, size) as tui:
        await apps(tui)
        assert still(tui.text) == snapshot


async def test_what_is_wrong_depends_on_the_dify(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        screen = await apps(tui)
        seen = set()
        for version in VERSIONS:
            assert screen.dify == version
            seen.add(tui.of("#apps-list"))
            await tui.press("v")
            await tui.until(lambda: "left …" not in tui.text)
        assert len(seen) > 1
        assert screen.dify is None


async def test_findings_lead_to_the_graph_and_to_their_page(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        screen = await apps(tui)
        await tui.press("v")
        await tui.until(lambda: "gate-state-missing" in tui.text)
        await tui.press("enter")
        await tui.until(lambda: isinstance(tui.app.focused, FindingBox))
        code = tui.app.focused.finding.code  # type: ignore[union-attr]
        await tui.press("K")
        assert isinstance(tui.app.screen, PageScreen)
        await tui.press("escape")
        assert code in tui.text
        await tui.press("g")
        assert screen.query_one(GraphView).has_focus


async def test_searching(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        screen = await apps(tui)
        await tui.press("slash", *"nothing-like-it")
        await tui.until(lambda: "Nothing fits" in tui.text)
        await tui.press("escape")
        await tui.until(lambda: "Nothing fits" not in tui.text)
        assert screen.query_one(Input).value == ""
        await tui.press("q")
        assert not isinstance(tui.app.screen, AppsScreen)


async def test_a_run_is_started_by_key_and_an_app_exported(ctx: Context, tmp_path: Path) -> None:
    async with on_store(ctx) as tui:
        screen = await apps(tui)
        row = screen._list.row
        assert row is not None
        await tui.press("x")
        asked = tui.app.screen.query_one(Input)
        asked.value = str(tmp_path / "out.yml")
        await tui.click("#ok")
        await tui.until((tmp_path / "out.yml").exists)
        assert (tmp_path / "out.yml").read_bytes() == ctx.store.app_bytes(row.target)
        await tui.press("n")
        assert isinstance(tui.app.screen, StartScreen)


async def test_a_fixed_copy_is_refused_where_a_file_is(ctx: Context, tmp_path: Path) -> None:
    taken = tmp_path / "taken.yml"
    taken.write_text("mine")
    async with on_store(ctx) as tui:
        await apps(tui)
        await tui.press("f")
        tui.app.screen.query_one(Input).value = str(taken)
        await tui.press("enter")
        await tui.until(lambda: "is there already" in tui.text)
        assert taken.read_text() == "mine"


# the script editor -----------------------------------------------------------------------


async def script(tui: Driver, text: str = "") -> tuple[ScriptScreen, list[str | None]]:
    given: list[str | None] = []
    app_id = tui.app.desk.ctx.store.apps()[0].app_id
    tui.app.open_script(app_id, text, given.append)
    await tui.settle()
    screen = tui.app.screen
    assert isinstance(screen, ScriptScreen)
    await tui.until(lambda: len(screen.query_one(NodesPanel).rows) > 0)
    return screen, given


@pytest.mark.parametrize("size", SIZES)
async def test_the_script_editor(ctx: Context, snapshot: SnapshotAssertion, size: str) -> None:
    async with on_store(ctx, size) as tui:
        await script(tui, "nodes:\n  nobody: {text: hi}\n")
        await tui.until(lambda: "nobody" in tui.of("#script-problem"))
        assert tui.text == snapshot


async def test_a_fault_is_told_with_its_line_while_one_types(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        screen, given = await script(tui, "nodes:\n")
        area = screen.query_one(TextArea)
        area.move_cursor(area.document.end)
        await tui.press(*"  nobody: x")
        await tui.until(lambda: "-wrong" in screen.query_one("#script-problem").classes)
        assert screen._fault == 2
        await tui.press("escape", "g")
        assert area.cursor_location[0] == 1
        await tui.press("escape", "q")
        assert given == [], "what was typed is not dropped at once"
        await tui.press("q")
        assert given == [None]


async def test_an_entry_for_a_node_and_for_each(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        screen, given = await script(tui)
        await tui.press("escape", "n", "enter")
        area = screen.query_one(TextArea)
        assert area.text.startswith("nodes:\n  ")
        await tui.until(lambda: "The script fits the app." in tui.text)
        written = area.text
        await tui.click("#script-ok")
        assert given == [written]


async def test_a_file_is_loaded_and_written(ctx: Context, tmp_path: Path) -> None:
    source, out = tmp_path / "in.yml", tmp_path / "out.yml"
    source.write_text("nodes: {}\n# kept\n")
    async with on_store(ctx) as tui:
        screen, _ = await script(tui)
        await tui.press("escape", "o")
        tui.app.screen.query_one(Input).value = str(source)
        await tui.press("enter")
        assert screen.query_one(TextArea).text == source.read_text()
        await tui.press("escape", "w")
        tui.app.screen.query_one(Input).value = str(out)
        await tui.press("enter")
        assert out.read_text() == source.read_text()


@pytest.mark.parametrize(
    "folder", sorted(p.parent.name for p in (REPOSITORY / "fixtures/nodes").glob("*/app.yml"))
)
def test_the_entries_fit_every_kind_of_node(folder: str) -> None:
    app = read_app((REPOSITORY / "fixtures/nodes" / folder / "app.yml").read_bytes(), folder)
    read_script(whole(places(app)).encode(), app)


async def test_hostile_scripts_are_text(ctx: Context) -> None:
    async with on_store(ctx) as tui:
        screen, _ = await script(tui)
        for text in ODD:
            screen.query_one(TextArea).text = text.replace("\x00", "")
            await tui.settle()
        assert "\x1b" not in tui.text


def test_the_apps_of_journals_are_scriptable() -> None:
    assert [place.type for place in places(journals.refund_app())] == ["human-input"]
