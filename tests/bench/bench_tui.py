"""The terminal interface: its first paint, and how long a key takes to be seen on a large graph."""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.widgets import OptionList

from tests.bench.frame import Place, Row, bench, in_turns, ms
from tests.bench.samples import wide_run
from tests.bench.terminal import Terminal
from tests.tui.doubles import FakeDesk
from workbench.tui.app import WorkbenchApp

BARE = """
from textual.app import App
from textual.containers import Horizontal
from textual.widgets import Footer, Input, OptionList, Static, Tab, Tabs

class Bare(App):
    BINDINGS = [("slash", "a", "Search"), ("s", "b", "Status"), ("n", "c", "New run"), ("i", "d", "Import"),
                ("q", "quit", "Quit")]
    action_a = action_b = action_c = action_d = lambda self: None
    on_mount = lambda self: self.query_one(OptionList).focus()
    CSS = "Horizontal { height: 3; } OptionList { height: 1fr; }"

    def compose(self):
        with Horizontal():
            yield Static("Answer Workbench")
            yield Input(placeholder="type / to search")
        yield Tabs(*(Tab(name) for name in ("all", "paused", "running", "succeeded", "failed", "stopped")))
        yield OptionList()
        yield Static("0 runs")
        yield Footer()

Bare().run()
"""


def until_painted(mark: bytes, *command: str) -> Callable[[], object]:
    """An action: start a program in a terminal of its own, wait until it has painted `mark`, end it."""

    def run() -> None:
        with Terminal(*command) as terminal:
            terminal.until(mark)

    return run


@bench
def first_paint(place: Place) -> Row:
    """From the start of the process to the painted footer, on an empty store."""
    os.environ["WORKBENCH_HOME"] = str(place.folder / "home")
    try:
        ours = until_painted(b"Import", sys.executable, "-m", "workbench.cli")
        bare = until_painted(b"Import", sys.executable, "-c", BARE)
        mine, theirs = in_turns(ours, bare)
    finally:
        os.environ["WORKBENCH_HOME"] = str(place.home)
    return Row(
        "terminal interface, first paint",
        ms(mine),
        f"bare Textual app, same widgets: {ms(theirs)}",
        mine / theirs,
        "1.5",
        mine / theirs <= 1.5,
    )


KEYS = 40
"""Keys of each kind; the first ones, which lay the picture out, are not counted."""
QUIET = 0.06
"""Seconds without a paint after which a key is counted as done."""
FROZEN = 0.1
"""Seconds that a frame may take at most (DESIGN: nothing is frozen longer)."""


class Seen:
    """Presses keys in an app without a terminal and tells when the screen was painted after each."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._painted: float | None = None
        display = app._display

        def seen(*arguments: Any) -> None:
            display(*arguments)
            self._painted = time.perf_counter()

        app._display = seen  # type: ignore[method-assign]

    async def press(self, keys: Sequence[str]) -> list[float]:
        """Seconds from each key to the last paint that it causes; a key that changes nothing is left out."""
        times = []
        for key in keys:
            await asyncio.sleep(QUIET)  # what the last key has still to do is not this one's
            self._painted = None
            event = events.Key(key, key if len(key) == 1 else None)
            event.set_sender(self._app)
            began = time.perf_counter()
            assert self._app._driver is not None
            self._app._driver.send_message(event)
            while time.perf_counter() - max(began, self._painted or 0.0) < QUIET:
                await asyncio.sleep(0.002)
            if self._painted is not None:
                times.append(self._painted - began)
        return times[4:]


class Bare(App[None]):
    """A list whose cursor moves: the least that a key can cost in Textual."""

    def compose(self) -> ComposeResult:
        yield OptionList(*(f"row {i}" for i in range(100)))


async def _bare() -> float:
    app = Bare()
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        return statistics.median(await Seen(app).press(["down"] * KEYS))


async def _debugger(place: Place, size: tuple[int, int], zoom: str) -> dict[str, list[float]]:
    desk = FakeDesk(place.folder)
    graph, timeline = wide_run()
    desk.add("wide", "succeeded", graph, timeline)
    app = WorkbenchApp(desk.ctx, selected="wide", desk=desk)
    async with app.run_test(size=size) as pilot:
        await pilot.pause(0.5)
        graph_view = app.screen.query_one("GraphView")
        graph_view.focus()
        graph_view.zoom = zoom  # type: ignore[attr-defined]
        await pilot.pause(0.2)
        seen = Seen(app)
        select = await seen.press(list("jlkljljh") * (KEYS // 8))
        pan = await seen.press(list("HKLJ") * (KEYS // 4))
        step = await seen.press(["g", *(["n"] * KEYS)])
        return {"select a node": select, "pan": pan, "step": step}


@bench
def key_to_paint(place: Place) -> Iterator[Row]:
    """From a key to the painted screen, in the debugger on a run of 100 nodes and 200 edges."""
    bare = asyncio.run(_bare())
    for size, zoom in (((80, 24), "line"), ((200, 60), "full")):
        for what, times in asyncio.run(_debugger(place, size, zoom)).items():
            middle, worst = statistics.median(times), max(times)
            yield Row(
                f"key to paint, 100 nodes, 200 edges, {size[0]}x{size[1]}: {what}",
                f"median {ms(middle)}, worst {ms(worst)}",
                f"bare Textual list: {ms(bare)}",
                middle / bare,
                ms(FROZEN),
                worst <= FROZEN,
            )
