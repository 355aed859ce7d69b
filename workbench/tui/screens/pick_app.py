"""Asks which app a saved pause belongs to: those that fit it first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Button, Input, Label, Static

from workbench.tui.screens.form import FormScreen
from workbench.tui.text import clip, one_line, plain
from workbench.tui.widgets.lines import Cell, LineView

Choice = tuple[str, str, bool]
"""Id or path, name, and whether the saved pause can be of it."""


def _draw(choice: Choice, width: int) -> Sequence[Cell]:
    target, name, fits = choice
    return [("✓ fits " if fits else "       ", "good"), (clip(f"{name}  {target}", max(8, width - 8)), "")]


class PickAppScreen(FormScreen[str]):
    """Gives an app's id or path, or None.

    Args:
        name: the saved pause.
        fitting: (name, id) of the imported apps that fit it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "path", "Type a path", key_display="/", id="pick_app.path"),
    ]
    HELP = """
    A saved pause holds no graph: titles, edges and templates are in the app that was paused. Apps
    that fit the pause stand first; or give the path of an exported app.

    j k          move              enter, click   take this app
    /            type a path       esc            leave
    """

    def __init__(self, name: str, fitting: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._name, self._fitting = name, tuple(fitting)

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="form") as form:
            form.border_title = "Which app was paused?"
            yield Static(
                plain(f"{one_line(self._name, 80)} holds no graph: nodes and edges are in its app."),
                classes="note",
            )
            yield LineView[Choice](_draw, empty="Looking for apps …", id="app-list")
            yield Label("or the path of an exported app (YAML)")
            yield Input(placeholder="my-app.yml", id="path", compact=True)
            yield Static(id="form-problem", classes="last")
            with Horizontal(id="buttons"):
                yield Button("Open", variant="primary", id="ok", compact=True, classes="-starts")
                yield Button("Cancel", id="cancel", compact=True)

    def on_mount(self) -> None:
        self.quiet()
        self.query_one("#app-list").focus()
        self._list()

    @work(thread=True, group="apps", exit_on_error=False)
    def _list(self) -> None:
        try:
            choices = self.app.desk.choices()
        except Exception as error:
            self.app.hand_over(self.not_done, error)
        else:
            self.app.hand_over(self._listed, choices)

    def _listed(self, choices: Sequence[tuple[str, str]]) -> None:
        fitting = {app_id for _, app_id in self._fitting}
        rows = [(app_id, name, True) for name, app_id in self._fitting]
        rows += [(target, name, False) for target, name in choices if target not in fitting]
        view = self.query_one("#app-list", LineView)
        view.empty = "No app is imported yet: give the path of one."
        view.set_rows(rows, 0)

    def action_path(self) -> None:
        """Type the path of an app."""
        self.query_one("#path").focus()

    @on(LineView.Chosen)
    def _chosen(self, event: LineView.Chosen) -> None:
        self._read(event.view.rows[event.index][0])

    @on(Input.Submitted)
    @on(Button.Pressed, "#ok")
    def _done(self) -> None:
        path = self.query_one("#path", Input).value.strip()
        row = self.query_one("#app-list", LineView).row
        if path:
            self._read(str(Path(path).expanduser()))
        elif row is not None:
            self._read(row[0])

    def _read(self, target: str) -> None:
        self.working("Reading the app …")
        self._check(target)

    @work(thread=True, exclusive=True, group="read-app", exit_on_error=False)
    def _check(self, target: str) -> None:
        try:
            self.app.desk.app(target)
        except Exception as error:
            self.app.hand_over(self.not_done, error)
        else:
            self.app.hand_over(self.dismiss, target)

    @on(Button.Pressed, "#cancel")
    def _cancel(self) -> None:
        self.action_cancel()
