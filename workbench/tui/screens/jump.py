"""Jump mode: a letter on every panel, and the focus is where that letter was."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Offset
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

LETTERS = "asdfghjkl;qwertyuiop"


class JumpScreen(ModalScreen[Widget | None]):
    """Shows a letter on each target; gives the one that was typed or clicked."""

    CSS = """
    JumpScreen { background: transparent; align: left top; }
    JumpScreen .letter {
        position: absolute; width: 3; height: 1; content-align: center middle;
        background: $accent; color: $background; text-style: bold;
    }
    """

    def __init__(self, targets: list[Widget]) -> None:
        super().__init__()
        self._targets = dict(zip(LETTERS, targets, strict=False))

    def compose(self) -> ComposeResult:
        for letter, target in self._targets.items():
            sign = Static(Content(letter), classes="letter")
            region = target.region
            sign.styles.offset = Offset(min(region.x + 2, max(0, region.right - 3)), region.y)
            yield sign

    def on_key(self, event: events.Key) -> None:
        event.stop()
        if event.is_printable or event.key == "escape":
            self.dismiss(self._targets.get(event.character or ""))

    def on_click(self, event: events.Click) -> None:
        for target in self._targets.values():
            if target.region.contains(event.screen_x, event.screen_y):
                self.dismiss(target)
                return
        self.dismiss(None)
