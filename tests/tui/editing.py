"""Opens the editor on a real store with a real saved pause in it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tests.tui.conftest import Driver
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.editor import EditorScreen, base, fielding
from workbench.tui.widgets.statetree import StateTree
from workbench.tui.widgets.valuefield import ValueField
from workbench.verbs.context import Context
from workbench.verbs.importing import import_files

STATES = REPOSITORY / "fixtures" / "states"
SHAPES = REPOSITORY / "fixtures" / "shapes"
REST = 0.005
"""Seconds that an editor under test lets the keys rest before it checks what was typed."""
EVERY_TYPE = STATES / "every-type" / "app.yml"


class Editing(Driver):
    """An editor under test. `results` is what it gave when it was left."""

    def __init__(self, app: WorkbenchApp, pilot: Any) -> None:
        super().__init__(app, pilot)
        self.results: list[str | None] = []

    async def settle(self) -> None:
        """Until what was typed is checked, too: that starts after a short rest."""
        await super().settle()
        await self.pilot.pause(2 * REST)
        await super().settle()

    @property
    def screen(self) -> EditorScreen:
        screen = next(each for each in self.app.screen_stack if isinstance(each, EditorScreen))
        assert isinstance(screen, EditorScreen)
        return screen

    @property
    def tree(self) -> StateTree:
        return self.screen.query_one(StateTree)

    @property
    def field(self) -> ValueField:
        return self.screen.query_one(ValueField)

    @property
    def verdict(self) -> str:
        return " ".join(self.of("#field-verdict").split())

    @property
    def targets(self) -> list[str]:
        assert self.screen.editing is not None
        return [edit.target for edit in self.screen.editing.edits]

    def value(self, target: str) -> Any:
        """The value that a target has now."""
        from workbench.core.edits import places

        assert self.screen.editing is not None
        return next(p.value for p in places(self.screen.editing.document, target) if p.target == target)

    async def go(self, target: str) -> None:
        """Put the cursor on a place."""
        tree = self.tree
        assert tree.places is not None
        from workbench.views.statetree import everything

        spot = next(each for each in everything(tree.places) if each.target == target)
        tree.reveal(spot.key)
        tree.focus()
        await self.settle()

    async def write(self, text: str) -> None:
        """Type a text over what is in the field."""
        await self.pilot.press("end", "ctrl+u")
        await self.pilot.press(*("space" if c == " " else c for c in text))
        await self.settle()


OpenEditor = Callable[..., AbstractAsyncContextManager[Editing]]


def opener(home: Path, monkeypatch: pytest.MonkeyPatch) -> OpenEditor:
    """`async with edit("E/t1-if-else.json") as tui`."""

    @asynccontextmanager
    async def opened(
        state: str | dict[str, Any], app: Path | None = None, size: str = "120x40", **more: Any
    ) -> AsyncIterator[Editing]:
        monkeypatch.setattr(base, "DELAY", REST)
        monkeypatch.setattr(fielding, "DELAY", REST)
        ctx = Context(home / "store.duckdb", home)
        if isinstance(state, str):
            path = STATES / state
        else:
            path = home / "state.json"
            path.write_text(json.dumps(state), "utf-8")
        target = str(import_files(ctx, [str(path)])[0].id)
        app_id = None if app is None else str(import_files(ctx, [str(app)])[0].id)
        width, height = map(int, size.split("x"))
        tui_app = WorkbenchApp(ctx)
        async with tui_app.run_test(size=(width, height), notifications=True, **more) as pilot:
            tui = Editing(tui_app, pilot)
            await Driver.settle(tui)
            tui_app.open_editor(target, app_id, tui.results.append)
            await tui.settle()
            yield tui

    return opened
