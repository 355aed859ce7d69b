"""What a run asks for: the fields of a start form, or the parts of a webhook."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class InputField:
    """One field of the start form.

    `type` is Dify's: "text-input", "paragraph", "select", "number", "checkbox", "file", "file-list",
    "json_object", "external_data_tool"; "json_list" is ours, for webhooks. `file_types` are "image",
    "document", "audio", "video", "custom".
    """

    name: str
    label: str
    type: str
    required: bool = False
    default: Any = None
    options: tuple[str, ...] = ()
    max_length: int | None = None
    file_types: tuple[str, ...] = ()
    schema: Mapping[str, Any] = field(default_factory=dict)


def read_inputs(start: Mapping[str, Any]) -> tuple[InputField, ...]:
    """The start form's fields, in their order; for a webhook what it takes (Dify's trigger_webhook node)."""
    if start.get("type") == "trigger-webhook":
        parts = [start.get(part) for part in ("headers", "params", "body")]
        return tuple(
            _read_part(one) for part in parts if isinstance(part, list) for one in part if _named(one)
        )
    fields = (_read_input(entry) for entry in start.get("variables") or () if isinstance(entry, Mapping))
    return tuple(read for read in fields if read is not None)


_PART_TYPES = {"number": "number", "boolean": "checkbox", "object": "json_object", "file": "file"}


def _named(entry: Any) -> bool:
    return isinstance(entry, Mapping) and isinstance(entry.get("name"), str) and bool(entry["name"])


def _read_part(entry: Mapping[str, Any]) -> InputField:
    """A header, parameter or body field of a webhook; headers are variables with underscores."""
    name, kind = str(entry["name"]), str(entry.get("type") or "string")
    field_type = "json_list" if kind.startswith("array") else _PART_TYPES.get(kind, "paragraph")
    return InputField(name.replace("-", "_"), name, field_type, required=entry.get("required") is True)


def _read_input(entry: Mapping[str, Any]) -> InputField | None:
    name = entry.get("variable")
    if not isinstance(name, str) or not name:
        return None
    label, length, options = entry.get("label"), entry.get("max_length"), entry.get("options")
    schema, file_types = entry.get("json_schema"), entry.get("allowed_file_types")
    return InputField(
        name=name,
        label=label if isinstance(label, str) and label else name,
        type=str(entry.get("type") or "text-input"),
        required=entry.get("required") is True,
        default=entry.get("default"),
        options=tuple(str(option) for option in options) if isinstance(options, list) else (),
        max_length=length if isinstance(length, int) and not isinstance(length, bool) else None,
        file_types=tuple(str(kind) for kind in file_types) if isinstance(file_types, list) else (),
        schema=json_schema(schema) or {},
    )


def json_schema(value: Any) -> Mapping[str, Any] | None:
    """The schema of a json_object field: a mapping, or its text as Dify's editor keeps it; else None."""
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, Mapping) else None
