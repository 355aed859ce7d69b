"""Two texts side by side: lines aligned, and the words in which two aligned lines differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

MOST_LINES: Final = 3_000
"""Lines between the first and the last difference that are aligned; beyond it they are put side by side as
they come.
"""
MOST_WORDS: Final = 1_500
"""Words of a line that are aligned; beyond it all between the first and last difference counts as changed."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORDS = re.compile(f"[{_CJK}]|[^\\W{_CJK}]+|\\s+|[^\\w\\s]")

Span = tuple[int, int]
"""First character and the one behind the last."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A line of each side, None where a side has none there.

    Attributes:
        before_spans, after_spans: the characters in which the two lines differ.
    """

    before: str | None
    after: str | None
    equal: bool
    before_spans: tuple[Span, ...] = ()
    after_spans: tuple[Span, ...] = ()


def side_by_side(before: str, after: str) -> tuple[Pair, ...]:
    """The lines of both texts, aligned."""
    old, new = before.split("\n"), after.split("\n")
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail, most = 0, min(len(old), len(new)) - head
    while tail < most and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    pairs = [Pair(line, line, True) for line in old[:head]]
    pairs += _middle(old[head : len(old) - tail], new[head : len(new) - tail])
    pairs += [Pair(line, line, True) for line in old[len(old) - tail :]]
    return tuple(pairs)


def _middle(old: Sequence[str], new: Sequence[str]) -> Iterator[Pair]:
    if len(old) > MOST_LINES or len(new) > MOST_LINES:
        yield from _beside(old, new)
        return
    matcher = SequenceMatcher(None, old, new, autojunk=len(old) + len(new) > 1_000)
    for op, a, b, c, d in matcher.get_opcodes():
        if op == "equal":
            yield from (Pair(line, line, True) for line in old[a:b])
        else:
            yield from _beside(old[a:b], new[c:d])


def _beside(old: Sequence[str], new: Sequence[str]) -> Iterator[Pair]:
    for at in range(max(len(old), len(new))):
        before = old[at] if at < len(old) else None
        after = new[at] if at < len(new) else None
        if before is None or after is None:
            yield Pair(before, after, False)
        elif before == after:
            yield Pair(before, after, True)
        else:
            yield Pair(before, after, False, *changed_words(before, after))


def changed_words(before: str, after: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The characters in which two lines differ, in whole words; none where hardly anything is shared."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail, most = 0, min(len(old), len(new)) - head
    while tail < most and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    start = sum(map(len, old[:head]))
    if max(len(middle_old), len(middle_new)) > MOST_WORDS:
        runs = [(0, len(middle_old), 0, len(middle_new))]
    else:
        found = SequenceMatcher(None, middle_old, middle_new, autojunk=False).get_opcodes()
        runs = [(a, b, c, d) for op, a, b, c, d in found if op != "equal"]
    first = _spans(middle_old, start, [(a, b) for a, b, _, _ in runs])
    return first, _spans(middle_new, start, [(c, d) for _, _, c, d in runs])


def _spans(words: Sequence[str], start: int, runs: Sequence[tuple[int, int]]) -> tuple[Span, ...]:
    ends = [start]
    for word in words:
        ends.append(ends[-1] + len(word))
    return tuple((ends[a], ends[b]) for a, b in runs if a < b)
