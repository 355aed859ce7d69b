"""The line of keys: what works now, and a click on a key presses it."""

from __future__ import annotations

from tests.tui.conftest import Driver, Open
from workbench.tui.widgets.keybar import KeyBar


def line(tui: Driver) -> str:
    return tui.of("KeyBar").rstrip()


async def test_it_follows_the_focus_and_a_click_presses_the_key(drive: Open) -> None:
    async with drive("120x40") as tui:
        before = line(tui)
        assert before.startswith(" / Search  s Status  n New run")
        await tui.click(KeyBar, offset=(before.index("Search"), 0))
        assert tui.app.focused is not None
        assert tui.app.focused.id == "search"
        await tui.press("escape")
        screen = tui.app.screen
        await tui.click(KeyBar, offset=(before.index("? Help"), 0))
        assert tui.app.screen is not screen
        await tui.press("escape")
        await tui.click(KeyBar, offset=(len(before) + 5, 0))
        assert tui.app.screen is screen, "beside the keys nothing is pressed"
