"""What the editor looks like, as plain text, at three sizes."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.tui.editing import EVERY_TYPE, SHAPES, OpenEditor, opener
from workbench.tui.themes import THEMES

SIZES = ("80x24", "120x40", "200x60")
T1_APP = SHAPES / "t1-if-else" / "app.yml"


@pytest.fixture
def edit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenEditor:
    return opener(tmp_path, monkeypatch)


@pytest.mark.parametrize("size", SIZES)
async def test_every_type(edit: OpenEditor, snapshot: SnapshotAssertion, size: str) -> None:
    async with edit("E/every-type.json", EVERY_TYPE, size) as tui:
        assert tui.text == snapshot


@pytest.mark.parametrize("size", SIZES)
async def test_edited_and_refused(edit: OpenEditor, snapshot: SnapshotAssertion, size: str) -> None:
    """Two edits, one undone, and a field with an edit that the engine would refuse."""
    async with edit("E/t1-if-else.json", T1_APP, size) as tui:
        await tui.go("check.result")
        await tui.press("space")
        await tui.go("gate:answer")
        await tui.press("space", "u", "t")
        await tui.write("state:version=9.0")
        assert tui.text == snapshot


@pytest.mark.parametrize("size", SIZES)
async def test_save(edit: OpenEditor, snapshot: SnapshotAssertion, size: str) -> None:
    async with edit("E/t1-if-else.json", T1_APP, size) as tui:
        await tui.go("check.result")
        await tui.press("space", "s")
        assert tui.text == snapshot


async def test_nothing_is_told_by_colour_alone(
    edit: OpenEditor, snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Light, dark and NO_COLOR show the same text."""
    shown = []
    for no_color, theme in ((False, 0), (False, 1), (True, 0)):
        if no_color:
            monkeypatch.setenv("NO_COLOR", "1")
        async with edit("E/t1-if-else.json", T1_APP) as tui:
            tui.app.theme = THEMES[theme].name
            await tui.go("check.result")
            await tui.press("space")
            shown.append(tui.text)
    assert shown[0] == shown[1] == shown[2]
    assert "±" in shown[0]
