"""The memory lab, by key and by mouse, on a real conversation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.widgets import Input

from tests.tui import recorded
from tests.tui.conftest import Driver
from tests.tui.recorded import on_store
from tests.tui.test_hostile_text import ODD
from workbench.records.conversation import NIL
from workbench.tui.screens.memory import MemoryScreen
from workbench.tui.screens.memory.knobs import KnobsPanel
from workbench.tui.screens.memory.rows import MatrixPanel, MessagesPanel, RowsPanel
from workbench.verbs.context import Context

SIZES = ("80x24", "120x40", "200x60")


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return recorded.context(tmp_path)


@pytest.fixture
def chat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """12 turns; the order's number is told in the third."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {
            "id": f"m{n}",
            "parent_message_id": f"m{n - 1}" if n > 1 else None,
            "created_at": n,
            "query": f"Question {n}" + (", my order is 4711" if n == 3 else ""),
            "answer": "" if n == 12 else f"Answer {n} " + "and more " * n,
            "answer_tokens": 0 if n == 12 else 9,
        }
        for n in range(1, 13)
    ]
    Path("chat.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    return "chat.jsonl"


async def lab(tui: Driver, chat: str) -> MemoryScreen:
    tui.app.open_memory(chat)
    await tui.settle()
    screen = tui.app.screen
    assert isinstance(screen, MemoryScreen)
    return screen


def at(screen: MemoryScreen, name: str) -> int:
    return next(i for i, knob in enumerate(screen.query_one(KnobsPanel).rows) if knob.name == name)


async def move(tui: Driver, screen: MemoryScreen, name: str, *keys: str) -> None:
    screen.query_one(KnobsPanel).focus()
    screen.query_one(KnobsPanel).cursor = at(screen, name)
    await tui.press(*keys)


@pytest.mark.parametrize("size", SIZES)
async def test_rows_messages_and_matrix(
    ctx: Context, chat: str, snapshot: SnapshotAssertion, size: str
) -> None:
    async with on_store(ctx, size) as tui:
        screen = await lab(tui, chat)
        await move(tui, screen, "window", "l", "l", "l", "l", "l", "l")
        assert tui.text == snapshot(name="rows")
        await tui.press("2")
        assert tui.text == snapshot(name="messages")
        await tui.press("3")
        assert tui.text == snapshot(name="matrix")


async def test_a_window_moves_what_is_kept(ctx: Context, chat: str) -> None:
    async with on_store(ctx) as tui:
        screen = await lab(tui, chat)
        assert "11 of 12 rows kept" in tui.text
        await move(tui, screen, "window", "l", "l", "l")
        assert "2 of 12 rows kept, 4 messages before the model; binding: window" in tui.text
        await tui.press("h")
        assert "1 of 12 rows kept" in tui.text
        await tui.press("L")
        assert "11 of 12 rows kept" in tui.text
        await tui.press("H", "H")
        assert screen.lab is not None
        assert screen.lab.wishes.window is None


async def test_a_click_on_a_bar_moves_it(ctx: Context, chat: str) -> None:
    async with on_store(ctx) as tui:
        screen = await lab(tui, chat)
        panel = screen.query_one(KnobsPanel)
        row = at(screen, "form")
        await tui.click(panel, offset=(11, 1 + row))
        assert screen.lab is not None
        assert screen.lab.wishes.form == "A"
        await tui.click(panel, offset=(40, 1 + row))
        assert screen.lab.wishes.form == "A", "beside the bar only the cursor moves"
        assert panel.cursor == row


async def test_budget_and_counter_prune_and_say_so(ctx: Context, chat: str) -> None:
    async with on_store(ctx) as tui:
        screen = await lab(tui, chat)
        assert "counting-off" in tui.text
        await move(tui, screen, "counter", "l", "l")
        await move(tui, screen, "budget", "l", "l", "l")
        assert "counting-off" not in tui.text
        assert "binding: budget" in tui.text
        assert "pruned by the budget" in tui.text


async def test_turns_are_gone_through(ctx: Context, chat: str) -> None:
    async with on_store(ctx) as tui:
        screen = await lab(tui, chat)
        await tui.press("p", "p")
        assert "9 of 10 rows kept" in tui.text
        await tui.press("n")
        assert "10 of 11 rows kept" in tui.text
        await tui.press("n", "n")
        assert "11 of 12 rows kept" in tui.text
        await tui.press("3")
        matrix = screen.query_one(MatrixPanel)
        matrix.cursor = 4
        await tui.press("enter")
        assert screen.lab is not None
        assert screen.lab.wishes.turn == 5


async def test_the_smallest_settings_for_a_text(ctx: Context, chat: str) -> None:
    async with on_store(ctx) as tui:
        screen = await lab(tui, chat)
        await tui.press("a")
        assert screen.lab is not None
        assert screen.lab.wishes.window is None
        await move(tui, screen, "counter", "l", "l")
        await tui.press("slash", *"4711", "enter")
        assert "“4711” is kept at every later turn by a window of 10 rows" in " ".join(
            tui.of("#memory-told").replace("│", "").split()
        )
        await tui.press("a")
        assert screen.lab.wishes.window == 10
        assert screen.lab.wishes.budget is not None
        kept = [row.row.id for row in screen.lab.remembered.simulation.rows if row.stage == "kept"]
        assert kept[0] == "m3"
        await tui.press("0")
        assert screen.lab.wishes.window is None
        assert screen.query_one(Input).value == ""


async def test_texts_are_shown_whole(ctx: Context, chat: str) -> None:
    async with on_store(ctx) as tui:
        screen = await lab(tui, chat)
        await tui.press("1")
        screen.query_one(RowsPanel).cursor = 2
        await tui.press("enter")
        assert "my order is 4711" in tui.text
        await tui.press("escape")
        await tui.press("2")
        await tui.press("enter")
        assert "Question 1" in tui.text
        await tui.press("escape")
        await tui.press("q")
        assert not isinstance(tui.app.screen, MemoryScreen)


async def test_hostile_texts_are_text(ctx: Context, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_text(
        json.dumps(
            [
                {"id": f"{n}{text}", "query": text, "answer": text, "parent_message_id": NIL}
                for n, text in enumerate(ODD)
            ]
        )
    )
    async with on_store(ctx) as tui:
        screen = await lab(tui, str(path))
        for key in ("1", "2", "3"):
            await tui.press(key)
        assert len(screen.query_one(MessagesPanel).rows) >= 2 * (len(ODD) - 2)
        assert "\x1b" not in tui.text


async def test_a_broken_file_is_told_and_the_screen_lives(ctx: Context, tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text("[1]")
    async with on_store(ctx) as tui:
        await lab(tui, str(path))
        assert "row 1 is no object" in tui.text.lower()
        await tui.press("n", "a", "0", "q")
        assert not isinstance(tui.app.screen, MemoryScreen)


async def test_importing_a_conversation_opens_the_lab(ctx: Context, chat: str) -> None:
    async with on_store(ctx) as tui:
        tui.app.import_paths([chat], show=True)
        await tui.until(lambda: isinstance(tui.app.screen, MemoryScreen))
        await tui.until(lambda: "11 of 12 rows kept" in tui.text)


async def test_a_run_opens_its_conversation(ctx: Context) -> None:
    recorded.paused(ctx)
    async with on_store(ctx) as tui:
        await tui.press("m")
        assert isinstance(tui.app.screen, MemoryScreen)
        await tui.settle()
        assert "belongs to no conversation" in tui.text or "rows kept" in tui.text
