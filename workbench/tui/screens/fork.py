"""The fork form: go on from a step as a new run, with what shall be different."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Input, Label, Select, Static, TextArea

from workbench.core.forking import boundary_at
from workbench.tui.desk import ForkOrder
from workbench.tui.screens.form import FormScreen
from workbench.tui.text import block, clip, one_line, option, plain, value_text

if TYPE_CHECKING:
    from workbench.core.secrets import Mask
    from workbench.tui.desk import Opened
    from workbench.views.journey import Journey

_GATES = (
    ("Gate restored: it goes on where it was at this step", "restored"),
    ("Gate fresh: what was before is forgotten, as in Dify 1.15", "fresh"),
    ("Gate healed: rebuilt, so that it streams what is still owed", "healed"),
)
_WAIT = "(wait again)"


class ChangeRow(Vertical):
    """One variable that gets another value."""

    def __init__(self, target: str, words: str, value: str) -> None:
        super().__init__(classes="change")
        self.target, self._words, self._value = target, words, value

    def compose(self) -> ComposeResult:
        with Horizontal(classes="row"):
            yield Label(plain(self._words, 70))
            yield Button("Keep as it was", classes="drop", compact=True)
        yield TextArea(self._value, compact=True)

    @property
    def value(self) -> str:
        """What was typed."""
        return self.query_one(TextArea).text


class ForkScreen(FormScreen[None]):
    """Forks a run; stays until the fork has begun.

    Args:
        breakpoints: nodes before which the fork pauses.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r,f5", "go", "Fork", id="fork.go"),
    ]
    HELP = """
    A fork is a new run that goes on from this step; what ran before is not run again, and the
    original stays as it is. Change what shall be different: variables, script, app, engine, gate.

    As Dify V   chooses engine and gate as that Dify would; leave both alone then
    tab, shift+tab   next, previous field        esc   leave
    """

    def __init__(self, opened: Opened, journey: Journey, mask: Mask, breakpoints: Sequence[str]) -> None:
        super().__init__()
        self._opened, self._journey, self._mask = opened, journey, mask
        self._step = journey.step
        self._breakpoints = tuple(breakpoints)

    def compose(self) -> ComposeResult:
        run = self._opened.loaded.run
        with VerticalScroll(id="form") as form:
            form.border_title = plain(f"Fork {run.app}", 70)
            yield Label(f"From step (0 to {self._journey.steps})")
            yield Input(str(self._step), type="integer", id="step", compact=True)
            yield Static(id="place", classes="note")
            yield Label("Change a variable")
            yield Select(self._variables(), prompt="Choose a variable to change", id="variable", compact=True)
            yield Vertical(id="changes")
            yield Vertical(id="waiting")
            yield Label(
                "Script: what models, tools and people answer from here on (a file; empty: as before)"
            )
            yield Input(placeholder="script.yml", id="script", compact=True)
            yield Label("Another version of the app (a file or an id; empty: the same)")
            yield Input(placeholder="app.yml", id="app", compact=True)
            yield Label("Engine")
            kernels = self.app.desk.kernels()
            yield Select(
                [(option(f"Engine {name}"), name) for name in kernels],
                prompt=f"Engine {run.kernel}, as the run",
                id="kernel",
                compact=True,
            )
            yield Label("Gate")
            yield Select(
                [(option(words), name) for words, name in _GATES],
                prompt="Gate restored: it goes on where it was",
                id="gate-choice",
                compact=True,
            )
            yield Label("As Dify V would go on (instead of engine and gate)")
            yield Input(placeholder="for example 1.15.0, or main", id="dify", compact=True)
            if self._breakpoints:
                yield Static(plain("Pauses before: " + ", ".join(self._breakpoints)), classes="note")
            yield Static(id="form-problem", classes="last")
            with Horizontal(id="buttons"):
                yield Button("Fork", variant="primary", id="go", compact=True, classes="-starts")
                yield Button("Cancel", id="cancel", compact=True)

    async def on_mount(self) -> None:
        self.quiet()
        self.query_one("#step").focus()
        await self._show_place()

    # the step ------------------------------------------------------------------

    def _values(self) -> Mapping[str, Mapping[str, Any]]:
        values: Mapping[str, Mapping[str, Any]] = self._journey.timeline.at(self._step).variables
        return values

    def _variables(self) -> list[tuple[Text, str]]:
        shown = self._mask.variables(self._values())
        titles = {node.id: node.title or node.id for node in self._journey.graph.nodes.values()}
        return [
            (option(f"{titles.get(node, node)}.{name} = {clip(value_text(value), 40)}", 90), f"{node}.{name}")
            for node, values in shown.items()
            for name, value in values.items()
        ]

    @on(Input.Changed, "#step")
    async def _other_step(self, event: Input.Changed) -> None:
        if not event.value.strip().isdecimal() or not 0 <= int(event.value) <= self._journey.steps:
            self._say_place(f"There is no step {one_line(event.value, 20)}.")
            return
        self._step = int(event.value)
        self.query_one("#variable", Select).set_options(self._variables())
        await self._show_place()

    def _say_place(self, words: str) -> None:
        self.query_one("#place", Static).update(plain(words))

    async def _show_place(self) -> None:
        """Say where a fork at this step really starts, and ask for the form that waits there."""
        place = boundary_at(self._opened.loaded.timeline, max(1, self._step))
        waiting = self.query_one("#waiting", Vertical)
        await waiting.remove_children()
        if place is None:
            self._say_place("Nothing can be forked here: no node had ended.")
            return
        titles = {node.id: node.title or node.id for node in self._journey.graph.nodes.values()}
        ready = ", ".join(clip(titles.get(n, n), 30) for n in place.ready) or "nothing, all nodes have ended"
        pause = next((p for p in self._opened.pauses if p.step == self._step), None)
        at = self._step if pause is not None else place.step
        words = f"Goes on from the state after step {at}"
        if at != self._step:
            words += ", the last place between two nodes"
        self._say_place(f"{words}. Next: {ready}.")
        form = self._form()
        if form is not None:
            await waiting.mount_all(self._ask(form))

    def _form(self) -> Mapping[str, Any] | None:
        """The form that waits at this step's pause, the first of several."""
        pause = next((p for p in self._opened.pauses if p.step == self._step), None)
        reasons = () if pause is None else pause.reasons
        return next((r for r in reasons if r.get("type") == "human_input_required"), None)

    def _ask(self, form: Mapping[str, Any]) -> list[Any]:
        title = one_line(str(form.get("node_title") or form.get("node_id")), 60)
        actions = [str(action.get("id")) for action in form.get("actions") or ()]
        names = {str(a.get("id")): str(a.get("title") or a.get("id")) for a in form.get("actions") or ()}
        widgets: list[Any] = [
            Label(plain(f"The form “{title}” waits there")),
            Select([(option(names[a]), a) for a in actions], prompt=_WAIT, id="action", compact=True),
        ]
        for at, field in enumerate(form.get("fields") or ()):
            default = field.get("default")
            widgets.append(Label(plain(f"{field.get('name')}  ({field.get('type', 'text')})", 70)))
            shown = "" if default is None else one_line(value_text(default))
            widgets.append(Input(shown, id=f"field-{at}", compact=True))
        return widgets

    # variables -----------------------------------------------------------------

    @on(Select.Changed, "#variable")
    async def _variable_chosen(self, event: Select.Changed) -> None:
        if not isinstance(event.value, str):
            return
        target = event.value
        event.select.clear()
        if any(row.target == target for row in self.query(ChangeRow)):
            return
        node, _, name = target.partition(".")
        value = self._values().get(node, {}).get(name)
        masked = self._mask.variables({node: {name: value}})[node][name]
        shown = "" if masked != value else value if isinstance(value, str) else _json(value)
        clean = block(shown)
        words = (
            target if clean == shown else f"{target}  (its signs that no screen can show are replaced here)"
        )
        row = ChangeRow(target, words, clean)
        await self.query_one("#changes").mount(row)
        row.query_one(TextArea).focus()

    @on(Button.Pressed, ".drop")
    async def _keep(self, event: Button.Pressed) -> None:
        row = event.button.query_ancestor(ChangeRow)
        await row.remove()

    # done ------------------------------------------------------------------------

    @on(Button.Pressed, "#go")
    def action_go(self) -> None:
        """Fork the run."""
        if self.query_one("#go", Button).disabled:
            return
        self.app.fork_run(self._order(), self)

    def _order(self) -> ForkOrder:
        text = {each: self.query_one(f"#{each}", Input).value.strip() or None for each in _TEXTS}
        form = self._form()
        action = self.query("#action").results(Select)
        chosen = next((s.value for s in action if isinstance(s.value, str)), None)
        fields: dict[str, Any] = {}
        for at, field in enumerate((form or {}).get("fields") or ()):
            typed, default = self.query_one(f"#field-{at}", Input).value, field.get("default")
            if chosen is not None and (default is None or typed != one_line(value_text(default))):
                fields[str(field["name"])] = typed
        return ForkOrder(
            run_id=self._opened.loaded.run.run_id,
            step=self._step,
            variables={row.target: row.value for row in self.query(ChangeRow)},
            script=_path(text["script"]),
            app=_path(text["app"]),
            kernel=_chosen(self.query_one("#kernel", Select)),
            gate=_chosen(self.query_one("#gate-choice", Select)),
            dify=text["dify"],
            action=chosen,
            node=str(form["node_id"]) if form and chosen is not None else None,
            fields=fields,
            break_before=self._breakpoints,
        )

    @on(Button.Pressed, "#cancel")
    def _cancel(self) -> None:
        self.action_cancel()


_TEXTS = ("script", "app", "dify")


def _chosen(select: Select[Any]) -> str | None:
    return select.value if isinstance(select.value, str) else None


def _path(text: str | None) -> str | None:
    return None if text is None else str(Path(text).expanduser())


def _json(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, default=str)
