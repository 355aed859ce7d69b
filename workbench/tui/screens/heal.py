"""The heal form: give a pause a gate that streams what is still owed, and say what that rests on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Input, Label, Select, Static, TextArea

from workbench.tui.desk import HealOrder
from workbench.tui.screens.form import FormScreen
from workbench.tui.text import block, option, plain
from workbench.views.secrets import Mask

if TYPE_CHECKING:
    from workbench.verbs.heal import HealResult

RESUME = "resume"
_EVIDENCE = (
    ("Its text, as the chat shows it (Dify: messages.answer)", "text"),
    ("A file with its text", "file"),
    ("A recording of the stream that the client received (SSE)", "capture"),
)
_HOW = {
    "kept": "Nothing had to be healed: the saved gate is right.",
    "converted": "The gate was found in Dify 1.14's response_coordinator and converted.",
    "rebuilt": "The gate was rebuilt from the runtime state.",
}


class HealScreen(FormScreen[Any]):
    """Heals a pause. Gives (file id, app id) of a kept healed pause, "resume" where the pause itself shall
    be resumed healed, or None.

    Args:
        target: a pause id, or a saved pause's file or id.
        saved: whether it is a saved pause; a run's own pause knows what was streamed.
        mask: hides secrets in the report.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+r,f5", "heal", "Heal", id="heal.go")]
    HELP = """
    A pause that was saved without a gate, or with one that waits for edges taken before it, stays
    silent when it is resumed. Healing writes the gate anew; nothing else of the pause changes.

    What the chat user has seen already is not streamed again: a run of the workbench knows it; for a
    saved pause give the message, or a recording of the stream. Without it the report tells its doubts.
    """

    def __init__(
        self, target: str, app: str | None = None, *, saved: bool = False, mask: Mask | None = None
    ) -> None:
        super().__init__()
        self._mask = mask or Mask()
        self._target, self._app, self._saved = target, app, saved
        self._result: HealResult | None = None
        self._healed_of: HealOrder | None = None

    def compose(self) -> ComposeResult:
        known = "Nothing is known of it" if self._saved else "As the run recorded it"
        with VerticalScroll(id="form") as form:
            form.border_title = plain(f"Heal {self._target}", 70)
            yield Label("The chat message as the user has it now")
            yield Select(
                [(option(words), name) for words, name in _EVIDENCE],
                prompt=known,
                id="evidence",
                compact=True,
            )
            yield Vertical(id="evidence-body")
            yield Label("The Dify that is to resume it (empty: the one that saved it)")
            yield Input(placeholder="for example 1.16.1, or main", id="dify", compact=True)
            yield Static(id="report")
            yield Vertical(id="after")
            yield Static(id="form-problem", classes="last")
            with Horizontal(id="buttons"):
                yield Button("Heal", variant="primary", id="heal", compact=True, classes="-starts")
                yield Button("Cancel", id="cancel", compact=True)

    def on_mount(self) -> None:
        self.quiet()
        self.query_one("#report").display = False
        self.query_one("#after").display = False
        self.query_one("#evidence").focus()

    @on(Select.Changed, "#evidence")
    async def _kind_chosen(self, event: Select.Changed) -> None:
        body = self.query_one("#evidence-body")
        await body.remove_children()
        if event.value == "text":
            await body.mount(TextArea(id="message", compact=True))
        elif isinstance(event.value, str):
            await body.mount(Input(placeholder="path", id="evidence-path", compact=True))

    def _order(self) -> HealOrder | None:
        kind = self.query_one("#evidence", Select).value
        message = file = capture = None
        if kind == "text":
            message = self.query_one("#message", TextArea).text
        elif isinstance(kind, str):
            typed = self.query_one("#evidence-path", Input).value.strip()
            if not typed:
                self.advise("Give the path of the file, or choose that nothing is known.")
                return None
            path = Path(typed).expanduser()
            file, capture = (path, None) if kind == "file" else (None, path)
        dify = self.query_one("#dify", Input).value.strip() or None
        return HealOrder(self._target, self._app, message, file, capture, dify)

    @on(Button.Pressed, "#heal")
    def action_heal(self) -> None:
        """Heal the pause and tell how."""
        order = self._order()
        if order is not None and not self.query_one("#heal", Button).disabled:
            self.working("Healing …")
            self._heal(order)

    @work(thread=True, exclusive=True, group="heal", exit_on_error=False)
    def _heal(self, order: HealOrder) -> None:
        try:
            result = self.app.desk.heal(order)
        except Exception as error:
            self.app.hand_over(self.not_done, error)
        else:
            self.app.hand_over(self._healed, order, result)

    async def _healed(self, order: HealOrder, result: HealResult) -> None:
        self.quiet()
        self._result, self._healed_of = result, order
        report = self.query_one("#report", Static)
        report.update(_report(result, self._mask))
        report.display = True
        after = self.query_one("#after")
        if not after.children:
            await after.mount(
                Label("Write the healed pause to a file (not masked: its variables are readable in it)"),
                Input(placeholder="healed.json", id="output", compact=True),
                Horizontal(
                    Button("Write file", id="write", compact=True, classes="-starts"),
                    Button("Resume healed", id="resume", variant="success", compact=True, classes="-starts"),
                    classes="row",
                ),
            )
        after.display = True
        self.query_one("#output").focus()
        after.scroll_visible(animate=False)

    @on(Button.Pressed, "#write")
    @on(Input.Submitted, "#output")
    def _write(self) -> None:
        typed = self.query_one("#output", Input).value.strip()
        if not typed:
            self.advise("Give the path of the file to write.")
            return
        assert self._result is not None
        try:
            path = Path(typed).expanduser()
            self.app.desk.write_healed(self._result, path)
        except Exception as error:
            self.not_done(error)
        else:
            self.quiet()
            self.app.tell(f"Written: {path}")

    @on(Button.Pressed, "#resume")
    def _resume(self) -> None:
        assert self._result is not None
        assert self._healed_of is not None
        order = self._healed_of
        own = order.message is None and order.message_file is None and order.capture is None
        if own and not self._saved:
            self.dismiss(RESUME)
            return
        self.working("Keeping the healed pause …")
        self._keep(self._result, order)

    @work(thread=True, exclusive=True, group="heal", exit_on_error=False)
    def _keep(self, result: HealResult, order: HealOrder) -> None:
        try:
            kept = self.app.desk.keep_healed(result, order)
        except Exception as error:
            self.app.hand_over(self.not_done, error)
        else:
            self.app.hand_over(self.dismiss, kept)

    @on(Button.Pressed, "#cancel")
    def _cancel(self) -> None:
        self.action_cancel()


def _report(result: HealResult, mask: Mask) -> Content:
    pieces: list[tuple[str, str] | str] = [
        (f"✓ {_HOW.get(result.how, result.how)}", "bold $text-success"),
        (f"  {result.kernel}\n", "$text-muted"),
    ]
    for text in result.evidence:
        pieces += [("from     ", "$text-muted"), f"{block(mask.text(text), 2_000)}\n"]
    pieces += [("shown    ", "$text-muted"), block(mask.text(result.shown), 2_000) or "nothing yet", "\n"]
    for text in result.doubts:
        pieces += [("doubt    ", "bold $text-warning"), f"{block(mask.text(text), 2_000)}\n"]
    for text in result.warnings:
        pieces += [("warning  ", "bold $text-error"), f"{block(mask.text(text), 2_000)}\n"]
    return Content.assemble(*pieces)
