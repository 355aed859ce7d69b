"""The line of keys at the foot of a screen.

Textual's own Footer makes a widget of every key, and makes all anew whenever the focus moves, which on a full
screen takes longer than all else that a key does. This one is a single line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.widget import Widget

if TYPE_CHECKING:
    from textual.binding import Binding
    from textual.screen import Screen


class KeyBar(Widget, can_focus=False):
    """The keys that work now, each with what it does; a click on one presses it."""

    ALLOW_SELECT: ClassVar[bool] = False
    DEFAULT_CSS = """
    KeyBar {
        dock: bottom;
        height: 1;
        color: $footer-foreground;
        background: $footer-background;
        text-wrap: nowrap;
        text-overflow: clip;
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._keys: list[tuple[Binding, bool]] = []

    @property
    def ready(self) -> bool:
        """Whether the keys are known, so that they are seen with the next paint."""
        return bool(self._keys)

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._changed)

    def _changed(self, screen: Screen[object]) -> None:
        if not self.is_attached or screen is not self.screen or not self.app.app_focus:
            return
        shown: dict[str, tuple[Binding, bool]] = {}
        for active in screen.active_bindings.values():
            if active.binding.show:
                shown.setdefault(active.binding.action, (active.binding, active.enabled))
        keys = list(shown.values())
        if keys != self._keys:
            self._keys = keys
            self.refresh()

    def _names(self, binding: Binding) -> tuple[str, str]:
        return f" {self.app.get_key_display(binding)} ", f"{binding.description} "

    def render(self) -> Content:
        pieces: list[tuple[str, str]] = []
        for binding, enabled in self._keys:
            key, words = self._names(binding)
            dim = "" if enabled else " dim"
            pieces.append((key, f"bold $footer-key-foreground{dim}"))
            pieces.append((words, f"$footer-description-foreground{dim}"))
        return Content.assemble(*pieces)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        end = 0
        for binding, enabled in self._keys:
            end += sum(map(cell_len, self._names(binding)))
            if event.x < end:
                event.stop()
                if enabled:
                    self.app.simulate_key(binding.key)
                else:
                    self.app.bell()
                return
