"""The start form's fields by their type, and the reading of numbers and names beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Checkbox, Input, Label, Select, TextArea

from workbench.errors import UsageError
from workbench.tui.text import one_line, option, plain, value_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from workbench.records.app import InputField

LONG = ("paragraph", "json_object", "json_list", "file-list")
HINTS = {
    "number": "a number",
    "json_object": 'JSON, for example {"a": 1}',
    "json_list": "a JSON list",
    "file": "a path, an address or JSON",
    "file-list": "a JSON list of files",
}


def widget_of(at: int, field: InputField) -> Widget:
    """A field's widget, with its default in it."""
    name = f"input-{at}"
    default = "" if field.default is None else value_text(field.default)
    if field.options:
        choices = [(option(o), o) for o in field.options]
        if field.required or default in field.options:
            first = default if default in field.options else field.options[0]
            return Select(choices, value=first, allow_blank=not field.required, id=name, compact=True)
        return Select(choices, prompt="none", id=name, compact=True)
    if field.type == "checkbox":
        return Checkbox(Content("yes"), field.default in (True, "true", 1), id=name, compact=True)
    if field.type in LONG:
        return TextArea(default, id=name, compact=True)
    return Input(one_line(default), placeholder=hint(field), id=name, compact=True)


def environment_widgets(variables: Sequence[Mapping[str, Any]]) -> list[Widget]:
    """A field for each environment variable; what the app says is not shown."""
    made: list[Widget] = []
    for at, each in enumerate(variables):
        secret = each["value_type"] == "secret"
        empty = "the export has none: a made-up text" if secret and not each["value"] else "as the app says"
        words = f"Environment variable {each['name']}  ({each['value_type']}, for this run)"
        field = Input(placeholder=empty, id=f"env-{at}", compact=True, password=secret)
        made += [Label(plain(words, 100)), field]
    return made


def hint(field: InputField) -> str:
    """What goes into a field."""
    words = HINTS.get(field.type, "")
    made = "filled in by type when left empty" if field.required else "may be left empty"
    return f"{words}; {made}" if words else made


def value_of(widget: Widget) -> Any:
    """What the field holds; None where nothing was given."""
    if isinstance(widget, Checkbox):
        return widget.value
    if isinstance(widget, TextArea):
        return widget.text or None
    if isinstance(widget, Input | Select):
        return widget.value if isinstance(widget.value, str) and widget.value else None
    return None


def problem_of(field: InputField, widget: Widget) -> str:
    """Why a field does not take what it holds, in a line; "" when it does."""
    from workbench.records.field_values import cast

    value = value_of(widget)
    if value is None:
        return ""
    try:
        cast(field, value)
    except UsageError as error:
        return one_line(" ".join(part for part in (error.title, error.cause) if part), 300)
    return ""


def names(text: str) -> tuple[str, ...]:
    """Node ids, divided by commas or spaces."""
    return tuple(dict.fromkeys(text.replace(",", " ").split()))


def limit(text: str, what: str) -> float | None:
    """A positive number, or None where nothing was given.

    Raises:
        UsageError: it is none.
    """
    if not text.strip():
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1e9:
        raise UsageError(f"{what}: {one_line(text, 40)!r} is no limit.", "", "Give a number above 0.")
    return value
