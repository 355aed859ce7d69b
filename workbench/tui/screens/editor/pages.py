"""What the editor asks on pages of its own: a line, one of a few, how to save, whether to leave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from workbench.tui.text import block, one_line, plain
from workbench.tui.widgets.valuefield import CleanInput

LINES = 400
"""Lines of differences that are shown before a save; how many more there are is said."""


class AskScreen(ModalScreen[str | None]):
    """Asks for one line; gives None when the user changed their mind."""

    AUTO_FOCUS = "Input"
    CSS_PATH = "../forms.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel", id="ask.cancel")]

    def __init__(self, title: str, words: str, value: str = "", ok: str = "OK") -> None:
        super().__init__()
        self._title, self._words, self._value, self._ok = title, words, value, ok

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="form") as form:
            form.border_title = self._title
            yield Static(plain(self._words), classes="note")
            yield CleanInput(one_line(self._value), id="ask-value", classes="last", compact=True)
            with Horizontal(id="buttons"):
                yield Button(self._ok, variant="primary", id="ok", compact=True)
                yield Button("Cancel", id="cancel", compact=True)

    @on(Input.Submitted)
    @on(Button.Pressed, "#ok")
    def _done(self) -> None:
        self.dismiss(self.query_one(Input).value.strip())

    @on(Button.Pressed, "#cancel")
    def action_cancel(self) -> None:
        """Give nothing."""
        self.dismiss(None)


class ChooseScreen(ModalScreen[str | None]):
    """Asks for one of a few; gives None when the user changed their mind."""

    AUTO_FOCUS = "OptionList"
    CSS_PATH = "../forms.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "cancel", "Cancel", key_display="esc", id="choose.cancel"),
        Binding("j", "move(1)", "Down", show=False, id="choose.down"),
        Binding("k", "move(-1)", "Up", show=False, id="choose.up"),
    ]

    def __init__(self, title: str, words: str, choices: Sequence[tuple[str, str]], chosen: str = "") -> None:
        super().__init__()
        self._title, self._words = title, words
        self._choices, self._chosen = tuple(choices), chosen

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="form") as form:
            form.border_title = self._title
            yield Static(Content(block(self._words)), classes="note")
            yield OptionList(*(Option(plain(words)) for _, words in self._choices), compact=True)

    def on_mount(self) -> None:
        names = [name for name, _ in self._choices]
        self.query_one(OptionList).highlighted = names.index(self._chosen) if self._chosen in names else 0

    @on(OptionList.OptionSelected)
    def _done(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._choices[event.option_index][0])

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        options = self.query_one(OptionList)
        if by > 0:
            options.action_cursor_down()
        else:
            options.action_cursor_up()

    def action_cancel(self) -> None:
        """Give nothing."""
        self.dismiss(None)


@dataclass(frozen=True)
class SaveOrder:
    """How to save.

    Attributes:
        path: also write it there, "" for nowhere.
        force: the user knows that the engine would refuse it.
        then: "stay", "open" or "leave".
    """

    name: str
    path: str
    force: bool
    then: str


class SaveScreen(ModalScreen[SaveOrder | None]):
    """Shows what would change, and asks how to save it."""

    AUTO_FOCUS = "#save-name"
    CSS_PATH: ClassVar[list[str | PurePath]] = ["../forms.tcss", "save.tcss"]
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel", id="save.cancel")]
    HELP = """
    The original stays as it is: the edited pause is kept as a new file of the store, with its list of
    edits, and can be opened, resumed, compared and exported by its id.
    """

    def __init__(self, name: str, kernel: str, lines: Sequence[str], refused: Sequence[str]) -> None:
        super().__init__()
        self._called, self._kernel = name, kernel
        self._lines, self._refused = tuple(lines), tuple(refused)

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="form") as form:
            form.border_title = "Save the edited pause"
            if self._refused:
                words = "\n".join(f"✗ {block(each, 400)}" for each in self._refused[:6])
                more = f"\n… and {len(self._refused) - 6} more" if len(self._refused) > 6 else ""
                yield Static(Content(f"{self._kernel} would refuse it:\n{words}{more}"), id="save-refused")
            with VerticalScroll(id="save-diff"):
                shown = "\n".join(one_line(line, 2_000) for line in self._lines[:LINES])
                left = len(self._lines) - LINES
                yield Static(Content(shown + (f"\n… {left:,} lines more" if left > 0 else "")))
            yield Label("Name of this list of edits (optional)")
            yield CleanInput(
                self._called, placeholder="for example: approve at once", id="save-name", compact=True
            )
            yield Label("Write it to a file, too (optional; nothing is masked in it)")
            yield CleanInput("", placeholder="edited.json", id="save-path", classes="last", compact=True)
            with Horizontal(id="buttons"):
                word = "Keep anyway" if self._refused else "Save"
                style = "error" if self._refused else "primary"
                yield Button(word, variant=style, id="save-leave", compact=True)  # type: ignore[arg-type]
                yield Button("… and debug it", id="save-open", compact=True)
                yield Button("… and edit on", id="save-stay", compact=True)
                yield Button("Cancel", id="cancel", compact=True)

    @on(Input.Submitted)
    def _entered(self) -> None:
        self.query_one("#save-leave", Button).focus()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        name = str(event.button.id)
        if name == "cancel":
            self.dismiss(None)
            return
        self.dismiss(
            SaveOrder(
                self.query_one("#save-name", Input).value.strip(),
                self.query_one("#save-path", Input).value.strip(),
                bool(self._refused),
                name.removeprefix("save-"),
            )
        )

    def action_cancel(self) -> None:
        """Keep nothing yet."""
        self.dismiss(None)
