"""The form that starts a run: which app, what is asked, with which inputs, script and engine kernel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Checkbox, Input, Label, Select, Static, TextArea

from workbench.errors import UsageError
from workbench.tui.desk import StartOrder
from workbench.tui.screens.form import FormScreen
from workbench.tui.screens.start_fields import (
    environment_widgets,
    limit,
    names,
    problem_of,
    value_of,
    widget_of,
)
from workbench.tui.text import option, plain

if TYPE_CHECKING:
    from workbench.records.app import App

ALL = "all"
"""Instead of a kernel: one run on each."""


class StartScreen(FormScreen[StartOrder]):
    """Starts a run; the form stays until it began, and keeps what was typed when it can't.

    Args:
        script: the text of a script, written before.
    """

    HELP = """
    Everything that a run needs. Models, tools and people answer by the script; what it does not say is
    made up, the same every time.

    A conversation makes the run its next turn: nodes with memory read what was said before.
    """

    def __init__(self, app_id: str | None, breakpoints: Sequence[str] = (), script: str = "") -> None:
        super().__init__()
        self._script = script
        self._app_id = app_id
        self._breakpoints = tuple(breakpoints)
        self._found: App | None = None
        self._target: Path | str | None = None

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="form") as form:
            form.border_title = "Start a run"
            yield Label("App")
            yield Select[str]([], prompt="Looking for apps …", id="app-choice", compact=True)
            yield Label("or the path of an exported app (YAML)")
            yield Input(placeholder="my-app.yml", id="path", compact=True)
            yield Static(id="app-note", classes="note")
            yield Vertical(id="inputs")
            yield Label("Script: what models, tools and people answer (optional, YAML)")
            with Horizontal(classes="row"):
                yield Input(placeholder="script.yml", id="script", compact=True)
                yield Button("Write it …", id="write", compact=True)
            yield Static(id="script-note", classes="note")
            yield Label("Conversation: a run of it, a file of message rows, or a name (optional)")
            yield Input(placeholder="its next turn is run", id="conversation", compact=True)
            yield Label("Engine kernel")
            yield Select[str]([], prompt=self.app.desk.ctx.kernel, id="kernel", compact=True)
            yield Label("Pause before these nodes (ids, optional)")
            yield Input(", ".join(self._breakpoints), id="break-before", compact=True)
            yield Label("End the run after so many events, and after so many seconds (optional)")
            with Horizontal(classes="row last"):
                yield Input(placeholder="events", id="max-steps", compact=True)
                yield Input(placeholder="seconds", id="max-seconds", compact=True)
            yield Static(id="form-problem")
            with Horizontal(id="buttons"):
                yield Button("Start", variant="primary", id="start", compact=True, classes="-starts")
                yield Button("Cancel", id="cancel", compact=True)

    def on_mount(self) -> None:
        self.quiet()
        self._tell_script()
        self._list_apps()

    @work(thread=True, group="apps", exit_on_error=False)
    def _list_apps(self) -> None:
        try:
            apps, kernels = self.app.desk.choices(), self.app.desk.kernels()
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self.app.hand_over(self._listed, apps, kernels)

    def _listed(self, apps: Sequence[tuple[str, str]], kernels: Sequence[str]) -> None:
        choice: Select[str] = self.query_one("#app-choice", Select)
        choice.prompt = "Choose an app"
        choice.set_options([(option(name, 80), target) for target, name in apps])
        known = {target for target, _ in apps}
        if self._app_id in known:
            choice.value = self._app_id
        kernel: Select[str] = self.query_one("#kernel", Select)
        kernel.set_options([(option(name), name) for name in (*kernels, ALL)])
        choice.focus()

    @on(Select.Changed, "#app-choice")
    def _app_chosen(self, event: Select.Changed) -> None:
        if isinstance(event.value, str):
            self.query_one("#path", Input).value = ""
            self._read(event.value)

    @on(Input.Submitted, "#path")
    @on(Input.Blurred, "#path")
    def _path_given(self, event: Input.Submitted | Input.Blurred) -> None:
        if event.value.strip():
            self._read(Path(event.value.strip()).expanduser())

    @work(thread=True, exclusive=True, group="read-app", exit_on_error=False)
    def _read(self, target: Path | str) -> None:
        try:
            found = self.app.desk.app(target)
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self.app.hand_over(self._show_app, target, found)

    async def _show_app(self, target: Path | str, found: App) -> None:
        last = self._target, self._found
        self._target, self._found = target, found
        self.query_one("#form-problem").display = False
        notes = "; ".join(found.notes[:3])
        self.query_one("#app-note", Static).update(
            plain(f"{found.name}, {found.mode}" + (f". {notes}" if notes else ""))
        )
        if last[0] == target and last[1] and _asked(last[1]) == _asked(found):
            return  # Read again when its path loses the focus: what was typed meanwhile stays.
        inputs = self.query_one("#inputs", Vertical)
        query = next((old.value for old in inputs.query("#query").results(Input)), "Hello")
        focused = self.focused.id if self.focused in inputs.children and self.focused else None
        await inputs.remove_children()
        widgets: list[Any] = []
        if found.mode == "advanced-chat":
            widgets += [Label("Query: what the user says"), Input(query, id="query", compact=True)]
        for at, field in enumerate(found.inputs):
            widgets += [
                Label(plain(f"{field.label or field.name}{' *' if field.required else ''}  ({field.type})"))
            ]
            widgets += [widget_of(at, field), Static(id=f"problem-{at}", classes="note -problem")]
        await inputs.mount_all([*widgets, *environment_widgets(found.environment_variables)])
        for note in inputs.query(".-problem"):
            note.display = False
        for again in inputs.query(f"#{focused}" if focused else "#none"):
            again.focus()

    def _failed(self, error: Exception) -> None:
        self.not_done(error)

    # the script ------------------------------------------------------------------------

    @on(Button.Pressed, "#write")
    def _write(self) -> None:
        if self._target is None:
            self.advise("Choose an app first: the script is checked against it.")
        else:
            self.app.open_script(str(self._target), self._script, self._written)

    def _written(self, text: str | None) -> None:
        if text is not None:
            self._script = text
            self.query_one("#script", Input).value = ""
            self._tell_script()

    def _tell_script(self) -> None:
        note = self.query_one("#script-note", Static)
        lines = len(self._script.strip().splitlines())
        note.update(plain(f"A script of {lines} lines was written here; a file named above counts instead."))
        note.display = bool(lines)

    @on(Button.Pressed, "#start")
    def _start(self) -> None:
        path = self.query_one("#path", Input).value.strip()
        if path and self._target != Path(path).expanduser():
            self._read(Path(path).expanduser())
            self.advise("Reading the app; press Start again when its inputs are shown.")
            return
        if self._target is None or self._found is None:
            self.advise("Choose an app first.")
            return
        query = self.query("#query").first(Input).value if self._found.mode == "advanced-chat" else None
        given = {
            field.name: value
            for at, field in enumerate(self._found.inputs)
            if (value := self._value(at)) not in (None, "")
        }
        wrong = [at for at in range(len(self._found.inputs)) if self._check(at)]
        if wrong:
            self.query_one(f"#input-{wrong[0]}").focus()
            self.advise("An input does not fit its type; see below it.")
            return
        try:
            steps = limit(self.query_one("#max-steps", Input).value, "Events")
            seconds = limit(self.query_one("#max-seconds", Input).value, "Seconds")
        except UsageError as error:
            self.not_done(error)
            return
        kernel = self.query_one("#kernel", Select).value
        order = StartOrder(
            self._target,
            query,
            given,
            self.query_one("#script", Input).value.strip() or None,
            kernel if isinstance(kernel, str) else None,
            names(self.query_one("#break-before", Input).value),
            self._script if self._script.strip() else None,
            self.query_one("#conversation", Input).value.strip() or None,
            None if steps is None else max(1, int(steps)),
            seconds,
            {
                str(each["name"]): value
                for at, each in enumerate(self._found.environment_variables)
                if (value := self.query_one(f"#env-{at}", Input).value)
            },
        )
        self.app.start_run(order, self)

    def _value(self, at: int) -> Any:
        return value_of(self.query_one(f"#input-{at}"))

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(Select.Changed)
    @on(Checkbox.Changed)
    def _typed(self, event: Any) -> None:
        name = event.control.id or ""
        if name.startswith("input-"):
            self._check(int(name.removeprefix("input-")))

    def _check(self, at: int) -> str:
        """Tell below a field why it does not take what it holds."""
        told = self.query(f"#problem-{at}").results(Static)
        if self._found is None or at >= len(self._found.inputs):
            return ""
        words = problem_of(self._found.inputs[at], self.query_one(f"#input-{at}"))
        for note in told:
            note.update(plain(words, 300))
            note.display = bool(words)
        return words

    @on(Button.Pressed, "#cancel")
    def _cancel(self) -> None:
        self.action_cancel()


def _asked(app: App) -> tuple[Any, ...]:
    """What the form asks for this app."""
    return app.mode, app.inputs, [(each["name"], each["value_type"]) for each in app.environment_variables]
