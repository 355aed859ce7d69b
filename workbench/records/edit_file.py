"""Edits in a file, to be replayed on another pause.

`{name, edits: [{set: TARGET, to: VALUE}, {set: TARGET, text: TEXT}, {unset: TARGET}]}`; `text` is read by the
target's type, as on the command line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.errors import BadInputError
from workbench.records.reading import parse_json, shorten

EXAMPLE = "For example: edits: [{set: start.count, to: 3}, {unset: llm.text}]"


@dataclass(frozen=True, slots=True)
class SavedEdit:
    """One edit of a file.

    Attributes:
        target: what is changed.
        value: the new value; meaningless when `removes`.
        type: the type that a variable shall have, or None.
        is_text: the value is to be read by the target's type, as on the command line.
    """

    target: str
    value: Any = None
    type: str | None = None
    removes: bool = False
    is_text: bool = False


def read_edits(data: bytes, source: str = "edits") -> tuple[str, tuple[SavedEdit, ...]]:
    """The name of a list of edits, and the edits.

    Raises:
        BadInputError: it is no such file; says which edit is wrong.
    """
    from workbench.records.yaml_reading import read_yaml

    try:  # numbers as JSON has them: YAML takes 1e+22 for a text
        value = parse_json(data, source) if data.lstrip()[:1] in (b"{", b"[") else None
    except BadInputError:
        value = None
    return edits_of(read_yaml(data, source).value if value is None else value, source)


def edits_of(value: Any, source: str = "edits") -> tuple[str, tuple[SavedEdit, ...]]:
    """As `read_edits`, for a file's content as plain data."""
    entries = value.get("edits") if isinstance(value, Mapping) else value
    if not isinstance(entries, list):
        raise BadInputError(f"{source} holds no edits", "It has no list named `edits`.", EXAMPLE)
    name = value.get("name") if isinstance(value, Mapping) else ""
    return (name if isinstance(name, str) else ""), tuple(
        _edit(entry, f"edit {number} of {source}") for number, entry in enumerate(entries, 1)
    )


def write_edits(name: str, edits: Sequence[SavedEdit]) -> str:
    """A list of edits as YAML that is JSON too, an edit a line."""
    return entries_text(name, [_entry(edit) for edit in edits])


def entries_text(name: str, entries: Sequence[Mapping[str, Any]]) -> str:
    """The same from the entries as plain data."""
    body = ",\n".join(f"  {json.dumps(entry)}" for entry in entries)
    return f'{{"name": {json.dumps(name)}, "edits": [\n{body}\n]}}\n'


def _entry(edit: SavedEdit) -> dict[str, Any]:
    if edit.removes:
        entry: dict[str, Any] = {"unset": edit.target}
    else:
        entry = {"set": edit.target, "text" if edit.is_text else "to": edit.value}
    return entry if edit.type is None else {**entry, "type": edit.type}


def _edit(entry: Any, where: str) -> SavedEdit:
    known = {"set", "to", "text", "type", "unset"}
    if not isinstance(entry, Mapping) or not ({"set", "unset"} & entry.keys()):
        raise BadInputError(f"{where} is no edit", "It has neither `set` nor `unset`.", EXAMPLE)
    odd = [str(key) for key in entry if key not in known]
    if odd:
        raise BadInputError(
            f"{where} has the key {shorten(odd[0])!r}", f"Valid: {', '.join(sorted(known))}.", EXAMPLE
        )
    target = entry.get("unset", entry.get("set"))
    kind = entry.get("type")
    if not isinstance(target, str) or (kind is not None and not isinstance(kind, str)):
        raise BadInputError(f"{where} names no target", "Targets and types are texts.", EXAMPLE)
    if "unset" in entry:
        return SavedEdit(target, removes=True)
    if "text" in entry:
        return SavedEdit(target, str(entry["text"]), kind, is_text=True)
    if "to" not in entry:
        raise BadInputError(f"{where} has no value", f"It sets {shorten(target)}, but has no `to`.", EXAMPLE)
    return SavedEdit(target, entry["to"], kind)
