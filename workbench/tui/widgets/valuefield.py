"""The field that a value is edited in: of the kind that fits it, checked while one types."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Button, Input, OptionList, Select, SelectionList, Static, TextArea
from textual.widgets.option_list import Option
from textual.widgets.selection_list import Selection

from workbench.core.edits import Given
from workbench.errors import BadInputError, UsageError
from workbench.tui.text import block, one_line, option, plain
from workbench.views.statefields import Field, given_of

ONE_LINE = 160
"""A longer text is edited in several lines."""


class CleanArea(TextArea):
    """A text area that takes nothing a terminal could act on."""

    async def _on_paste(self, event: events.Paste) -> None:
        await super()._on_paste(events.Paste(block(event.text, len(event.text))))
        event.stop()
        event.prevent_default()


class CleanInput(Input):
    """A one-line field that takes nothing a terminal could act on."""

    def __init__(self, value: str, **more: Any) -> None:
        # A value is changed more often than written anew: one letter must not replace it.
        super().__init__(value, select_on_focus=False, **more)

    def _on_paste(self, event: events.Paste) -> None:
        super()._on_paste(events.Paste(one_line(event.text, len(event.text))))
        event.stop()
        event.prevent_default()


class ValueField(Vertical):
    """Edits one value. It never keeps anything itself: it says what the user gave."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel", id="edit.cancel"),
        Binding("ctrl+s", "keep", "Keep", show=False, id="edit.keep"),
    ]
    HELP = """
    Edits one value. The line below says, while you type, what the edit does, what is wrong with it, and what
    the engine would refuse.

    enter        keep (in a text of several lines: tab to Keep, then enter; or ctrl+s)
    esc          leave it as it was
    tab          next field: type, value, Keep, Cancel

    A type other than the variable's own converts the variable. JSON is checked as it is typed.
    """

    class Changed(Message):
        """What is in the field now: a value, or why there is none."""

        def __init__(
            self, name: str, given: Given | None, error: UsageError | None, kind: str | None
        ) -> None:
            super().__init__()
            self.name, self.given, self.error, self.kind = name, given, error, kind

    class Kept(Message):
        """The user keeps what is in the field."""

    class Cancelled(Message):
        """The user leaves the field."""

    class TypeChosen(Message):
        """The value shall be edited as another type."""

        def __init__(self, type: str) -> None:  # noqa: A002
            super().__init__()
            self.type = type

    def __init__(self) -> None:
        super().__init__(id="edit-field")
        self.field: Field | None = None
        self.start: str = ""
        self._named: str | None = None
        self._label = ""
        self._build = 0
        self._retyped = False

    # building ------------------------------------------------------------------

    async def show(
        self, label: str, field: Field, named: str | None = None, *, retyped: bool = False
    ) -> None:
        """Edit another value.

        Args:
            label: what is edited.
            named: the name that a new value has so far; None when it is not new.
            retyped: it is edited as another type than before, which is an edit by itself.
        """
        self.field, self._label, self._named, self._retyped = field, label, named, retyped
        self._build += 1
        await self.recompose()
        # Of a value that is none of the choices the first one is not "unchanged".
        self.start = field.text if field.form in ("choice", "many") else self.text
        first = self.query_one(f"#name-{self._build}" if named == "" else f"#value-{self._build}", Widget)
        first.focus()
        if isinstance(first, CleanInput):
            first.cursor_position = len(first.value)
        self._say()

    def compose(self) -> ComposeResult:
        if self.field is None:
            return
        field = self.field
        yield Static(plain(self._label), id="field-label")
        if self._named is not None:
            yield CleanInput(self._named, placeholder="name", id=f"name-{self._build}", compact=True)
        if field.types:
            options = [(option(word), word) for word in field.types]
            yield Select(options, value=field.type, allow_blank=False, id=f"type-{self._build}", compact=True)
        if field.note:
            yield Static(plain(field.note), classes="field-note")
        yield self._editor(field)
        yield Static(id="field-verdict")
        with Horizontal(id="field-buttons"):
            yield Button("Keep", variant="primary", id="field-keep", compact=True)
            yield Button("Cancel", id="field-cancel", compact=True)

    def _editor(self, field: Field) -> Widget:
        name = f"value-{self._build}"
        if field.form in ("choice", "many"):
            return _choices(field, name)
        if field.form in ("nothing", "locked"):
            words = "null" if field.form == "nothing" else "nothing to edit here"
            return CleanInput(words, disabled=False, id=name, compact=True)
        if field.form == "number" or field.form == "file":
            return CleanInput(
                field.text, placeholder="path" if field.form == "file" else "number", id=name, compact=True
            )
        is_short = len(field.text) <= ONE_LINE and "\n" not in field.text and "\t" not in field.text
        if field.form in ("text", "escaped") and is_short:
            return CleanInput(field.text, placeholder="text", id=name, compact=True)
        area = CleanArea(field.text, id=name, tab_behavior="focus", soft_wrap=True, compact=True)
        area.show_line_numbers = field.form == "json"
        return area

    @property
    def text(self) -> str:
        """What is in the field."""
        found = list(self.query(f"#value-{self._build}").results(Widget))
        widget = found[0] if found else None
        if isinstance(widget, TextArea):
            return widget.text
        if isinstance(widget, Input):
            return widget.value
        if isinstance(widget, SelectionList):
            return "\n".join(str(each) for each in widget.selected)
        if isinstance(widget, OptionList) and self.field is not None:
            at = widget.highlighted
            return self.field.choices[at][0] if at is not None else ""
        return ""

    @property
    def new_name(self) -> str | None:
        """The name of a new value, None when it is not new."""
        if self._named is None:
            return None
        return self.query_one(f"#name-{self._build}", Input).value

    @property
    def is_untouched(self) -> bool:
        """Whether nothing was typed or chosen."""
        return self.text == self.start and self._named is None and not self._retyped

    def given(self) -> Given:
        """The value.

        Raises:
            UsageError: it is none; says why.
        """
        assert self.field is not None
        if self.field.form == "locked":
            raise UsageError("It can't be edited whole.", self.field.note, "")
        if self.field.form != "file":
            return given_of(self.field, self.text)
        return self._from_file()

    def _from_file(self) -> Given:
        from workbench.records.reading import decode, read_file

        assert self.field is not None
        if not self.text.strip():
            raise UsageError("No file is named yet.", "", "")
        path = Path(self.text.strip()).expanduser()
        try:
            text = decode(read_file(path), str(path))
        except BadInputError as error:
            raise UsageError(error.title, error.cause, error.next_step) from error
        form = "text" if self.field.type in ("string", "secret") else "json"
        return given_of(Field(form, "", type=self.field.type), text)

    # telling ---------------------------------------------------------------------

    def verdict(self, words: str, style: str, keep: str = "Keep") -> None:
        """Say what the edit does, or what is wrong with it."""
        for told in self.query("#field-verdict").results(Static):
            told.update(Content.styled(block(words, 2_000), style))
        for button in self.query("#field-keep").results(Button):
            button.label = keep
            button.variant = "primary" if keep == "Keep" else "error"

    def focus_keep(self) -> None:
        """The next enter presses the button."""
        self.query_one("#field-keep", Button).focus()

    def _say(self) -> None:
        if self.field is None:
            return
        typed = self.field.type if self.field.typed else None
        try:
            given = self.given()
        except UsageError as error:
            self.post_message(self.Changed(self.new_name or "", None, error, typed))
        else:
            self.post_message(self.Changed(self.new_name or "", given, None, typed))

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(SelectionList.SelectedChanged)
    @on(OptionList.OptionHighlighted)
    def _typed(self, event: Message) -> None:
        event.stop()
        self._say()

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    @on(Button.Pressed, "#field-keep")
    def _entered(self, event: Message) -> None:
        event.stop()
        self.action_keep()

    @on(Button.Pressed, "#field-cancel")
    def _left(self, event: Button.Pressed) -> None:
        event.stop()
        self.action_cancel()

    @on(Select.Changed)
    def _type_chosen(self, event: Select.Changed) -> None:
        event.stop()
        if self.field is not None and isinstance(event.value, str) and event.value != self.field.type:
            self.post_message(self.TypeChosen(event.value))

    def action_keep(self) -> None:
        """Keep what is in the field."""
        self.post_message(self.Kept())

    def action_cancel(self) -> None:
        """Leave the value as it was."""
        self.post_message(self.Cancelled())


def _choices(field: Field, name: str) -> Widget:
    if field.form == "many":
        chosen = set(field.text.split("\n"))
        return SelectionList[str](
            *(Selection(plain(words, 200), value, value in chosen) for value, words in field.choices),
            id=name,
            compact=True,
        )
    options: Sequence[Any] = [Option(plain(words, 200)) for _, words in field.choices]
    found = OptionList(*options, id=name, compact=True)
    found.highlighted = next((i for i, (value, _) in enumerate(field.choices) if value == field.text), 0)
    return found
