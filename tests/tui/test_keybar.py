"""The line of keys: what works now, and a click on a key presses it."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from tests.tui.conftest import Driver, Open
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.debugger.keys import BINDINGS
from workbench.tui.widgets.events import EventsPanel
from workbench.tui.widgets.findings import FindingBox
from workbench.tui.widgets.gate import GatePanel
from workbench.tui.widgets.graph.view import GraphView
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.node import NodePanel
from workbench.tui.widgets.resume import ResumePanel
from workbench.tui.widgets.stream import StreamPanel
from workbench.tui.widgets.variables import VariablesPanel


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


def test_a_key_has_one_meaning_in_the_debugger() -> None:
    """What a panel takes with the focus on it is none of the screen's own keys."""
    screen = {key for binding in (*BINDINGS, *WorkbenchApp.BINDINGS) for key in keys_of(binding)}
    for panel in (
        GraphView,
        GatePanel,
        StreamPanel,
        VariablesPanel,
        EventsPanel,
        FindingBox,
        NodePanel,
        ResumePanel,
    ):
        own = {key for binding in panel.BINDINGS for key in keys_of(binding)}
        own -= {"G"}  # the end of a list, the end of a run
        assert own.isdisjoint(screen), panel.__name__


def keys_of(binding: BindingType) -> list[str]:
    assert isinstance(binding, Binding)
    return [key.strip() for key in binding.key.split(",")]
