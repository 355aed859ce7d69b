"""JSON and search texts as the store keeps them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

SEARCH_LIMIT = 8_000
"""Most characters of one run's search text: the search reads all of them."""

_PART_LIMIT = 2_000


_encode = json.JSONEncoder(separators=(",", ":"), default=str).encode  # json.dumps would make one each time


def as_json(value: Any) -> str:
    """Compact ASCII JSON: lone surrogates stay as escapes. Values JSON does not know become their text."""
    return _encode(value)


def from_json(text: str | None) -> Any:
    """The value of `as_json`'s text; None for None."""
    return None if text is None else json.loads(text)


def to_bytes(text: str) -> bytes:
    """UTF-8, lone surrogates included: `to_text` gives the same string back."""
    return text.encode("utf-8", "surrogatepass")


def to_text(data: bytes) -> str:
    return bytes(data).decode("utf-8", "surrogatepass")


def plain(text: str) -> str:
    """`text` for a VARCHAR column, which can't hold lone surrogates; JSON or a BLOB has the exact text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return text


def plain_or_none(value: Any) -> str | None:
    return None if value is None else plain(str(value))


def content_id(data: bytes) -> str:
    """The id of some bytes: the first 32 hex digits of their SHA-256."""
    return hashlib.sha256(data).hexdigest()[:32]


def moment(seconds: float) -> datetime:
    """Seconds since 1970 as the naive UTC time that TIMESTAMP columns take."""
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)


def seconds(value: datetime | None) -> float | None:
    """A TIMESTAMP column as seconds since 1970."""
    return None if value is None else value.replace(tzinfo=UTC).timestamp()


def search_text(parts: Iterable[Any]) -> str:
    """One casefolded line with all texts of `parts` (values are walked), for a search by substring.

    Long texts count with their first 2,000 characters, the whole with 8,000.
    """
    texts: list[str] = []
    room = SEARCH_LIMIT
    seen: set[str] = set()
    for text in _texts(parts):
        piece = " ".join(text[:_PART_LIMIT].casefold().split())
        if piece and piece not in seen:
            seen.add(piece)
            texts.append(piece)
            room -= len(piece) + 1
            if room <= 0:
                break
    return plain(" ".join(texts)[:SEARCH_LIMIT])


def _texts(value: Any) -> Iterable[str]:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            stack.extend(reversed(list(item.values())))
        elif isinstance(item, bool) or item is None:
            continue
        elif isinstance(item, int | float):
            yield str(item)
        elif isinstance(item, Iterable):
            stack.extend(reversed(list(item)))
