"""Untrusted files and texts: sizes are capped before reading, depth and bulk before parsing.

Everything that comes from outside passes here once. The contract: a file of 1 GB, a bomb, a depth of 100,000,
a wrong encoding or a truncated text ends in a `BadInputError` within 2 s and 500 MB, never in a traceback.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import os
import re
import stat
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from workbench.errors import BadInputError, NotFoundError

APP_LIMIT = 20_000_000
"""Bytes of an exported app. The largest public one has 274 kB."""

STATE_LIMIT = 25_000_000
"""Bytes of a saved pause, a capture or a conversation. A gate of 65,536 paths is 15 MB.

A text with one emoji in it takes four bytes a character, nested JSON is held three times over: this much fits
into 500 MB.
"""

LIMIT_VARIABLE = "WORKBENCH_MAX_MB"
"""Environment variable that raises (or lowers) every size limit, in megabytes."""

MAX_DEPTH = 200
"""Deepest nesting of lists and mappings. Real files stay below 30; later code may recurse as deep as this."""

MAX_VALUES = 2_000_000
"""Most list items and mapping entries of one JSON text: bounds what parsing allocates to about 400 MB."""

_BOMS: tuple[tuple[bytes, str], ...] = (  # UTF-32 first: its little-endian mark begins with UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)
_ENDIANS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF8, "utf-8"),
)
_WIDE_BOMS = tuple(bom for bom, codec in _BOMS if codec != "utf-8-sig")
_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x03\x04", "a ZIP archive", "Unpack it and give the files inside."),
    (b"\x1f\x8b", "a gzip archive", "Unpack it (gunzip) and give the file inside."),
    (b"%PDF-", "a PDF document", "Export the app from Dify as DSL (YAML) instead."),
    (b"\x89PNG", "a picture", "A picture holds no app or state; export the file itself."),
    (b"\xff\xd8\xff", "a picture", "A picture holds no app or state; export the file itself."),
)


def size_text(count: int) -> str:
    """A size for people: 999 bytes, 1.5 MB, 1.0 GB."""
    for unit, size in (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"


def _megabytes() -> float | None:
    """What the user allows; nonsense counts as nothing."""
    given = os.environ.get(LIMIT_VARIABLE, "")
    return float(given) if re.fullmatch(r"\d{1,6}(\.\d+)?", given) else None


def _limit(limit: int) -> int:
    given = _megabytes()
    return limit if given is None else int(given * 1_000_000)


def value_limit(limit: int) -> int:
    """How many values a text may hold: who allows more megabytes allows one more value each 20 bytes."""
    return max(limit, int((_megabytes() or 0) * 50_000))


def check_size(count: int, source: str, limit: int) -> None:
    """Refuse `count` bytes above `limit` (or above the user's own limit)."""
    if count > (allowed := _limit(limit)):
        raise BadInputError(
            f"{source} is too large",
            f"It has {size_text(count)}; at most {size_text(allowed)} are read.",
            f"If it is the right file and you trust it, set {LIMIT_VARIABLE} to more megabytes.",
        )


def read_file(path: str | Path, limit: int = APP_LIMIT) -> bytes:
    """The bytes of a regular file (or of a pipe such as `<(...)`), at most `limit` of them.

    The size is looked at before anything is read, so a file of 1 GB is refused at once.
    """
    path = Path(path)
    try:
        info = path.stat()
        if stat.S_ISDIR(info.st_mode):
            raise BadInputError(f"{path} is a folder", "A file is needed here.", "Give the files in it.")
        is_pipe = stat.S_ISFIFO(info.st_mode) and str(path).startswith(("/dev/", "/proc/"))
        if not stat.S_ISREG(info.st_mode) and not is_pipe:
            raise BadInputError(
                f"{path} is no regular file",
                "Devices, sockets and named pipes are not read: they may never end.",
                "Copy its content into a file and give that.",
            )
        check_size(info.st_size, path.name, limit)
        with path.open("rb") as file:  # one byte more than allowed: the file may have grown since
            data = file.read(_limit(limit) + 1)
    except FileNotFoundError as error:
        raise NotFoundError(f"{path} does not exist", "", "Check the name and the folder.") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise BadInputError(f"{path} can't be read", reason, "Check the name and its permissions.") from error
    check_size(len(data), path.name, limit)
    return data


def decode(data: bytes, source: str) -> str:
    """Text of a file: UTF-8, or UTF-16/UTF-32 that says so by its byte order mark. The mark is removed."""
    for magic, what, advice in _MAGIC:
        if data.startswith(magic):
            raise BadInputError(f"{source} is {what}", "A text file is needed here.", advice)
    codec = next((name for bom, name in _BOMS if data.startswith(bom)), "utf-8")
    if codec == "utf-8" and b"\0" in data[:4096]:
        raise BadInputError(
            f"{source} is no UTF-8 text",
            "It holds NUL bytes: it is UTF-16 without a byte order mark, or no text at all.",
            "Save it as UTF-8 and try again.",
        )
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        if error.end >= len(data) and ("unexpected end" in error.reason or "truncated" in error.reason):
            raise truncated(source, f"byte {len(data)}, in the middle of a character") from error
        line = data.count(b"\n", 0, error.start) + 1
        raise BadInputError(
            f"{source} is not {codec.removesuffix('-sig').upper()} text",
            f"line {line}, byte {error.start + 1}: {data[error.start]:#04x} does not fit ({error.reason}).",
            "Save it as UTF-8 (Chinese, Japanese and Western Windows programs often use another encoding).",
        ) from error


def encode_like(text: str, data: bytes) -> bytes:
    """A text in the encoding of the file that it was read from, its byte order mark included."""
    for mark, codec in _ENDIANS:
        if data.startswith(mark):
            return mark + text.encode(codec, "surrogatepass")
    return text.encode("utf-8", "surrogatepass")


def truncated(source: str, where: str) -> BadInputError:
    """The error for a text that ends too early."""
    return BadInputError(
        f"{source} is cut off",
        f"The text ends at {where}.",
        "Copy or download it again, completely.",
    )


_KEEP = b'"[]{},'
_DROP = bytes(byte for byte in range(256) if byte not in _KEEP)
_BULKS: dict[bytes, tuple[int, int]] = {}
_BULKS_KEPT = 100
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


def json_skeleton(data: bytes) -> bytes:
    """The brackets and commas of a JSON text that stand outside its strings; some 5 ms per MB.

    Escapes go first, then all but quotes and structure, then what stands between quotes.
    """
    if b"\\" in data:
        data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    skeleton = data.translate(None, _DROP).replace(b'""', b"")
    return re.sub(rb'"[^"]*(?:"|$)', b"", skeleton) if b'"' in skeleton else skeleton


def _check_bulk(data: bytes, source: str, max_values: int) -> None:
    max_values = value_limit(max_values)
    containers = data.count(b"[") + data.count(b"{")
    if containers <= MAX_DEPTH and containers + data.count(b",") <= max_values:
        return  # an upper bound, ten times cheaper; it settles most small texts
    values, depth = _bulk(data)
    if values > max_values:
        raise too_many(source, values, max_values)
    if depth > MAX_DEPTH:
        raise too_deep(source, depth)


def _bulk(data: bytes) -> tuple[int, int]:
    """How many values a JSON text holds, and how deep they stand.

    One command reads the same state several times, so that the last answers are kept, by digest.
    """
    digest = hashlib.blake2b(data, digest_size=32).digest()
    known = _BULKS.get(digest)
    if known is None:
        skeleton = json_skeleton(data)
        values = skeleton.count(b",") + skeleton.count(b"[") + skeleton.count(b"{")
        depth = max(accumulate(map(_STEP.__getitem__, skeleton.replace(b",", b""))), default=0)
        if len(_BULKS) >= _BULKS_KEPT:
            _BULKS.clear()
        known = _BULKS[digest] = (values, depth)
    return known


def too_deep(source: str, depth: int) -> BadInputError:
    return BadInputError(
        f"{source} is nested too deeply",
        f"Lists and mappings stand {depth:,} or more deep in each other; at most {MAX_DEPTH} are read.",
        "No Dify file is like that: it is damaged, or made to harm.",
    )


def too_many(source: str, values: int, allowed: int) -> BadInputError:
    return BadInputError(
        f"{source} holds too many values",
        f"{values:,} list items and mapping entries; at most {allowed:,} are read.",
        f"If it is the right file and you trust it, set {LIMIT_VARIABLE} to more megabytes.",
    )


def parse_json(data: bytes | str, source: str, *, max_values: int = MAX_VALUES) -> Any:
    """The value of a JSON text; NaN and Infinity are taken as Python writes them (Dify's files have them).

    Lone surrogates in escapes are kept, repeated keys count by their last value, as everywhere in Dify.
    """
    text = decode(data, source) if isinstance(data, bytes) else data.removeprefix("\ufeff")
    if not text or text.isspace():
        raise BadInputError(f"{source} is empty", "There is no text in it.", "Export or copy it again.")
    is_utf8 = isinstance(data, bytes) and not data.startswith(_WIDE_BOMS)
    raw = data if isinstance(data, bytes) and is_utf8 else text.encode("utf-8", "surrogatepass")
    _check_bulk(raw, source, max_values)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        if error.msg.startswith("Unterminated string") or not text[error.pos :].strip():
            raise truncated(source, f"line {text.count(chr(10)) + 1}, character {len(text):,}") from error
        raise BadInputError(
            f"{source} is not valid JSON",
            f"line {error.lineno}, column {error.colno}: {_json_reason(error)}.",
            _json_advice(text, error),
        ) from error
    except RecursionError as error:
        raise too_deep(source, MAX_DEPTH + 1) from error
    except ValueError as error:  # an integer of more than 4,300 digits
        raise BadInputError(f"{source} is not valid JSON", f"{error}.", "Correct the number.") from error


def _json_reason(error: json.JSONDecodeError) -> str:
    near = error.doc[error.pos : error.pos + 20].split("\n")[0]
    reason = error.msg[0].lower() + error.msg[1:]
    return f"{reason}, found {near!r}" if near else reason


def _json_advice(text: str, error: json.JSONDecodeError) -> str:
    if error.msg.startswith("Invalid control character"):
        return "A raw line break stands inside a string: was it copied from a window that wraps lines?"
    if error.msg == "Extra data":
        return "One JSON document is expected; more text follows it."
    if text.lstrip()[:1] == "<":
        return "It looks like a web page: was it saved instead of the file?"
    return "Correct that place, or export the file again."


def parse_yaml(data: bytes | str, source: str) -> Any:
    """The value of a YAML text, as Dify's `yaml.safe_load` reads it; `yaml_reading.read_yaml` tells more."""
    from workbench.records.yaml_reading import read_yaml

    return read_yaml(data, source).value


def shorten(text: str, width: int = 60) -> str:
    """A piece of foreign text for a message: one line, no control characters, at most `width` characters."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text[: width * 4]).split())
    return line if len(line) <= width and len(text) <= width * 4 else line[: width - 1] + "\u2026"


def nearest(name: str, names: Sequence[str], count: int = 3) -> list[str]:
    """The known names that look most like `name`, best first."""
    from difflib import get_close_matches

    return get_close_matches(name, names, count, 0.5)
