"""Files in a scripted run: references without content. graphon asks for these managers wherever a node may
save a file."""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphon.file.enums import FileTransferMethod, FileType
from graphon.file.models import File
from graphon.http import HttpResponse

MOST_BYTES = 10_000_000


@dataclass(frozen=True)
class SavedFile:
    """What graphon's nodes read of a stored tool file."""

    id: str
    mime_type: str
    filename: str
    size: int

    @property
    def mimetype(self) -> str:
        return self.mime_type


def make_file(mapping: Mapping[str, Any]) -> File:
    """A graphon File from a Dify file mapping ({"type", "transfer_method", "url"...}); what is missing is
    made up."""
    url = mapping.get("remote_url") or mapping.get("url")
    name = str(
        mapping.get("filename") or mapping.get("name") or (str(url).rsplit("/", 1)[-1] if url else "file.txt")
    )
    mime = str(mapping.get("mime_type") or mimetypes.guess_type(name)[0] or "application/octet-stream")
    method = str(mapping.get("transfer_method") or ("remote_url" if url else "tool_file"))
    reference = (
        mapping.get("related_id")
        or mapping.get("reference")
        or mapping.get("tool_file_id")
        or f"scripted-{name}"
    )
    return File(
        file_id=mapping.get("id"),
        file_type=FileType(str(mapping.get("type") or _kind(mime))),
        transfer_method=FileTransferMethod(method),
        remote_url=str(url) if url else None,
        reference=str(reference),
        filename=name,
        extension=mapping.get("extension") or _extension(name),
        mime_type=mime,
        size=int(mapping.get("size") or 0),
    )


def file_json(given: Any) -> dict[str, Any]:
    """A file of a script (a URL, or a mapping) as the plain JSON that graphon's own files have."""
    return make_file(given if isinstance(given, Mapping) else {"url": str(given)}).model_dump(mode="json")


def file_fields(data: Mapping[str, Any]) -> frozenset[str]:
    """Names of the fields of a human-input form that take files."""
    inputs = data.get("inputs")
    return frozenset(
        str(field.get("output_variable_name"))
        for field in (inputs if isinstance(inputs, list) else ())
        if isinstance(field, Mapping) and field.get("type") in ("file", "file-list")
    )


def _extension(name: str) -> str:
    return "." + name.rsplit(".", 1)[-1] if "." in name else ""


def _kind(mime: str) -> str:
    main = mime.split("/", 1)[0]
    return main if main in ("image", "audio", "video") else "document"


class Files:
    """LLMFileSaver, tool file manager, file manager and file reference factory in one: bytes stay in
    memory."""

    def __init__(self) -> None:
        self._saved: dict[str, tuple[SavedFile, bytes]] = {}

    # LLMFileSaver
    def save_binary_string(
        self, data: bytes, mime_type: str, file_type: FileType, extension_override: str | None = None
    ) -> File:
        saved = self.create_file_by_raw(file_binary=data, mimetype=mime_type)
        return make_file(
            {"tool_file_id": saved.id, "filename": saved.filename, "mime_type": mime_type, "size": saved.size}
        )

    def save_remote_url(self, url: str, file_type: FileType) -> File:
        return make_file({"url": url, "type": str(file_type)})

    # ToolFileManagerProtocol
    def create_file_by_raw(
        self, *, file_binary: bytes, mimetype: str, filename: str | None = None
    ) -> SavedFile:
        if len(file_binary) > MOST_BYTES:
            raise ValueError(f"The file has {len(file_binary)} bytes; the limit is {MOST_BYTES}.")
        file_id = "file-" + hashlib.sha256(file_binary).hexdigest()[:16]
        name = filename or file_id + (mimetypes.guess_extension(mimetype.split(";")[0]) or ".bin")
        saved = SavedFile(file_id, mimetype, name, len(file_binary))
        self._saved[file_id] = (saved, file_binary)
        return saved

    def get_file_generator_by_tool_file_id(self, tool_file_id: str) -> tuple[Any, Any]:
        found = self._saved.get(tool_file_id)
        if found is None:
            return None, None
        return iter([found[1]]), found[0]

    # FileManagerProtocol
    def download(self, f: File, /) -> bytes:
        found = self._saved.get(str(getattr(f, "reference", "") or ""))
        return found[1] if found else b"scripted file content"

    # FileReferenceFactoryProtocol and ToolNodeRuntimeProtocol.build_file_reference
    def build_from_mapping(self, *, mapping: Mapping[str, Any]) -> File:
        found = self._saved.get(str(mapping.get("tool_file_id") or ""))
        known = (
            {"filename": found[0].filename, "mime_type": found[0].mime_type, "size": found[0].size}
            if found
            else {}
        )
        return make_file({**known, **{k: v for k, v in mapping.items() if v is not None}})


class FileRuntime:
    """WorkflowFileRuntimeProtocol: how graphon turns a file into a URL or into bytes. Nothing is fetched
    from anywhere."""

    multimodal_send_format = "url"

    def __init__(self, files: Files) -> None:
        self._files = files

    def http_get(self, url: str, *, follow_redirects: bool = True) -> HttpResponse:
        return HttpResponse(
            status_code=200, headers={"content-type": "text/plain"}, content=b"scripted file content"
        )

    def storage_load(self, path: str, *, stream: bool = False) -> Any:
        content = b"scripted file content"
        return iter([content]) if stream else content

    def load_file_bytes(self, *, file: File) -> bytes:
        return self._files.download(file)

    def resolve_file_url(self, *, file: File, for_external: bool = True) -> str | None:
        return file.remote_url or f"https://files.example/{file.reference or file.id or file.filename}"

    def resolve_upload_file_url(
        self, *, upload_file_id: str, as_attachment: bool = False, for_external: bool = True
    ) -> str:
        return f"https://files.example/{upload_file_id}"

    def resolve_tool_file_url(self, *, tool_file_id: str, extension: str, for_external: bool = True) -> str:
        return f"https://files.example/{tool_file_id}{extension}"

    def verify_preview_signature(self, **signed: Any) -> bool:
        return True
