"""The command palette: everything that can be done now, with its key; and the verbs of the actions table."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from textual.command import DiscoveryHit, Hit, Hits, Provider

from workbench.actions import ACTIONS
from workbench.tui.keys import keys_of, own_bindings

if TYPE_CHECKING:
    from collections.abc import Callable

_HERE = {"run": "start_form", "import": "import_form", "open": "import_form"}
"""Verbs of the actions table that the app itself can start from anywhere."""


class WorkbenchCommands(Provider):
    """Lists the bindings of the screen and of the panel in focus, then verbs that start here, then themes."""

    def _commands(self) -> Iterator[tuple[str, str, Callable[[], object]]]:
        for active in own_bindings(self.screen):
            binding = active.binding
            if binding.action != "command_palette":
                run = partial(self.app.run_action, binding.action, active.node)
                yield f"{binding.description}  {keys_of(self.screen, active)}", binding.tooltip or "", run
        for action in ACTIONS:
            if action.name in _HERE and not action.hidden:
                yield f"{action.name}: {action.help}", "", partial(self._verb, action.name)
        for name in self.app.available_themes:
            yield f"Theme: {name}", "", partial(setattr, self.app, "theme", name)

    def _verb(self, name: str) -> None:
        from workbench.tui.app import WorkbenchApp

        assert isinstance(self.app, WorkbenchApp)
        if name == "run":
            self.app.start_form(None, frozenset())
        else:
            self.app.import_form()

    async def discover(self) -> Hits:
        for words, note, run in self._commands():
            yield DiscoveryHit(words, run, help=note or None)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for words, note, run in self._commands():
            score = matcher.match(words)
            if score > 0:
                yield Hit(score, matcher.highlight(words), run, help=note or None)
