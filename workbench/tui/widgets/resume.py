"""The form of a pause: what it asks, its fields and actions, and how the run shall go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, Input, Label, Select, Static

from workbench.tui.desk import ResumeOrder
from workbench.tui.text import block, one_line, option, plain, value_text
from workbench.views.forms import form_text

TIMEOUT = "__timeout"
_GATES = (
    ("Gate restored: it remembers the edges taken before the pause", "restored"),
    ("Gate fresh: as Dify 1.15 does, everything before the pause is forgotten", "fresh"),
    ("Gate healed: rebuilt, so that it streams what is still owed", "healed"),
)


@dataclass(frozen=True)
class PauseForm:
    """A pause as the form shows it.

    Attributes:
        consumed: it was resumed before, so resuming it makes a fork.
        gate_saved: whether there is a gate to restore.
    """

    pause_id: str
    reasons: tuple[Mapping[str, Any], ...]
    consumed: bool
    gate_saved: bool
    kernel: str


class ActionButton(Button):
    """Submits the form with one of its actions."""

    def __init__(self, action: str | None, label: str, style: str) -> None:
        variant = {"primary": "primary", "accent": "warning"}.get(style, "default")
        super().__init__(plain(label, 60), variant=variant, compact=True)  # type: ignore[arg-type]
        self.action_id = action


class ResumePanel(VerticalScroll, can_focus=True):
    """Resumes a pause."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False, id="resume.down"),
        Binding("k", "scroll_up", "Up", show=False, id="resume.up"),
    ]
    HELP = """
    The form that the run waits for. Fill in the fields, choose how the gate goes on, and press an
    action's button: the run continues on the real engine.

    Gate restored   the stream gate goes on where it was: what should stream does
    Gate fresh      as Dify 1.15 resumes: edges taken before the pause are forgotten, and the Answer
                    behind them stays silent, or an earlier one is shown twice
    Gate healed     rebuilt from the runtime state: streams what the user has not got yet

    A pause that was resumed before makes a fork: a new run, the old one is kept.

    tab, shift+tab   next, previous field        enter   press the button
    """

    class Submitted(Message):
        """The user resumes."""

        def __init__(self, order: ResumeOrder) -> None:
            super().__init__()
            self.order = order

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._form: PauseForm | None = None
        self._note = "This run does not wait for anything."
        self._node: str | None = None
        self._kernels: Sequence[str] = ()

    async def show(self, form: PauseForm | None, note: str, kernels: Sequence[str]) -> None:
        """Show another pause, or why there is none."""
        if form == self._form and note == self._note and self._kernels == tuple(kernels):
            return
        self._form, self._note, self._kernels = form, note, tuple(kernels)
        forms = self._forms()
        self._node = next(iter(forms), None)
        await self.recompose()

    def choose_gate(self, mode: str) -> None:
        """Choose how the gate goes on."""
        for choice in self.query("#gate-choice").results(Select):
            choice.value = mode

    def _forms(self) -> dict[str, Mapping[str, Any]]:
        reasons = self._form.reasons if self._form else ()
        return {str(r["node_id"]): r for r in reasons if r.get("type") == "human_input_required"}

    def compose(self) -> ComposeResult:
        if self._form is None:
            yield Static(plain(self._note), classes="note")
            return
        if self._note:
            yield Static(plain(self._note), classes="note")
        if self._form.consumed:
            yield Static(
                Content("This pause was resumed before: resuming it again makes a fork, a new run."),
                classes="warning",
            )
        forms = self._forms()
        if len(forms) > 1:
            yield Label("Several forms wait; answer one:")
            options = [(option(str(r.get("node_title") or n)), n) for n, r in forms.items()]
            yield Select(options, value=self._node, allow_blank=False, id="which-form", compact=True)
        with Vertical(id="form-body"):
            yield from self._body(forms.get(self._node or ""))

    def _body(self, form: Mapping[str, Any] | None) -> ComposeResult:
        assert self._form is not None
        if form is None:
            told = (str(r.get("message") or r.get("type") or "") for r in self._form.reasons)
            words = " ".join(told).rstrip(". ")
            yield Static(Content(f"The run stopped here: {one_line(words)}. Nothing is asked."))
        else:
            yield Static(Content(block(form_text(form.get("content")))), classes="form-content")
            for at, field in enumerate(form.get("fields") or ()):
                yield Label(plain(str(field.get("name", ""))))
                yield self._input(at, field)
        with Horizontal(id="form-actions"):
            for action in (form or {}).get("actions") or ():
                yield ActionButton(
                    str(action.get("id")),
                    str(action.get("title") or action.get("id")),
                    str(action.get("style") or ""),
                )
            if form is not None:
                yield ActionButton(TIMEOUT, "Let it time out", "")
            else:
                yield ActionButton(None, "Continue", "primary")
        gates = _GATES if self._form.gate_saved else _GATES[1:]
        yield Select(
            [(option(words), name) for words, name in gates],
            value=gates[0][1],
            allow_blank=False,
            id="gate-choice",
            compact=True,
        )
        newer = [k for k in self._kernels if k >= self._form.kernel] or [self._form.kernel]
        yield Select(
            [(option(f"Engine {name}"), name) for name in newer],
            value=self._form.kernel if self._form.kernel in newer else newer[0],
            allow_blank=False,
            id="kernel-choice",
            compact=True,
        )

    def _input(self, at: int, field: Mapping[str, Any]) -> Input | Select[str]:
        default = field.get("default")
        if field.get("type") == "select" and field.get("options"):
            options = [str(o) for o in field["options"]]
            value = str(default) if str(default) in options else options[0]
            return Select(
                [(option(o), o) for o in options],
                value=value,
                allow_blank=False,
                id=f"field-{at}",
                compact=True,
            )
        return Input(
            one_line(value_text(default)) if default is not None else "",
            placeholder=one_line(str(field.get("type", "text"))),
            id=f"field-{at}",
            compact=True,
        )

    async def on_select_changed(self, event: Select.Changed) -> None:
        if event.select.id == "which-form" and isinstance(event.value, str) and event.value != self._node:
            self._node = event.value
            await self.recompose()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if isinstance(event.button, ActionButton) and self._form is not None:
            event.stop()
            self.post_message(self.Submitted(self._order(event.button.action_id)))

    def _order(self, action: str | None) -> ResumeOrder:
        assert self._form is not None
        form = self._forms().get(self._node or "")
        fields: dict[str, Any] = {}
        for at, field in enumerate((form or {}).get("fields") or ()):
            widget = self.query_one(f"#field-{at}", Input | Select)  # type: ignore[arg-type]
            default = field.get("default")
            shown = str(default) if isinstance(widget, Select) else one_line(value_text(default))
            # What the user left as it was is not given: the verb takes the default, whatever its type is.
            if default is None or widget.value != shown:
                fields[str(field["name"])] = widget.value
        return ResumeOrder(
            self._form.pause_id,
            self._node,
            action,
            fields if action != TIMEOUT else {},
            str(self.query_one("#gate-choice", Select).value),
            str(self.query_one("#kernel-choice", Select).value),
        )
