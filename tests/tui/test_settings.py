"""What the TUI remembers, and what it does with a file that it can't use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tui.conftest import Open
from tests.tui.doubles import FakeDesk
from workbench.tui import settings
from workbench.tui.settings import FILE, Settings
from workbench.tui.widgets.lines import LineView


def test_settings_come_back(tmp_path: Path) -> None:
    kept = Settings(theme="workbench-light", hidden=("gate",), keys={"debug.next": "j"})
    settings.save(tmp_path, kept)
    assert settings.load(tmp_path) == (kept, None)


def test_no_file_gives_the_defaults(tmp_path: Path) -> None:
    assert settings.load(tmp_path) == (Settings(), None)


@pytest.mark.parametrize("text", ["{", "[]", '"x"', "\xff", "[" * 100_000])
def test_a_file_that_is_none_is_left_aside_and_said(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text, "latin-1")
    loaded, note = settings.load(tmp_path)
    assert loaded == Settings()
    assert note is not None
    assert FILE in note


def test_single_values_that_do_not_fit_are_left_aside(tmp_path: Path) -> None:
    data = {
        "theme": 7,
        "graph_share": True,
        "gate_share": 5,
        "hidden": "gate",
        "keys": {"a": 1},
        "tidy": True,
        "new": 1,
    }
    (tmp_path / FILE).write_text(json.dumps(data))
    loaded, note = settings.load(tmp_path)
    assert loaded == Settings(tidy=True)
    assert note is not None
    assert "graph_share" in note
    assert "tidy" not in note


def test_a_folder_that_can_not_be_written_to_costs_the_settings_only(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    settings.save(blocked, Settings())


async def test_keys_are_remapped_and_shown_where_they_are(drive: Open, desk: FakeDesk) -> None:
    settings.save(desk.ctx.home, Settings(keys={"debug.next": "ctrl+n,v"}))
    async with drive("120x40", run="fresh-1") as tui:
        await tui.press("g", "v", "v")
        assert "2/20" in tui.text
        await tui.press("n")
        assert "2/20" in tui.text, "the old key is free"
        await tui.press("question_mark", "G")
        await tui.press("escape")


async def test_two_actions_on_one_key_are_told(drive: Open, desk: FakeDesk) -> None:
    settings.save(desk.ctx.home, Settings(keys={"debug.next": "p"}))
    async with drive("120x40", run="fresh-1", toasts=True) as tui:
        await tui.press("p")
        await tui.until(lambda: "Two actions have the same key in tui.json" in tui.text)


async def test_themes_by_key_are_remembered(drive: Open) -> None:
    async with drive() as tui:
        assert tui.app.theme == "workbench-dark"
        await tui.press("M")
        assert tui.app.theme == "workbench-light"
    async with drive() as tui:
        assert tui.app.theme == "workbench-light"
        await tui.press("M")
        assert tui.app.theme == "workbench-contrast"


async def test_a_broken_settings_file_is_said_on_screen(drive: Open, desk: FakeDesk) -> None:
    (desk.ctx.home / FILE).write_text("{")
    async with drive("120x40", toasts=True) as tui:

        def told() -> str:
            """The toast, its lines joined: where they break depends on the length of the path."""
            shown = tui.of("Toast") if tui.app.screen.query("Toast") else ""
            return " ".join(shown.replace("▌", " ").split())

        await tui.until(lambda: "was left aside" in told())


async def test_the_screen_is_exported_as_svg_and_text(drive: Open, desk: FakeDesk) -> None:
    async with drive(run="fresh-1") as tui:
        await tui.press("E")
        files = sorted((desk.ctx.home / "screens").iterdir())
        assert [f.suffix for f in files] == [".svg", ".txt"]
        assert "<svg" in files[0].read_text("utf-8")
        assert "Tell the customer" in files[1].read_text("utf-8")


async def test_a_panel_is_copied(drive: Open) -> None:
    async with drive(run="restored-1") as tui:
        await tui.press("semicolon", "f", "y")
        assert "Your refund of 250 is approved. well" in tui.app.clipboard


async def test_without_colour_signs_tell_the_states(drive: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with drive(run="fresh-1") as tui:
        assert tui.app.no_color
        for sign in ("!▸", "╍", "○▸", "×▹", "✓"):
            assert sign in tui.of("#graph")


@pytest.mark.parametrize("theme", ["workbench-dark", "workbench-light", "workbench-contrast"])
async def test_every_cell_of_a_list_can_be_read_in_every_theme(drive: Open, theme: str) -> None:
    from rich.color import Color

    def distance(one: Color, two: Color) -> int:
        return sum(abs(a - b) for a, b in zip(one.get_truecolor(), two.get_truecolor(), strict=True))

    async with drive("120x40") as tui:
        tui.app.theme = theme
        await tui.settle()
        view = tui.app.screen.query_one("#runs", LineView)
        for y in range(4):
            for segment in view.render_line(y):
                style = segment.style
                if segment.text.strip() and style is not None:
                    assert style.color is not None
                    assert style.bgcolor is not None
                    assert distance(style.color, style.bgcolor) > 150, (segment.text, style)
