"""Which row a long edge runs along: the nearest one that no node and no foreign edge uses.

Columns and the channels between them are slots: channel c is slot 2c, column c is slot 2c + 1. Rows in use
are bits of one integer a slot, so that a whole picture is searched with a few shifts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.layout.values import Placed

Port = tuple[str, int]
"""A node's id and the row where an edge leaves or enters it."""


@dataclass(frozen=True, slots=True)
class Wire:
    """An edge between two ports. `from_column`, `to_column` are those of its nodes."""

    edge: str
    source: Port
    target: Port
    from_column: int
    to_column: int

    @property
    def direct(self) -> bool:
        """Whether the target stands in the very next column: one turn is enough."""
        return self.to_column == self.from_column + 1

    @property
    def slots(self) -> tuple[int, int]:
        """First and last slot of the long run, both channels included."""
        first, last = 2 * (self.from_column + 1), 2 * self.to_column
        return (first, last) if first <= last else (last, first)


def _taken_rows(placed: Sequence[Placed], shift: int) -> dict[int, int]:
    rows: dict[int, int] = {}
    for node in placed:
        slot = 2 * node.column + 1
        rows[slot] = rows.get(slot, 0) | (((1 << node.height) - 1) << (node.y + shift))
    return rows


def _search(low: int, high: int, first: int, blocked: int) -> int:
    """The best free row: `first`, else between low and high, else the nearest outside. Rows are shifted,
    never negative.
    """
    if not blocked >> first & 1:
        return first
    for row in range(low, high + 1):
        if not blocked >> row & 1:
            return row
    distance = 1
    while True:
        if not blocked >> (high + distance) & 1:
            return high + distance
        if low >= distance and not blocked >> (low - distance) & 1:
            return low - distance
        distance += 1


def choose(wires: Sequence[Wire], placed: Sequence[Placed]) -> dict[str, int]:
    """The row of each edge that is not direct. Rows may be negative (above all nodes)."""
    shift = len(wires) + 2
    nodes = _taken_rows(placed, shift)
    used: list[tuple[int, int, int, Wire]] = []
    lane: dict[str, int] = {}
    long = [w for w in wires if not w.direct]
    long.sort(key=lambda w: (abs(w.to_column - w.from_column), abs(w.source[1] - w.target[1])))
    for wire in long:
        first, last = wire.slots
        blocked = 0
        for slot in range(first | 1, last, 2):
            blocked |= nodes.get(slot, 0)
        for other_first, other_last, row, other in used:
            if other_first <= last and first <= other_last:
                foreign = other.source != wire.source and other.target != wire.target
                # An edge back against the reading direction never shares a run with one that goes forth.
                against = (other.from_column < other.to_column) != (wire.from_column < wire.to_column)
                if foreign or against:
                    blocked |= 1 << row
        start, end = wire.source[1] + shift, wire.target[1] + shift
        if wire.to_column > wire.from_column:
            prefer = end if not blocked >> end & 1 and blocked >> start & 1 else start
            row = _search(min(start, end), max(start, end), prefer, blocked)
        else:
            row = _search(max(start, end), max(start, end), max(start, end), blocked)
        lane[wire.edge] = row - shift
        used.append((first, last, row, wire))
    return lane
