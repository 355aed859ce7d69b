"""The variables of a run as the stream gate reads them: plain values, found by selector, written as
Markdown.

Rules: graphon `runtime/variable_pool.py` (get) and `variables/segments.py` (markdown), the same in 0.5 to
0.8.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

_FILE_MARK: Final = "__dify__file__"
_FILE_ATTRIBUTES: Final = {
    "type": "type",
    "size": "size",
    "name": "filename",
    "mime_type": "mime_type",
    "transfer_method": "transfer_method",
    "extension": "extension",
}
_REFERENCE_PREFIX: Final = "dify-file-ref:"


class Pool:
    """Values by node id and name. Mutable; values themselves are never changed, only replaced."""

    __slots__ = ("values",)

    def __init__(self, values: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self.values: dict[str, dict[str, Any]] = {node: dict(names) for node, names in (values or {}).items()}

    def set(self, node: str, name: str, value: Any) -> None:
        """Store one value, as graphon's `VariablePool.add` does."""
        self.values.setdefault(node, {})[name] = value

    def forget(self, node: str) -> None:
        """Drop everything a node has written (`VariablePool.remove([node])`)."""
        self.values.pop(node, None)

    def has(self, node: str, name: str) -> bool:
        return name in self.values.get(node, ())

    def markdown(self, selector: Sequence[str]) -> str | None:
        """The text that is streamed for a selector, or None when the pool has no such value.

        More than two parts walk into an object, or name an attribute of a file; a list is never walked
        into.
        """
        if len(selector) < 2:
            return None
        names = self.values.get(selector[0])
        if names is None or selector[1] not in names:
            return None
        value = names[selector[1]]
        if len(selector) == 2:
            return markdown(value)
        if is_file(value):
            return _file_attribute(value, selector[2])
        for part in selector[2:]:
            if not isinstance(value, Mapping) or is_file(value) or part not in value:
                return None
            value = value[part]
        return markdown(value)

    def copy(self) -> Pool:
        return Pool(self.values)


def is_file(value: Any) -> bool:
    """True for a file in its JSON shape (graphon `file/models.py`)."""
    return isinstance(value, Mapping) and value.get("dify_model_identity") == _FILE_MARK


def markdown(value: Any) -> str:
    """A value as the filter streams it: lists become bullets, objects indented JSON, files Markdown links."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if is_file(value):
        return _file_markdown(value)
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False, indent=2)
    if isinstance(value, list | tuple):
        if value and all(is_file(item) for item in value):
            return "\n".join(_file_markdown(item) for item in value)
        return "\n".join(f"- {item}" for item in value)
    return str(value)


def file_url(value: Mapping[str, Any]) -> str:
    """Where a file can be fetched. A file without a remote address gets the address that the engine
    kernels' scripted world gives it (kernels/host/world/files.py); Dify would sign one of its own.
    """
    if value.get("remote_url"):
        return str(value["remote_url"])
    return f"https://files.example/{value.get('reference') or value.get('id') or value.get('filename')}"


def _file_markdown(value: Mapping[str, Any]) -> str:
    url = file_url(value)
    if value.get("type") == "image":
        return f"![{value.get('filename') or ''}]({url})"
    return f"[{value.get('filename') or url}]({url})"


def _file_attribute(value: Mapping[str, Any], name: str) -> str | None:
    if name == "url":
        return markdown(file_url(value))
    if name == "related_id":
        return markdown(_related_id(value))
    if name not in _FILE_ATTRIBUTES:
        return None
    return markdown(value.get(_FILE_ATTRIBUTES[name]))


def _related_id(value: Mapping[str, Any]) -> str | None:
    reference = value.get("reference")
    if not isinstance(reference, str) or not reference:
        return None
    if not reference.startswith(_REFERENCE_PREFIX):
        return reference
    try:
        payload = json.loads(base64.urlsafe_b64decode(reference.removeprefix(_REFERENCE_PREFIX).encode()))
    except ValueError:
        return reference
    record = payload.get("record_id") if isinstance(payload, Mapping) else None
    return record if isinstance(record, str) and record else None
