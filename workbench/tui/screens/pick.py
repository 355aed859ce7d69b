"""Asks for another run, step or saved state, found by typing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Static

from workbench.tui.screens.form import FormScreen
from workbench.tui.text import clip, plain
from workbench.tui.widgets.lines import Cell, LineView

if TYPE_CHECKING:
    from workbench.store.rows import RunRow

DELAY = 0.08
"""Seconds without a key before the store is searched."""


def _draw(row: RunRow, width: int) -> Sequence[Cell]:
    words = f"{row.app}  {row.status}  {row.steps} steps  {row.kernel}  "
    fork = "⑂ " if row.forked_from else "  "
    return [(fork, "dim"), (clip(words + row.run_id, max(8, width - 2)), "")]


class PickScreen(FormScreen[str]):
    """Gives a run id, or what was typed (`RUN@7`, a file, an id), or None.

    Args:
        own: the run that is not offered.
        first: the run that stands first, the one this was forked from.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("down", "list", "To the list", id="pick.list")]
    HELP = """
    Type to find a run by app, id, input or output; enter takes the first one. What is no run's name is
    taken as it is: RUN@7 for a step, the path of a saved pause, the id of an imported file.

    down         into the list         enter, click   take it
    """

    def __init__(self, title: str, own: str, first: str | None = None) -> None:
        super().__init__()
        self._title, self._own, self._first = title, own, first

    def compose(self) -> ComposeResult:
        with Vertical(id="form", classes="-pick") as form:
            form.border_title = plain(self._title, 70)
            yield Input(placeholder="type to search; or RUN@STEP, a file, an id", id="wanted", compact=True)
            yield LineView["RunRow"](_draw, empty="Looking for runs …", id="run-list")
            yield Static(id="form-problem")
            with Horizontal(id="buttons"):
                yield Button("Compare", variant="primary", id="ok", compact=True)
                yield Button("Cancel", id="cancel", compact=True)

    def on_mount(self) -> None:
        self.quiet()
        self.query_one("#wanted").focus()
        self._search()

    @on(Input.Changed)
    def _typed(self) -> None:
        self.set_timer(DELAY, self._search)

    @work(thread=True, exclusive=True, group="pick", exit_on_error=False)
    def _search(self) -> None:
        words = self.query_one(Input).value.strip()
        try:
            rows = self.app.desk.runs(words.partition("@")[0], None)
        except Exception as error:
            self.app.hand_over(self.not_done, error)
        else:
            self.app.hand_over(self._show, words, rows)

    def _show(self, words: str, rows: Sequence[RunRow]) -> None:
        if words != self.query_one(Input).value.strip():
            return
        self.quiet()
        shown = sorted((r for r in rows if r.run_id != self._own), key=lambda r: r.run_id != self._first)
        view = self.query_one("#run-list", LineView)
        view.empty = "No run fits; enter takes what is typed as a step, a file or an id."
        view.set_rows(shown, 0)

    def action_list(self) -> None:
        """Into the list."""
        self.query_one("#run-list").focus()

    @on(LineView.Chosen)
    def _chosen(self, event: LineView.Chosen) -> None:
        self.dismiss(event.view.rows[event.index].run_id)

    @on(Input.Submitted)
    @on(Button.Pressed, "#ok")
    def _done(self) -> None:
        words = self.query_one(Input).value.strip()
        row = self.query_one("#run-list", LineView).row
        name, at, step = words.partition("@")
        if at and row is not None and row.run_id.startswith(name):
            self.dismiss(f"{row.run_id}@{step}")
        elif row is not None and not at and "/" not in words:
            self.dismiss(row.run_id)
        elif words:
            self.dismiss(words)
        else:
            self.advise("There is no other run yet. Type a file or an id.")

    @on(Button.Pressed, "#cancel")
    def _cancel(self) -> None:
        self.action_cancel()
