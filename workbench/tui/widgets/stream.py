"""What a chat user has seen so far."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from workbench.tui.text import block

SHOWN = 4_000
"""Characters of the text that are shown, the last ones; what is left out is said. Wrapping forty thousand
takes longer than a step may.
"""


class StreamPanel(VerticalScroll, can_focus=True):
    """The streamed text: what earlier segments showed, what this one did, what this step added."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False, id="stream.down"),
        Binding("k", "scroll_up", "Up", show=False, id="stream.up"),
        Binding("enter", "whole", "Whole text", show=False, id="stream.whole"),
    ]
    HELP = """
    The text that a chat user has seen up to this step.

    Dim: before the last resume. Underlined: what this very step let through. ▏ marks the end.

    j k          scroll       enter, click   read the whole text
    """

    _whole = ""

    class Opened(Message):
        """The user wants to read all of it."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def compose(self) -> ComposeResult:
        yield Static(id="stream-text")

    def show(self, before: str, now: str, fresh: str, note: str) -> None:
        """Show a step.

        Args:
            before: text of earlier segments.
            now: text of this segment without `fresh`.
            fresh: what this step added.
            note: why there is nothing more, or what to know about it.
        """
        self._whole = before + now + fresh
        pieces: list[Content | str | tuple[str, str]] = []
        cut = max(0, len(before) + len(now) - SHOWN)
        if cut:
            pieces.append((f"… {cut:,} characters before this: enter shows all\n", "$text-muted"))
        pieces.append((block(before[cut:]), "$text-muted"))
        pieces.append(block(now[max(0, cut - len(before)) :]))
        pieces.append((block(fresh), "bold underline"))
        pieces.append(("▏", "$text-accent"))
        if note:
            pieces.append((f"\n\n{block(note)}", "italic $text-muted"))
        self.query_one("#stream-text", Static).update(Content.assemble(*pieces))
        self.scroll_end(animate=False)

    def action_whole(self) -> None:
        """Show the whole text on a page."""
        self.post_message(self.Opened(self._whole))

    def on_click(self) -> None:
        if len(self._whole) > SHOWN:
            self.action_whole()
