"""Text from files and models, made safe for a terminal.

An app, a saved state or a model's reply may come from a stranger. Printed as it is, it could move the
cursor, set the window's title, hide what was printed before or run text backwards (bidirectional controls).
Here such characters become visible signs instead.
"""

from __future__ import annotations

import re
import unicodedata

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = "\u2028\u2029\ufeff\ufff9-\ufffb\U000e0001-\U000e007f"
_UNSAFE = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_BIDI}{_INVISIBLE}\ud800-\udfff]")
_UNSAFE_IN_JSON = re.compile(f"[\x7f-\x9f{_BIDI}{_INVISIBLE}\ud800-\udfff]")
_CARRIAGE_RETURN = re.compile("\r\n?")


def safe_text(text: str) -> str:
    """`text` with control characters shown as signs; line breaks and tabs stay.

    C0 becomes its control picture (ESC: `␛`), everything else `<U+XXXX>`.
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(_sign, _CARRIAGE_RETURN.sub("\n", text))


def safe_line(text: str, limit: int | None = None) -> str:
    """`text` on one line: line breaks become `⏎`, tabs spaces; beyond `limit` characters `…`."""
    line = safe_text(text).replace("\n", "⏎").replace("\t", " ")
    if limit is not None and len(line) > limit:
        return line[: max(limit - 1, 0)] + "…"
    return line


def safe_json(document: str) -> str:
    """A JSON document with the characters above as `\\uXXXX`: the same document, and safe to print."""
    if document.isascii():
        return document.replace("\x7f", "\\u007f")
    return _UNSAFE_IN_JSON.sub(_escape, document)


def width(text: str) -> int:
    """How many columns a line takes in a terminal: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def cut(text: str, columns: int) -> str:
    """A line cut to a number of columns, with `…` where something is missing."""
    if width(text) <= columns:
        return text
    kept, used = [], 0
    for char in text:
        used += _columns(char)
        if used > columns - 1:
            break
        kept.append(char)
    return "".join(kept) + "…"


def _columns(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _sign(match: re.Match[str]) -> str:
    code = ord(match.group())
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else f"<U+{code:04X}>"


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
