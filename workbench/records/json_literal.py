"""A JSON string literal: the places of its decoded characters in its raw spelling, and changes between them.

A literal of megabytes is decoded piece by piece by the C scanner; only the piece that holds a place is walked
through escape by escape.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIR = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.", re.DOTALL
)
_PIECE = 1 << 16
"""How much of a literal is decoded at once."""


def json_text(value: Any, *, ascii_only: bool = True, blanks: bool = True) -> str:
    """A value as JSON text. Lone surrogates are escaped in any case: no encoding can write them.

    Args:
        blanks: write a blank behind commas and colons.
    """
    text = json.dumps(value, ensure_ascii=ascii_only, separators=(", ", ": ") if blanks else (",", ":"))
    return text if ascii_only else _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def raw_offsets(raw: str, wanted: tuple[int, int]) -> tuple[int, int]:
    """Where the decoded characters `wanted` (ascending) of a string literal begin in its raw spelling."""
    out: list[int] = []
    decoded = 0
    for start, end in _pieces(raw):
        length = len(json.loads(f'"{raw[start:end]}"', strict=False))
        while len(out) < 2 and wanted[len(out)] < decoded + length:
            out.append(_within(raw, start, end, wanted[len(out)] - decoded))
        if len(out) == 2:
            break
        decoded += length
    out += [len(raw) - 1] * (2 - len(out))
    return out[0], out[1]


def _pieces(raw: str) -> Iterator[tuple[int, int]]:
    """A string literal's inside, cut where no escape is torn apart."""
    start, last = 1, len(raw) - 1
    while start < last:
        end = min(start + _PIECE, last)
        if end < last:
            end = _safe_cut(raw, start, end)
        yield start, end
        start = end


def _safe_cut(raw: str, start: int, end: int) -> int:
    """A place at or a little before `end` that stands in no escape, and not between the halves of a pair."""
    last = raw.rfind("\\", start, end)
    if last < end - 12:  # the longest escape, a pair of \\uXXXX, has twelve characters
        return end
    cut = last
    while cut > start and raw[cut - 1] == "\\":  # an escape begins where a run of backslashes does
        cut -= 1
    high = max(start, cut - 6)
    before = raw[start:high]
    is_escape = (len(before) - len(before.rstrip("\\"))) % 2 == 0  # else its backslash is an escaped one
    if is_escape and _PAIR.match(raw, high):
        cut = high
    if cut > start:
        return cut
    return start + 12 if _PAIR.match(raw, start) else start + (end - start) // 2 * 2  # pairs of backslashes


def _within(raw: str, start: int, end: int, wanted: int) -> int:
    """As `_raw_offsets`, for one place in one piece."""
    decoded, at = 0, start
    for part in _ESCAPE.finditer(raw, start, end):
        plain = part.start() - at
        if wanted <= decoded + plain:
            break
        decoded += plain + 1
        at = part.end()
    return at + wanted - decoded
