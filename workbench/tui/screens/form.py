"""What all forms share: a form stays until what it asked for has begun, and keeps what was typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from workbench.tui import failures
from workbench.tui.text import plain

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


class FormScreen[Result](ModalScreen[Result | None]):
    """A form over the screen, with a `Static(id="form-problem")` for errors."""

    app: WorkbenchApp
    CSS_PATH = "forms.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel", id="form.cancel")]

    def working(self, words: str) -> None:
        """Say what is being done; the form waits for it."""
        self._say(Content.styled(words, "italic $text-muted"), error=False)
        self._enable(False)

    def not_done(self, error: BaseException) -> None:
        """Show an error in the form; what was typed stays."""
        self._say(failures.content(failures.told(error, self.app.desk.ctx.home)), error=True)
        self._enable(True)

    def advise(self, words: str) -> None:
        """Say what is missing."""
        self._say(plain(words), error=True)

    def quiet(self) -> None:
        """Nothing to say."""
        self.query_one("#form-problem").display = False
        self._enable(True)

    def _say(self, words: Content, *, error: bool) -> None:
        problem = self.query_one("#form-problem", Static)
        problem.update(words)
        problem.set_class(not error, "-working")
        problem.display = True
        problem.scroll_visible(animate=False)

    def _enable(self, on: bool) -> None:
        for button in self.query("Button.-starts").results(Button):
            button.disabled = not on

    def action_cancel(self) -> None:
        """Leave the form; nothing is done."""
        self.dismiss(None)
