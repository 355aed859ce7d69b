"""Pages over the screen: help, a value, an explanation, the import form."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Static

from workbench.tui.text import block, plain

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


class PageScreen(ModalScreen[None]):
    """A text to read. `text` is shown as it is; `markdown` is for pages of our own, never for text from
    outside.
    """

    app: WorkbenchApp
    CSS_PATH = "forms.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,question_mark", "close", "Close", key_display="esc", id="page.close"),
        Binding("j", "scroll(1)", "Down", show=False, id="page.down"),
        Binding("k", "scroll(-1)", "Up", show=False, id="page.up"),
        Binding("y", "copy", "Copy", id="page.copy"),
    ]

    def __init__(self, title: str, text: Content | str, *, markdown: bool = False) -> None:
        super().__init__()
        self._title, self._markdown = title, markdown
        self._text = text if isinstance(text, Content) else Content(text)

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="page") as page:
            page.border_title = plain(self._title, 80)
            page.border_subtitle = "esc closes · y copies"
            if self._markdown:
                from textual.widgets import Markdown

                yield Markdown(self._text.plain)
            else:
                yield Static(self._text)

    def action_close(self) -> None:
        """Back to the screen below."""
        self.dismiss(None)

    def action_scroll(self, by: int) -> None:
        """Scroll the page."""
        self.query_one("#page").scroll_relative(y=by, animate=False)

    def action_copy(self) -> None:
        """Copy the text."""
        self.app.copy_to_clipboard(self._text.plain)
        self.app.tell("Copied.")


def value_page(title: str, value: Any) -> PageScreen:
    """A whole value; JSON is laid out."""
    import json

    if isinstance(value, str):
        text = value
    else:
        try:
            text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
        except (TypeError, ValueError, RecursionError):
            text = str(value)
    return PageScreen(title, block(text))


def help_text(pages: list[str], keys: list[tuple[str, str]]) -> Content:
    """The help of the panels in focus, then every key that works now."""
    pieces: list[str | tuple[str, str]] = []
    for page in pages:
        pieces.append(dedent(page).strip("\n") + "\n\n")
    pieces.append(("Keys that work here\n", "bold $text-primary"))
    wide = max((len(k) for k, _ in keys), default=0)
    for key, what in keys:
        pieces += [(f"  {key:<{wide}}  ", "bold $text-accent"), f"{what}\n"]
    return Content.assemble(*pieces)


class AskScreen(ModalScreen[str | None]):
    """Asks for one line of text; gives it, or None."""

    AUTO_FOCUS = "Input"
    CSS_PATH = "forms.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel", id="ask.cancel")]

    def __init__(self, title: str, value: str) -> None:
        super().__init__()
        self._title, self._value = title, value

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="form") as form:
            form.border_title = plain(self._title, 80)
            yield Input(self._value, id="asked", classes="last", compact=True)
            with Horizontal(id="buttons"):
                yield Button("OK", variant="primary", id="ok", compact=True)
                yield Button("Cancel", id="cancel", compact=True)

    @on(Input.Submitted)
    @on(Button.Pressed, "#ok")
    def _done(self) -> None:
        self.dismiss(self.query_one(Input).value.strip() or None)

    @on(Button.Pressed, "#cancel")
    def action_cancel(self) -> None:
        """Give nothing."""
        self.dismiss(None)


class ImportScreen(ModalScreen[tuple[str, ...]]):
    """Asks for files; gives their paths."""

    AUTO_FOCUS = "Input"
    CSS_PATH = "forms.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel", id="import.cancel")]

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="form") as form:
            form.border_title = "Import a file or a folder"
            yield Label(
                "An exported app, a saved pause, a recording, or a folder: what it is, is told by its content"
            )
            yield Input(
                placeholder="path of a file or a folder", id="import-path", classes="last", compact=True
            )
            with Horizontal(id="buttons"):
                yield Button("Import", variant="primary", id="ok", compact=True)
                yield Button("Cancel", id="cancel", compact=True)

    @on(Input.Submitted)
    @on(Button.Pressed, "#ok")
    def _done(self) -> None:
        path = self.query_one(Input).value.strip()
        self.dismiss((path,) if path else ())

    @on(Button.Pressed, "#cancel")
    def action_cancel(self) -> None:
        """Import nothing."""
        self.dismiss(())
