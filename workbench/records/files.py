"""File values as graphon's file/models.py takes them: remote ones, so that nothing has to be stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

EXTENSIONS = {"image": ".png", "document": ".pdf", "audio": ".mp3", "video": ".mp4", "custom": ".txt"}
_MIME_TYPES = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
    ".webp": "image/webp", ".svg": "image/svg+xml", ".mp3": "audio/mpeg", ".m4a": "audio/mp4",
    ".wav": "audio/wav", ".amr": "audio/amr", ".mp4": "video/mp4", ".mov": "video/quicktime",
    ".mpeg": "video/mpeg", ".webm": "video/webm",
    ".pdf": "application/pdf", ".txt": "text/plain", ".md": "text/markdown", ".html": "text/html",
    ".csv": "text/csv", ".json": "application/json", ".xml": "application/xml", ".zip": "application/zip",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}  # fmt: skip
"""The kinds that Dify's upload knows; the standard library's table differs from machine to machine."""


def made_up_file(kinds: Sequence[str] = (), name: str | None = None) -> dict[str, Any]:
    """A file of one of the allowed kinds, or with the given name."""
    kind = next((kind for kind in kinds if kind in EXTENSIONS), "document")
    if name is not None:
        return remote_file(f"https://files.example/{name}")
    return remote_file(f"https://files.example/sample{EXTENSIONS[kind]}", kind)


def remote_file(url: str, kind: str | None = None) -> dict[str, Any]:
    """The file dict of an http(s) address; its kind by the ending of its name unless given."""
    filename = url.split("?")[0].split("#")[0].rstrip("/").rsplit("/", 1)[-1] or "file"
    dot = filename.rfind(".")
    extension = filename[dot:].lower() if dot >= 0 else ""
    mime_type = _MIME_TYPES.get(extension, "application/octet-stream")
    family = mime_type.split("/")[0]
    return {
        "dify_model_identity": "__dify__file__",
        "id": None,
        "type": kind or (family if family in ("image", "audio", "video") else "document"),
        "transfer_method": "remote_url",
        "remote_url": url,
        "reference": None,
        "filename": filename,
        "extension": extension,
        "mime_type": mime_type,
        "size": 1024,
    }


def told_by_user(value: Mapping[str, Any]) -> dict[str, Any]:
    """What a file dict says about itself, in graphon's words."""
    known = ("filename", "extension", "mime_type", "size")
    return {key: value[key] for key in known if value.get(key) not in (None, "")}
