"""What the screens look like, as plain text, at three sizes."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.tui import journals
from tests.tui.conftest import Open
from tests.tui.doubles import FakeDesk

SIZES = ("80x24", "120x40", "200x60")


@pytest.mark.parametrize("size", SIZES)
async def test_runs(drive: Open, snapshot: SnapshotAssertion, size: str) -> None:
    async with drive(size) as tui:
        assert tui.text == snapshot


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("run", ["paused-1", "fresh-1", "restored-1"])
async def test_debugger(drive: Open, snapshot: SnapshotAssertion, size: str, run: str) -> None:
    async with drive(size, run=run) as tui:
        assert tui.text == snapshot


@pytest.mark.parametrize("size", SIZES)
async def test_two_answers_in_a_queue(
    drive: Open, desk: FakeDesk, snapshot: SnapshotAssertion, size: str
) -> None:
    desk.add("parallel-1", "running", *journals.parallel())
    async with drive(size, run="parallel-1") as tui:
        assert tui.text == snapshot


@pytest.mark.parametrize("size", SIZES)
async def test_a_loop(drive: Open, desk: FakeDesk, snapshot: SnapshotAssertion, size: str) -> None:
    desk.add("loop-1", "running", *journals.looped())
    async with drive(size, run="loop-1") as tui:
        assert tui.text == snapshot


@pytest.mark.parametrize("key", ["2", "3", "4", "5", "6", "question_mark", "colon", "semicolon"])
@pytest.mark.parametrize("size", SIZES[:2])
async def test_panels_and_pages(drive: Open, snapshot: SnapshotAssertion, size: str, key: str) -> None:
    async with drive(size, run="fresh-1") as tui:
        await tui.press(key)
        assert tui.text == snapshot


@pytest.mark.parametrize("size", SIZES[:2])
async def test_start_form(drive: Open, snapshot: SnapshotAssertion, size: str) -> None:
    async with drive(size) as tui:
        await tui.press("n")
        assert tui.text == snapshot
