"""The frame of a bundle: its header, and the end record that vouches for all between."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final

from workbench.errors import BadInputError
from workbench.records.bundle import KEY, VERSION
from workbench.records.bundle_shapes import ID, broken, short, texts
from workbench.records.reading import json_skeleton, parse_json, too_many, truncated, value_limit

BUNDLE_LIMIT: Final = 60_000_000
"""Bytes of a bundle. A run of 10,000 events has about 7 MB."""
MAX_VALUES: Final = 5_000_000
"""Most values of a whole bundle; one line holds at most `reading.MAX_VALUES`."""

_HEAD: Final = re.compile(rb'\s*\{\s*"' + KEY.encode() + rb'"\s*:')


def is_bundle(data: bytes) -> bool:
    """Does a file begin like a bundle?"""
    return _HEAD.match(data[:4096].removeprefix(b"\xef\xbb\xbf")) is not None


def bundle_line(data: bytes, source: str) -> str:
    """A line about a bundle, from its header alone. Raises BadInputError for another version."""
    header = header_of(data.removeprefix(b"\xef\xbb\xbf"), source)
    secrets = "nothing masked" if header["masked"] is None else "secrets masked"
    runs = data.count(b'\n{"record":"run"')
    return f"version {header[KEY]}, {runs} run{'' if runs == 1 else 's'}, {secrets}"


def header_of(data: bytes, source: str) -> Mapping[str, Any]:
    """The header, checked. Raises BadInputError."""
    first = data.lstrip().split(b"\n", 1)[0]
    if not first.rstrip().endswith(b"}"):
        raise truncated(source, "its first line")
    header = parse_json(first, f"{source}, line 1")
    version = header.get(KEY) if isinstance(header, Mapping) else None
    if version != VERSION or isinstance(version, bool):
        newer = isinstance(version, int) and version > VERSION
        raise BadInputError(
            f"{source} is a bundle of version {short(version)}",
            f"This workbench reads version {VERSION}.",
            "Upgrade the workbench." if newer else "Export it again.",
        )
    masked = header.get("masked")
    names = ("environment", "kept")
    if masked is not None and not (
        isinstance(masked, Mapping) and all(texts(masked.get(name, [])) for name in names)
    ):
        raise broken(source, 1, "`masked` is neither null nor a mapping of names")
    if not (isinstance(header.get("subject"), str) and ID.fullmatch(header["subject"])):
        raise broken(source, 1, "`subject` is no id")
    return {**header, "masked": masked}


def checked_body(data: bytes, source: str) -> list[bytes]:
    """The lines between header and end record, after the end record has vouched for them."""
    data = data.lstrip()
    last = data.rstrip(b"\n").rfind(b"\n") + 1
    end = data[last:].strip()
    if not end.startswith(b'{"record":"end"'):
        raise truncated(source, "a line that is not the end record")
    told = parse_json(end, f"{source}, last line")
    body = data[:last]
    if told.get("sha256") != hashlib.sha256(body).hexdigest():
        raise BadInputError(
            f"{source} was changed after it was written",
            "Its checksum does not fit its content.",
            "Export it again; to change something, change the run and export that.",
        )
    skeleton = json_skeleton(body)
    values = skeleton.count(b",") + skeleton.count(b"[") + skeleton.count(b"{")
    if values > (allowed := value_limit(MAX_VALUES)):
        raise too_many(source, values, allowed)
    return body.split(b"\n")[:-1]
