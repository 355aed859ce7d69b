"""Text from outside on a screen: `workbench.views.safe`, and widths that every terminal agrees on.

Names, titles, variables and model output may hold escape codes, markup, right-to-left overrides, newlines
or half a surrogate pair. `views.safe` makes them visible signs; here zero-width joiners, variation
selectors and heaps of combining marks go too, because terminals disagree on their widths. Front-end code
passes the result to `Text` or `Content` objects, never to functions that parse markup.
"""

from __future__ import annotations

import json
import re
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual.content import Content

from workbench.views.safe import safe_line, safe_text

ELLIPSIS = "…"
LONGEST_LINE = 10_000
"""Characters of one value that are ever shown in one line; what is cut off is said."""
LONGEST_BLOCK = 200_000

_NO_WIDTH = re.compile("[\u00ad\u180e\u200b-\u200d\u2060-\u2065\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_MARK = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
_HEAPED = re.compile(f"([{_MARK}]{{3}})[{_MARK}]+")


def _even(text: str) -> str:
    return text if text.isascii() else _HEAPED.sub(r"\1", _NO_WIDTH.sub("", text))


def one_line(text: object, limit: int = LONGEST_LINE) -> str:
    """The text in one line without anything a terminal could act on; a cut is said."""
    raw = text if isinstance(text, str) else str(text)
    clean = _even(safe_line(raw[:limit]))
    return clean + (f"{ELLIPSIS} (+{len(raw) - limit:,} characters)" if len(raw) > limit else "")


def block(text: object, limit: int = LONGEST_BLOCK) -> str:
    """The text with its line breaks and nothing else that a terminal could act on; a cut is said at the
    end.
    """
    raw = text if isinstance(text, str) else str(text)
    clean = _even(safe_text(raw[:limit])).replace("\t", "    ")
    return clean + (
        f"\n{ELLIPSIS} {len(raw) - limit:,} characters more are not shown" if len(raw) > limit else ""
    )


def clip(text: object, width: int) -> str:
    """One clean line of at most `width` cells; what is cut off shows as `…`."""
    raw = text if isinstance(text, str) else str(text)
    line = _even(safe_line(raw[: max(width, 0) * 4 + 16]))
    if cell_len(line) <= width:
        return line
    return "" if width < 1 else set_cell_size(line, width - 1).rstrip() + ELLIPSIS


def fit(text: object, width: int) -> str:
    """One clean line of exactly `width` cells."""
    line = clip(text, width)
    return line + " " * max(0, width - cell_len(line))


def plain(text: object, limit: int = LONGEST_LINE) -> Content:
    """One clean line as content: never parsed as markup."""
    return Content(one_line(text, limit))


def option(text: object, limit: int = LONGEST_LINE) -> Text:
    """One clean line for a Select, never markup: as Rich text, the only kind that typing searches in."""
    return Text(one_line(text, limit))


def value_text(value: Any) -> str:
    """A variable's value as JSON would have it, strings without quotes; still to be cleaned."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return str(value)
