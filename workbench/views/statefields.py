"""How a place of a saved pause is edited: which kind of field fits, what stands in it first, and which value
comes out of it. No text is changed on the way: one that a screen can't show as it is is edited as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from workbench.core.diff import dotted
from workbench.core.edits import MISSING, Document, Edit, plan
from workbench.core.edits.gate import PHASES
from workbench.core.edits.gate_parts import scope
from workbench.core.edits.plan import Plan
from workbench.core.edits.states import STATES, edge_words
from workbench.core.edits.values import TYPES, Given
from workbench.core.path_lists import path_lists
from workbench.core.secrets import MASK
from workbench.errors import UsageError
from workbench.records.json_places import Path
from workbench.views.differences import masked_at
from workbench.views.safe import safe_text
from workbench.views.secrets import Mask, NoMask
from workbench.views.statetree import Spot, Tree

SHAPES: Final = ("string", "number", "boolean", "JSON")
"""What a value without a type of its own can be edited as."""

LONGEST: Final = 200_000
"""Characters that a field shows; a longer value is given by a file."""

_FORMS: Final = {
    "string": "text",
    "secret": "text",
    "integer": "number",
    "float": "number",
    "number": "number",
    "boolean": "choice",
    "none": "nothing",
}


@dataclass(frozen=True)
class Field:
    """A field.

    Attributes:
        form: "text", "escaped" (a text as a JSON string), "number", "choice", "many" (of the choices),
            "json", "nothing" (null), "file" (the path of a file with the value), or "locked".
        text: what stands in it first; of a choice the choice, of many one a line.
        choices: (what is given, what is shown).
        types: the types that can be chosen, empty where there is no choice.
        type: the one that is chosen.
        typed: the type is the variable's own and part of the edit.
        note: what the user should know about it.
    """

    form: str
    text: str = field(repr=False)
    choices: tuple[tuple[str, str], ...] = ()
    types: tuple[str, ...] = ()
    type: str = ""
    typed: bool = False
    note: str = ""


def field_of(tree: Tree, spot: Spot, mask: Mask, type: str | None = None) -> Field:  # noqa: A002
    """The field for a place.

    Args:
        type: edit it as this type instead of its own.
    """
    value = tree.value(spot)
    if spot.kind in ("state", "phase"):
        words = STATES if spot.kind == "state" else PHASES
        return Field("choice", str(value), tuple((word, word) for word in words))
    if spot.kind == "taken" and tree.document.graph is not None:
        return Field("many", "\n".join(value), tuple(_blocking(tree.document)))
    if spot.kind == "variable":
        own = tree.type_of(spot)
        chosen = type or (own if own in TYPES else "string")
        return _filled(value, chosen, TYPES, True, masked(spot, value, mask))
    if isinstance(value, str) and tree.opens(spot) and not isinstance(mask, NoMask):
        return Field(
            "locked", "", note="It holds JSON: open it and edit inside; or show secrets to edit it whole."
        )
    chosen = type or shape_of(value)
    fixed = spot.kind == "place" and not spot.target.startswith(("output:", "input:", "entity:"))
    return _filled(value, chosen, () if fixed else SHAPES, False, masked(spot, value, mask))


def field_for(type: str, *, typed: bool) -> Field:  # noqa: A002
    """The field for a value that is not there yet."""
    return _filled(MISSING, type, TYPES if typed else SHAPES, typed, MISSING)


def shape_of(value: Any) -> str:
    """What a value without a type is edited as."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "string" if isinstance(value, str) else "JSON"


def given_of(shown: Field, text: str) -> Given:
    """The value that a field holds.

    Raises:
        UsageError: it holds none; says where it stops being one.
    """
    if MASK in text:
        raise UsageError(
            "The field still shows hidden text.",
            "Kept like this, the dots would take the place of the secret.",
            "Show the secrets first, or write the whole value anew.",
        )
    form = shown.form
    if form == "text":
        return Given(text)
    if form == "nothing":
        return Given(None)
    if form == "many":
        return Given([line for line in text.split("\n") if line])
    if form == "choice":
        return Given(text == "true" if shown.type == "boolean" else text)
    if form == "number":
        return Given(_number(text))
    if shown.type == "file" and text.startswith(("http://", "https://")):
        return Given(text.strip(), is_text=True)
    value = _json(text)
    if form == "escaped" and not isinstance(value, str):
        raise UsageError("This is no text.", 'It is edited as JSON: "..." with \\u escapes.', "")
    return Given(value)


def edit_of(tree: Tree, spot: Spot, given: Given | None, type: str | None = None) -> Edit:  # noqa: A002
    """The edit of a place. Where the names in its target would be read as another place, the place is named
    from the file's beginning instead.
    """
    doc = tree.document
    if spot.kind in ("variable", "value") and spot.path is not None and not _means(doc, spot):
        path = (*spot.path, "value") if spot.kind == "variable" and given is not None else spot.path
        return Edit(raw_target(path), given)
    return Edit(spot.target, given, type)


def raw_target(path: Path) -> str:
    """The target of a place by its path from the file's beginning."""
    return f"context:{dotted(tuple(step for step in path if isinstance(step, str | int)))}"


def masked(spot: Spot, value: Any, mask: Mask) -> Any:
    """The value with its secrets hidden: by their form, by the name they stand under, and the environment."""
    if value is MISSING:
        return value
    path = spot.path or ()
    if spot.kind == "variable":
        if spot.node == "env" or "env" in path:
            return masked_at(("env", spot.label), value, mask)
        return masked_at((spot.label,), value, mask)
    if path:
        steps: tuple[str | int, ...] = tuple(step for step in path if isinstance(step, str | int))
        hidden = masked_at(steps, value, mask)
        return (
            hidden if isinstance(mask, NoMask) or not isinstance(value, dict | list) else _hidden_env(hidden)
        )
    return mask.data(value)


def _hidden_env(value: Any) -> Any:
    """Environment variables inside a larger part of a state, hidden by their place."""
    if isinstance(value, list):
        return [_hidden_env(item) for item in value]
    if not isinstance(value, dict):
        return value
    out = {}
    for key, item in value.items():
        if key == "env" and isinstance(item, dict):
            out[key] = {
                name: {**each, "value": MASK} if isinstance(each, dict) else MASK
                for name, each in item.items()
            }
        else:
            out[key] = _hidden_env(item)
    return out


def _filled(value: Any, chosen: str, types: tuple[str, ...], typed: bool, shown: Any) -> Field:
    form = _FORMS.get(chosen, "json")
    note = ""
    if shown is not MISSING and value is not MISSING and shown != value:
        note = "Secrets are hidden; show them before you edit what holds them."
    text = "" if shown == MASK else _start(shown, form)
    if form == "text" and not plain_text(text):
        form, text = "escaped", json.dumps(shown)
        note = note or "It holds characters that no screen shows: edited as JSON, \\u escapes kept."
    if len(text) > LONGEST:
        note = f"{len(text):,} characters: too long for a field. Give a file that holds the new value."
        return Field("file", "", (), types, chosen, typed, note)
    choices = (("true", "true"), ("false", "false")) if form == "choice" else ()
    return Field(form, text, choices, types, chosen, typed, note)


def _start(value: Any, form: str) -> str:
    if form == "choice":
        return "true" if value is True else "false" if value is False else ""
    if form == "nothing":
        return ""
    if value is MISSING:
        return ""
    if form == "text":
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if form == "number":
        return json.dumps(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return text if plain_text(text) else json.dumps(value, indent=2)


def plain_text(text: str) -> bool:
    """Whether a field shows a text as it is: no control characters, marks of direction, half surrogates."""
    return safe_text(text) == text and "\r" not in text


def _number(text: str) -> int | float:
    try:
        value = json.loads(text.strip())
    except (ValueError, RecursionError):
        value = None
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or value in (_INFINITE, -_INFINITE)
        or value != value
    ):
        raise UsageError("This is no number.", "", "For example: 3, or 2.5")
    return value


_INFINITE: Final = float("inf")


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        if not isinstance(error, json.JSONDecodeError):
            raise UsageError("This is no JSON.", str(error), "") from error
        raise UsageError(
            f"This is no JSON yet: line {error.lineno}, column {error.colno}.", f"{error.msg}.", ""
        ) from error
    except RecursionError as error:
        raise UsageError("This JSON is nested too deeply.", "", "") from error


def _means(doc: Document, spot: Spot) -> bool:
    """Whether the target of a place in the variables leads back to it."""
    assert spot.path is not None
    try:
        found = plan(doc, Edit(spot.target, None))
    except UsageError:
        return _is_anywhere(spot)
    return any(step.path[: len(spot.path)] == spot.path for step in found.steps)


def _is_anywhere(spot: Spot) -> bool:
    return spot.target.partition(":")[0] in ("context", "state", "entity")


def _blocking(doc: Document) -> Iterable[tuple[str, str]]:
    """The edges that an Answer may wait for, by id and by words."""
    seen = scope(doc)
    found = {edge for answer in seen.responses for path in path_lists(seen, answer) or () for edge in path}
    return [(edge, edge_words(doc, edge) or edge) for edge in sorted(found)]


def change_of(made: Plan, mask: Mask) -> tuple[Any, Any]:
    """Both values of a plan, masked by where it stands."""
    path: tuple[str | int, ...] = ()
    if made.steps:
        steps = [s for s in made.steps[-1].path if isinstance(s, str | int)]
        path = tuple(steps[:-1] if steps[-1:] == ["value"] else steps)
    return masked_at(path, made.before, mask), masked_at(path, made.after, mask)
