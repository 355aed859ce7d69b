"""Where edges turn: the order of vertical runs inside one channel, with few crossings and no shared cells.

The runs of one port, and those that meet at one port, share a track and look like a trunk with branches.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

_OVERLAP = 50
_TOUCH = 8


@dataclass(slots=True, eq=False)
class Turn:
    """A vertical run that joins rows on its left with rows on its right.

    `onward` is the key of the second half where a turn had to be made in two halves; the first one leads
    to it.
    """

    key: Hashable
    left: set[int] = field(default_factory=set)
    right: set[int] = field(default_factory=set)
    onward: Hashable | None = None

    @property
    def low(self) -> int:
        """The topmost row."""
        return min(self.left | self.right)

    @property
    def high(self) -> int:
        """The lowest row."""
        return max(self.left | self.right)


def _cost(a: Turn, b: Turn, spans: dict[int, tuple[int, int]]) -> int:
    """What it costs to put `a` left of `b`: crossings, and much more for two edges that would share cells."""
    a_low, a_high = spans[id(a)]
    b_low, b_high = spans[id(b)]
    if b.onward == a.key and b.onward is not None:
        return _OVERLAP
    met = a.right & b.left if a.onward == b.key and a.onward is not None else set()
    cost = 0
    for row in b.left - met:
        if a_low < row < a_high:
            cost += 1
        elif row in (a_low, a_high):
            cost += _OVERLAP if row in a.right else _TOUCH
    for row in a.right - met:
        if b_low < row < b_high:
            cost += 1
        elif row in (b_low, b_high) and row not in b.left:
            cost += _TOUCH
    return cost


def _cycle(turns: Sequence[Turn]) -> list[Turn]:
    """Turns of which each would have to stand left of the next one, and the last left of the first; or
    nothing.
    """
    must = {
        t.key: [
            o for o in turns if o is not t and t.left & o.right and o.key != t.onward and t.key != o.onward
        ]
        for t in turns
    }
    done: set[Hashable] = set()
    for start in turns:
        path: list[Turn] = [start]
        tries = [iter(must[start.key])]
        while tries:
            following = next(tries[-1], None)
            if following is None:
                done.add(path.pop().key)
                tries.pop()
            elif following in path:
                return path[path.index(following) :]
            elif following.key not in done:
                path.append(following)
                tries.append(iter(must[following.key]))
    return []


def untangle(turns: Sequence[Turn], used: set[int]) -> list[Turn]:
    """The same turns, some of them in two halves, so that they can stand side by side without sharing a run.

    Two edges that swap rows block each other: each would have to turn left of the other. One of them then
    makes a step on a row of its own.

    Args:
        used: rows of the channel on which something runs already.
    """
    result = list(turns)
    rows = used | {row for t in turns for row in t.left | t.right}
    for _ in range(len(turns)):
        cycle = _cycle(result)
        if not cycle:
            break
        whole = min(cycle, key=lambda t: (t.onward is not None, len(t.left | t.right), t.high - t.low))
        if whole.onward is not None:
            break
        row = next(
            r for d in range(1, len(rows) + 2) for r in (whole.low + d, whole.low - d) if r not in rows
        )
        rows.add(row)
        second = Turn((whole.key, "onward"), {row}, whole.right)
        first = Turn(whole.key, whole.left, {row}, second.key)
        result[result.index(whole)] = first
        result.append(second)
    return result


def arrange(turns: Iterable[Turn]) -> tuple[dict[Hashable, int], int]:
    """The track of each turn, 0 leftmost, and how many tracks there are."""
    items = sorted(turns, key=lambda t: (t.low, t.high))
    spans = {id(t): (t.low, t.high) for t in items}
    ordered: list[Turn] = []
    for item in items:
        before = [_cost(item, other, spans) for other in ordered]
        after = [_cost(other, item, spans) for other in ordered]
        best_at, cost = 0, sum(before)
        best = cost
        for at, other in enumerate(ordered, start=1):
            cost += after[at - 1] - before[at - 1]
            if cost < best or (cost == best and spans[id(other)][0] > spans[id(item)][0]):
                best, best_at = cost, at
        ordered.insert(best_at, item)
    track: dict[Hashable, int] = {}
    count = 0
    for at, item in enumerate(ordered):
        low, high = spans[id(item)]
        place = 0
        for other in ordered[:at]:
            other_low, other_high = spans[id(other)]
            if other_low <= high and low <= other_high:
                place = max(place, track[other.key] + 1)
        track[item.key] = place
        count = max(count, place + 1)
    return track, count
