"""Drives the TUI without a terminal: keys, clicks, and the screen as text."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from textual.css.query import NoMatches
from textual.pilot import Pilot

from tests.tui.doubles import FakeDesk
from workbench.tui.app import WorkbenchApp
from workbench.tui.export import screen_text

_GRAIN = 0.004
"""Seconds."""


class Driver:
    """An app under test."""

    def __init__(self, app: WorkbenchApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    async def settle(self) -> None:
        """Until every worker but the watching ones is done and the screen is painted."""
        async with asyncio.timeout(20):
            while not any(w.name == "watch" for w in self.app.workers):
                await asyncio.sleep(0.005)
        for _ in range(2):
            await self.pilot.pause()
            async with asyncio.timeout(20):
                while not all(w.is_finished for w in self.app.workers if w.name != "watch"):
                    await asyncio.sleep(0.005)
            await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def click(self, selector: Any, **more: Any) -> None:
        await self.pilot.click(selector, **more)
        await self.settle()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something that a watching worker brings about; a screen that is just opening has nothing
        yet.
        """

        def come() -> bool:
            with suppress(NoMatches):
                return condition()
            return False

        async with asyncio.timeout(20):
            while not come():
                await asyncio.sleep(0.01)
        await self.settle()

    async def until_shown(self, words: str) -> None:
        """Wait for words while a worker is still busy."""
        async with asyncio.timeout(20):
            while words not in self.text:
                await asyncio.sleep(0.01)

    @property
    def text(self) -> str:
        return screen_text(self.app)

    def of(self, selector: str) -> str:
        """What a widget shows."""
        return screen_text(self.app, self.app.screen.query_one(selector).region)


Open = Callable[..., AbstractAsyncContextManager[Driver]]


@pytest.fixture(autouse=True)
def _plain_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("textual.constants.TEXTUAL_ANIMATIONS", "none")
    # The pilot looks at the clock every 20 ms, several times a key, and a screen paints 60 times a second:
    # thousands of keys wait for nothing. A finer clock tells the same sooner.
    monkeypatch.setattr("textual._wait.SLEEP_GRANULARITY", _GRAIN)
    monkeypatch.setattr("textual._wait.SLEEP_IDLE", _GRAIN / 10)
    monkeypatch.setattr("textual.screen.UPDATE_PERIOD", _GRAIN)
    # A button takes no second click while it looks pressed, for 0.2 s.
    monkeypatch.setattr("textual.widgets.Button._start_active_affect", lambda button: None)


@pytest.fixture
def desk(tmp_path: Path) -> FakeDesk:
    return FakeDesk(tmp_path)


@pytest.fixture
def drive(desk: FakeDesk) -> Open:
    """Opens the TUI on the double: `async with drive("80x24", run="paused-1") as tui`."""

    @asynccontextmanager
    async def opened(
        size: str = "120x40", run: str | None = None, toasts: bool = False, **more: Any
    ) -> AsyncIterator[Driver]:
        width, height = map(int, size.split("x"))
        app = WorkbenchApp(desk.ctx, selected=run, desk=desk, **more)
        async with app.run_test(size=(width, height), notifications=toasts) as pilot:
            driver = Driver(app, pilot)
            await driver.settle()
            yield driver

    return opened
