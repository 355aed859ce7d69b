"""Values of variables: read from what a user writes, and checked as graphon's loaders check them.

Types are graphon's SegmentType (graphon `variables/types.py`, the same in 0.4 to 0.8). `number` and `group`
have no class that a saved variable could be loaded with; a number is an `integer` or a `float`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from workbench.errors import UsageError
from workbench.records.reading import shorten

SCALARS: Final = ("string", "secret", "integer", "float", "boolean", "object", "file", "none")
ARRAYS: Final = (
    "array[any]",
    "array[string]",
    "array[number]",
    "array[object]",
    "array[boolean]",
    "array[file]",
)
TYPES: Final = (*SCALARS, *ARRAYS)
"""Types that a saved variable can have."""

WORDS: Final = (*TYPES, "number")
"""Types that a user can name."""

FILE_TYPES: Final = ("image", "document", "audio", "video", "custom")
TRANSFERS: Final = ("remote_url", "local_file", "tool_file", "datasource_file")
_REFERENCES: Final = ("reference", "related_id", "tool_file_id", "upload_file_id", "datasource_file_id")
_FILE_TEXTS: Final = ("id", "remote_url", "filename", "extension", "mime_type", "dify_model_identity")
_FILE_KEYS: Final = frozenset(
    ("type", "transfer_method", "size", "url", "file_id", "tenant_id", "file_type", "storage_key")
) | {*_REFERENCES, *_FILE_TEXTS}
_WEB: Final = ("http://", "https://")
_LARGEST: Final = 10**4300
"""Python reads no longer integer from JSON."""


@dataclass(frozen=True, slots=True)
class Given:
    """A value as the user gave it: `text` to be read by the place it goes to, or JSON (`is_text` false)."""

    value: Any
    is_text: bool = False


def as_list(given: Given) -> Given:
    """A text that is a JSON list, as `--targets` shows one, where a list is wanted: that list."""
    if not given.is_text or not str(given.value).lstrip().startswith("["):
        return given
    try:
        value = json.loads(given.value)
    except (ValueError, RecursionError):
        return given
    return Given(value)


def fault(value: Any, kind: str) -> str | None:
    """What is wrong with a value of that type, as a sentence without a subject; None when nothing is."""
    if kind not in TYPES:
        return f"has the type {kind!r}, which no saved variable can have"
    if kind.startswith("array["):
        return _array_fault(value, kind[6:-1])
    return _scalar_fault(value, kind)


def _array_fault(value: Any, inner: str) -> str | None:
    if not isinstance(value, list):
        return f"is {called(value)}, not a list"
    if inner == "any":
        return None
    for index, item in enumerate(value):
        found = _number_fault(item) if inner == "number" else _scalar_fault(item, inner)
        if found:
            return f"has at [{index}] a value that {found}"
    return None


def _scalar_fault(value: Any, kind: str) -> str | None:
    fits = {
        "string": isinstance(value, str),
        "secret": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "object": isinstance(value, dict),
        "none": value is None,
    }
    if kind in fits:
        return None if fits[kind] else f"is {called(value)}, not {_WANTED[kind]}"
    if kind == "file":
        return file_fault(value)
    found = _number_fault(value)
    if found is None and kind == "integer" and isinstance(value, float):
        return "is a number with a fraction, not a whole number"
    return found


_WANTED: Final[Mapping[str, str]] = {
    "string": "a text",
    "secret": "a text",
    "boolean": "true or false",
    "object": "a mapping",
    "none": "null",
}


def _number_fault(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"is {called(value)}, not a number"
    if isinstance(value, float) and not math.isfinite(value):
        return "is no finite number, which JSON can't hold"
    if isinstance(value, int) and abs(value) >= _LARGEST:
        return "is a whole number of more than 4,300 digits, which can't be read again"
    return None


def file_fault(value: Any) -> str | None:
    """As `fault`, for a file (graphon `file/models.py`: File)."""
    if not isinstance(value, dict):
        return f"is {called(value)}, not a file"
    unknown = sorted(set(value) - _FILE_KEYS)
    if unknown:
        return f"is a file with the key {unknown[0]!r}, which no file has"
    kind = value.get("type", value.get("file_type"))
    if kind not in FILE_TYPES:
        return f"is a file of the type {shorten(str(kind), 30)!r} (it takes {', '.join(FILE_TYPES)})"
    transfer = value.get("transfer_method")
    if transfer not in TRANSFERS:
        word = shorten(str(transfer), 30)
        return f"is a file with the transfer_method {word!r} (it takes {', '.join(TRANSFERS)})"
    if transfer == "remote_url":
        url = value.get("remote_url")
        if not isinstance(url, str) or not url.startswith("http"):
            return "is a remote file whose remote_url does not begin with http"
    elif not any(value.get(key) for key in _REFERENCES):
        return "is a stored file without a reference"
    if not isinstance(value.get("size", -1), int) or isinstance(value.get("size"), bool):
        return "is a file whose size is no whole number"
    for key in (*_FILE_TEXTS, "reference"):
        if value.get(key) is not None and not isinstance(value[key], str):
            return f"is a file whose {key} is {called(value[key])}, not a text"
    return None


def called(value: Any) -> str:
    """What a JSON value is, for a message."""
    names: tuple[tuple[type, str], ...] = (
        (bool, "true or false"),
        (str, "a text"),
        (int, "a number"),
        (float, "a number"),
        (list, "a list"),
        (dict, "a mapping"),
    )
    return next((name for kind, name in names if isinstance(value, kind)), "null")


def type_of(value: Any) -> str:
    """The type that graphon gives a plain value (SegmentType.infer_segment_type)."""
    if isinstance(value, list):
        kinds = {type_of(item) for item in value}
        if kinds and kinds <= {"integer", "float"}:
            return "array[number]"
        kind = kinds.pop() if len(kinds) == 1 else "any"
        return f"array[{kind}]" if f"array[{kind}]" in ARRAYS else "array[any]"
    if isinstance(value, dict):
        return "file" if value.get("dify_model_identity") == "__dify__file__" else "object"
    plain: tuple[tuple[type, str], ...] = (
        (bool, "boolean"),
        (int, "integer"),
        (float, "float"),
        (str, "string"),
    )
    return next((name for kind, name in plain if isinstance(value, kind)), "none")


def read(given: Given, kind: str | None, where: str) -> tuple[Any, str]:
    """The value to write and its type.

    Args:
        kind: the type that it shall have; None: the one that the value has by itself.
        where: how messages call the variable.

    Raises:
        UsageError: it does not fit.
    """
    if kind is None:
        return given.value, type_of(given.value)
    value = _files(_from_text(given.value, kind, where) if given.is_text else given.value, kind)
    if kind == "number" or (kind in ("integer", "float") and type_of(value) in ("integer", "float")):
        kind = _number_type(value, kind)
    found = fault(value, kind)
    if found:
        raise UsageError(
            f"{where} does not take this value.", f"It is of type {kind}; the value {found}.", _hint(kind)
        )
    return value, kind


def read_like(given: Given, current: Any, where: str) -> Any:
    """A value for a place inside another value: read as what stands there now.

    Raises:
        UsageError: the text is no such value.
    """
    if not given.is_text or isinstance(current, str):
        return given.value
    kind = type_of(current)
    if kind in ("file", "array[file]"):
        return _files(_from_text(given.value, kind, where), kind)
    if kind in ("integer", "float", "boolean", "object", "array[any]") or kind.startswith("array["):
        kind = (
            "number" if kind in ("integer", "float") else "array[any]" if kind.startswith("array[") else kind
        )
        return _from_text(given.value, kind, where)
    try:
        return json.loads(given.value)
    except ValueError:
        return given.value


def _files(value: Any, kind: str) -> Any:
    """Addresses where files are wanted become files."""
    from workbench.records.files import remote_file

    def one(item: Any) -> Any:
        return remote_file(item) if isinstance(item, str) and item.startswith(_WEB) else item

    if kind == "array[file]" and isinstance(value, list):
        return [one(item) for item in value]
    return one(value) if kind == "file" else value


def _number_type(value: Any, kind: str) -> str:
    """`2.5` in a whole number makes it a float; a whole number in a float stays one, as graphon does."""
    return "float" if isinstance(value, float) or kind == "float" else "integer"


def _from_text(text: str, kind: str, where: str) -> Any:
    if kind in ("string", "secret"):
        return text
    if kind in ("file", "array[file]") and text.startswith(_WEB):
        return text if kind == "file" else [text]
    if kind == "none" and text == "":
        return None
    if kind == "boolean" and text.strip().lower() in ("true", "false"):
        return text.strip().lower() == "true"
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{where} does not take {shorten(text)!r}.", f"It is of type {kind}; this is none.", _hint(kind)
        ) from error


def _hint(kind: str) -> str:
    examples = {
        "string": "TARGET=any text",
        "secret": "TARGET=any text",
        "integer": "TARGET=3",
        "float": "TARGET=2.5",
        "number": "TARGET=3",
        "boolean": "TARGET=true",
        "object": 'TARGET:={"key": 1}',
        "file": "TARGET=https://files.example/report.pdf",
        "none": "TARGET:=null",
        "array[file]": 'TARGET=["https://files.example/a.png"]',
        "array[string]": 'TARGET:=["a", "b"]',
        "array[number]": "TARGET:=[1, 2.5]",
        "array[boolean]": "TARGET:=[true, false]",
        "array[object]": 'TARGET:=[{"key": 1}]',
    }
    example = examples.get(kind, 'TARGET:=[1, "a"]')
    return f"For example: {example}. Another type is given behind the target: TARGET:string=..."
