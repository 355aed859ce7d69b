"""What a run starts with: the values of the start form, and Dify's system variables.

`sys.*` by mode: Dify api/core/app/apps/advanced_chat/app_runner.py and workflow/app_runner.py.
"""

from __future__ import annotations

import json
import mimetypes
import re
import time
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from workbench.errors import UsageError
from workbench.records.app import App
from workbench.records.fields import InputField
from workbench.records.reading import nearest, shorten
from workbench.records.variables import as_boolean, as_number

DEFAULT_USER = "workbench-user"

_EXTENSIONS = {"image": ".png", "document": ".pdf", "audio": ".mp3", "video": ".mp4", "custom": ".txt"}
_FILE_KIND = {"image": "image", "audio": "audio", "video": "video"}


_ADDRESS = re.compile(r"url|link|href|网址|链接", re.IGNORECASE)
"""Names of text fields that hold a web address; http-request nodes refuse other texts."""


def fill_inputs(app: App, given: Mapping[str, Any]) -> dict[str, Any]:
    """Values for the whole start form, in its order.

    Args:
        given: what the user says; texts (`--input k=v`) are read by the type of the field, other values are
            taken as they are when they fit.

    What is not given takes its default; required fields without one are filled by type (the label as text, 1,
    the first option, a made-up file); the rest is what Dify's own form would send. Raises `UsageError` for
    unknown names and values that do not fit.
    """
    names = [field.name for field in app.inputs]
    unknown = [name for name in given if name not in names]
    if unknown:
        close = nearest(unknown[0], names) or names
        has = f"It has: {', '.join(names)}." if names else "Its start form has no fields."
        raise UsageError(
            f"{app.name} has no input named {shorten(unknown[0])!r}",
            has,
            f"Did you mean {' or '.join(close[:2])}?" if close else "Leave --input out.",
        )
    root = next(node for node in app.graph["nodes"] if node["id"] == app.root)
    is_form = root["data"]["type"] == "start"  # what a trigger is not given, the engine kernel makes up
    return {
        field.name: _cast(field, given[field.name]) if field.name in given else _default(field)
        for field in app.inputs
        if is_form or field.name in given
    }


def system_variables(
    app: App,
    *,
    query: str,
    run_id: str,
    conversation_id: str | None = None,
    user_id: str = DEFAULT_USER,
    dialogue_count: int = 1,
    files: Sequence[Mapping[str, Any]] = (),
    timestamp: int | None = None,
) -> dict[str, Any]:
    """Dify's `sys.*` without the prefix. `dialogue_count` counts this message: 1 in a new conversation.

    Chatflows have query, conversation_id and dialogue_count; workflows have timestamp (seconds since 1970).
    """
    app_id = stable_id("app", app.data)
    common = {
        "files": [dict(file) for file in files],
        "user_id": user_id,
        "app_id": app_id,
        "workflow_id": stable_id("workflow", app.data),
        "workflow_run_id": run_id,
    }
    if app.mode == "advanced-chat":
        return {
            "query": query,
            "conversation_id": conversation_id or stable_id("conversation", run_id.encode()),
            "dialogue_count": dialogue_count,
            **common,
        }
    return {**common, "timestamp": int(time.time()) if timestamp is None else timestamp}


def stable_id(kind: str, data: bytes) -> str:
    """An id in Dify's form (a UUID) that is the same for the same content: runs stay comparable."""
    digest = sha256(kind.encode() + b"\0" + data).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"


def _default(field: InputField) -> Any:
    """The field's default, else a made-up value if it is required, else what an empty form field sends."""
    if field.default not in (None, "", [], {}):
        try:
            return _cast(field, field.default)
        except UsageError:  # a default that does not fit is the app's fault, not the caller's
            pass
    if field.type == "file-list":
        return [made_up_file(field)] if field.required else []
    if field.type == "file":
        return made_up_file(field) if field.required else None
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


def made_up_file(field: InputField, name: str | None = None) -> dict[str, Any]:
    """A file as graphon's file/models.py takes it: remote, so that nothing has to be stored anywhere."""
    kind = next((kind for kind in field.file_types if kind in _EXTENSIONS), "document")
    if name is not None:
        return remote_file(f"https://files.example/{name}")
    return remote_file(f"https://files.example/sample{_EXTENSIONS[kind]}", kind)


def remote_file(url: str, kind: str | None = None) -> dict[str, Any]:
    """The file dict of an http(s) address; its kind by the ending of its name unless given."""
    filename = url.split("?")[0].split("#")[0].rstrip("/").rsplit("/", 1)[-1] or "file"
    mime_type = mimetypes.guess_type(filename)[0] or "application/octet-stream"
    dot = filename.rfind(".")
    return {
        "dify_model_identity": "__dify__file__",
        "id": None,
        "type": kind or _FILE_KIND.get(mime_type.split("/")[0], "document"),
        "transfer_method": "remote_url",
        "remote_url": url,
        "reference": None,
        "filename": filename,
        "extension": filename[dot:] if dot >= 0 else "",
        "mime_type": mime_type,
        "size": 1024,
    }


def _cast(field: InputField, value: Any) -> Any:
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
        return made_up_file(field, value.rsplit("/", 1)[-1])
    if not isinstance(value, Mapping):
        raise ValueError("an http(s) address or a file name is needed")
    address = value.get("remote_url") or value.get("url")
    if isinstance(address, str) and address:
        kind = value.get("type")
        return {**remote_file(address, kind if kind in _EXTENSIONS else None), **_given(value)}
    return {**made_up_file(field), **_given(value)}


def _given(value: Mapping[str, Any]) -> dict[str, Any]:
    """What a file dict says about itself, in graphon's words."""
    known = ("filename", "extension", "mime_type", "size")
    return {key: value[key] for key in known if value.get(key) not in (None, "")}


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
