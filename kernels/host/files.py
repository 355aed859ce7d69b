"""Files as Dify's inputs describe them, turned into graphon's File."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from graphon.file.enums import FileTransferMethod, FileType
from graphon.file.models import File

_METHODS = frozenset(method.value for method in FileTransferMethod)
_TYPES = frozenset(kind.value for kind in FileType)


def with_files(value: Any) -> Any:
    """The same value with every file mapping in it, at any depth, replaced by a File."""
    if isinstance(value, list):
        return [with_files(item) for item in value]
    if isinstance(value, Mapping):
        if is_file(value):
            return as_file(value)
        return {key: with_files(item) for key, item in value.items()}
    return value


def is_file(value: Mapping[str, Any]) -> bool:
    """`{"type": "image", "transfer_method": "remote_url", "url": ...}` and its saved forms."""
    return value.get("transfer_method") in _METHODS and value.get("type") in _TYPES


def as_file(value: Mapping[str, Any]) -> File:
    url = value.get("remote_url") or value.get("url")
    name = (
        value.get("filename")
        or value.get("name")
        or (PurePosixPath(urlsplit(url).path).name if url else None)
    )
    extension = value.get("extension") or (PurePosixPath(name).suffix if name else None) or None
    mime = value.get("mime_type") or (mimetypes.guess_type(name)[0] if name else None)
    method = FileTransferMethod(value["transfer_method"])
    related = value.get("related_id") or value.get("upload_file_id") or value.get("tool_file_id")
    if method is FileTransferMethod.REMOTE_URL and not url:
        url = "http://file.invalid/"
    if method is not FileTransferMethod.REMOTE_URL and not related:
        related = str(value.get("reference") or value.get("id") or name or "file")
    return File(
        file_id=value.get("id"),
        file_type=FileType(value["type"]),
        transfer_method=method,
        remote_url=url,
        related_id=related,
        filename=name,
        extension=extension,
        mime_type=mime,
        size=int(value.get("size") or -1),
    )
