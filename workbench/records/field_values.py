"""One value of a start form: read by the field's type, or made up where the user gives none."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.errors import UsageError
from workbench.records.fields import InputField
from workbench.records.files import EXTENSIONS, made_up_file, remote_file, told_by_user
from workbench.records.reading import shorten
from workbench.records.variables import as_boolean, as_number

_ADDRESS = re.compile(r"url|link|href|网址|链接", re.IGNORECASE)
"""Names of text fields that hold a web address; http-request nodes refuse other texts."""


def default_value(field: InputField) -> Any:
    """The field's default, else a made-up value if it is required, else what an empty form field sends."""
    if field.default not in (None, "", [], {}):
        try:
            return cast(field, field.default)
        except UsageError:  # a default that does not fit is the app's fault, not the caller's
            pass
    if field.type == "file-list":
        return [made_up_file(field.file_types)] if field.required else []
    if field.type == "file":
        return made_up_file(field.file_types) if field.required else None
    if field.type == "checkbox":
        return False
    if field.type == "json_object":
        return _fit_schema(field.schema) if field.required else {}
    if not field.required:
        return "" if field.type in ("text-input", "paragraph", "external_data_tool") else None
    if field.type == "number":
        return 1
    if field.type == "select":
        return field.options[0] if field.options else ""
    if _ADDRESS.search(field.name) or _ADDRESS.search(field.label):
        return "https://example.com/"
    return field.label[: field.max_length] if field.max_length else field.label


def _fit_schema(schema: Mapping[str, Any]) -> Any:
    """The smallest object that a JSON schema of a form field asks for (properties by type, no recursion)."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return {}
    kinds = {"string": "", "number": 0, "integer": 0, "boolean": False, "array": [], "object": {}}
    made: dict[str, Any] = {}
    for name, inner in properties.items():
        kind = inner.get("type") if isinstance(inner, Mapping) else None
        options = inner.get("enum") if isinstance(inner, Mapping) else None
        made[str(name)] = options[0] if isinstance(options, list) and options else kinds.get(str(kind), "")
    return made


def cast(field: InputField, value: Any) -> Any:
    try:
        return _CASTS.get(field.type, _as_text)(field, value)
    except ValueError as error:
        raise UsageError(
            f"the input {field.name} does not take {shorten(str(value))!r}",
            f"It is a {field.type} field: {error}.",
            f"Give --input {field.name}=... with a fitting value.",
        ) from error


def _as_text(field: InputField, value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if field.max_length and len(text) > field.max_length:
        raise ValueError(f"at most {field.max_length} characters, this has {len(text)}")
    return text


def _as_option(field: InputField, value: Any) -> str:
    text = str(value)
    if field.options and text not in field.options:
        raise ValueError(f"one of {', '.join(field.options)}")
    return text


def _as_number(field: InputField, value: Any) -> int | float:
    try:
        return as_number(value)
    except ValueError:
        raise ValueError("a number is needed") from None


def _as_checkbox(field: InputField, value: Any) -> bool:
    try:
        return as_boolean(value)
    except ValueError:
        raise ValueError("true or false is needed") from None


def _as_object(field: InputField, value: Any) -> Any:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise ValueError("a JSON object is needed") from None
    if not isinstance(value, Mapping):
        raise ValueError("a JSON object is needed")
    return dict(value)


def _as_list(field: InputField, value: Any) -> list[Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise ValueError("a JSON list is needed") from None
    if not isinstance(value, list):
        raise ValueError("a JSON list is needed")
    return value


def _as_file(field: InputField, value: Any) -> dict[str, Any] | None:
    """An http(s) address, the name of a made-up file, or a file dict as Dify's API takes it (or as JSON)."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        value = _as_object(field, value)
    if value is None or value == "":
        return None
    if isinstance(value, str):
        if value.startswith(("http://", "https://")):
            return remote_file(value)
        return made_up_file(field.file_types, value.rsplit("/", 1)[-1])
    if not isinstance(value, Mapping):
        raise ValueError("an http(s) address or a file name is needed")
    address = value.get("remote_url") or value.get("url")
    if isinstance(address, str) and address:
        kind = value.get("type")
        return {**remote_file(address, kind if kind in EXTENSIONS else None), **told_by_user(value)}
    return {**made_up_file(field.file_types), **told_by_user(value)}


def _as_files(field: InputField, value: Any) -> list[dict[str, Any]]:
    if isinstance(value, str):
        if value.lstrip()[:1] == "[":
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                raise ValueError("a list of addresses is needed") from None
        else:
            value = [part for part in (piece.strip() for piece in value.split(",")) if part]
    if not isinstance(value, Sequence):
        value = [value]
    files = (_as_file(field, part) for part in value)
    return [file for file in files if file is not None]


_CASTS: Mapping[str, Any] = {
    "select": _as_option,
    "number": _as_number,
    "checkbox": _as_checkbox,
    "json_object": _as_object,
    "json_list": _as_list,
    "file": _as_file,
    "file-list": _as_files,
}
