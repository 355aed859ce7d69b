"""The one place where text from outside becomes text on a screen.

Names, titles, variables and model output may hold escape codes, markup, right-to-left overrides, newlines
or half a surrogate pair. Here they become visible signs; nothing of it is interpreted by the terminal.
Front-end code passes the result to `rich.text.Text` or `textual.content.Content` objects and never to
functions that parse markup.
"""

from __future__ import annotations

import json
import re
from typing import Any

from rich.cells import cell_len, set_cell_size

NEWLINE = "↵"
ELLIPSIS = "…"
LONGEST_LINE = 10_000
"""Characters of one value that are ever shown in one line; what is cut off is said."""

# C0, DEL and C1 controls; bidi marks, embeddings, overrides and isolates; zero-width signs and joiners;
# variation selectors, which make terminals disagree on widths; line separators; tags; lone surrogates.
_ODD = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_DROPPED = {"\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad"} | {
    chr(c) for c in range(0xFE00, 0xFE10)
}
_MARK = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
_HEAPED = re.compile(f"([{_MARK}]{{3}})[{_MARK}]+")


def _visible(match: re.Match[str]) -> str:
    char = match.group()
    code = ord(char)
    if char in ("\n", "\r", "\u2028", "\u2029", "\x85"):
        return NEWLINE
    if char == "\t":
        return "    "
    if char in _DROPPED:
        return ""
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return "\ufffd" if 0xD800 <= code <= 0xDFFF or code >= 0xE0000 else "\u2426"


def one_line(text: object, limit: int = LONGEST_LINE) -> str:
    """The text in one line without anything a terminal could act on; line breaks show as `↵`."""
    raw = text if isinstance(text, str) else str(text)
    cut = raw[:limit].replace("\r\n", "\n")
    clean = _HEAPED.sub(r"\1", _ODD.sub(_visible, cut))
    return clean + (f"{ELLIPSIS} (+{len(raw) - limit:,} characters)" if len(raw) > limit else "")


def block(text: object, limit: int = 200_000) -> str:
    """The text with its line breaks and nothing else that a terminal could act on; a cut is said at the
    end.
    """
    raw = text if isinstance(text, str) else str(text)
    lines = raw[:limit].replace("\r\n", "\n").split("\n")
    clean = "\n".join(one_line(line) for line in lines)
    return clean + (
        f"\n{ELLIPSIS} {len(raw) - limit:,} characters more are not shown" if len(raw) > limit else ""
    )


def clip(text: object, width: int) -> str:
    """One clean line of at most `width` cells; what is cut off shows as `…`."""
    line = one_line(text, max(width * 4, 16)) if isinstance(text, str) else one_line(text)
    if cell_len(line) <= width:
        return line
    return "" if width < 1 else set_cell_size(line, width - 1).rstrip() + ELLIPSIS


def fit(text: object, width: int) -> str:
    """One clean line of exactly `width` cells."""
    line = clip(text, width)
    return line + " " * max(0, width - cell_len(line))


def value_text(value: Any) -> str:
    """A variable's value as JSON would have it, strings without quotes; still to be cleaned."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return str(value)
