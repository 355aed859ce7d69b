"""Deterministic cutting and counting of text: the same text gives the same chunks and the same tokens,
always."""

from __future__ import annotations

import re

# A run of letters and digits, one wide character (CJK and other scripts without spaces), or one other
# visible character.
_PIECES = re.compile(r"[A-Za-z0-9_]+|[^\x00-\x7f]|[^\sA-Za-z0-9_]")
_WORDS = re.compile(r"\s*\S+\s*")
MOST_CHUNKS = 8
_LONGEST_WORD = 24


def estimate_tokens(text: str) -> int:
    """Estimate tokens without a vocabulary: four letters or digits are one token, any other visible
    character is one."""
    return sum((len(piece) + 3) // 4 if piece.isascii() else 1 for piece in _PIECES.findall(text))


def cut(text: str) -> list[str]:
    """Cut text as a model would stream it: at word borders, long runs without a space in pieces, at most
    MOST_CHUNKS.

    Returns:
        Non-empty pieces whose concatenation is `text`; [""] for empty text, as a model sends one empty chunk.
    """
    if not text:
        return [""]
    words: list[str] = []
    for word in _WORDS.findall(text) or [text]:
        words.extend(word[i : i + _LONGEST_WORD] for i in range(0, len(word), _LONGEST_WORD))
    per_chunk = -(-len(words) // MOST_CHUNKS)
    return ["".join(words[i : i + per_chunk]) for i in range(0, len(words), per_chunk)]


def shorten(text: str, length: int = 60) -> str:
    """One line of at most `length` characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 3].rstrip() + "..."
