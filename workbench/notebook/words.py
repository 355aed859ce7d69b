"""Values in words for people: short, on one line, nothing cut silently."""

from __future__ import annotations

import json
from typing import Any

from workbench.views.safe import safe_line, safe_text

LONGEST = 4_000
"""Characters of a text that HTML shows."""


def short(value: Any, limit: int = 80) -> str:
    """A value as JSON on one line; what is left out is marked by `…`."""
    return safe_line(json.dumps(value, ensure_ascii=False, default=str), limit)


def long(text: str) -> str:
    """A text as HTML shows it: cut only where it is very long, and then it is said."""
    more = len(text) - LONGEST
    return safe_text(text) if more <= 0 else f"{safe_text(text[:LONGEST])}… ({more} characters more)"


def count(number: int, what: str, many: str = "") -> str:
    """ "1 step", "3 steps"."""
    return f"{number} {what}" if number == 1 else f"{number} {many or what + 's'}"
