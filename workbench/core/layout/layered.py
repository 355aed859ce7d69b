"""Columns and rows for graphs without a canvas: layers by longest path, order by medians (Sugiyama's method).

Linear in nodes and edges but for the sorting; cycles are broken where a depth-first walk from the root
closes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.core.graph import Edge, Node
from workbench.core.layout.values import Spot

_SWEEPS = 4


def _forward(nodes: Sequence[Node], edges: Sequence[Edge]) -> list[tuple[str, str]]:
    """The edges as pairs without those that close a cycle, and without loops onto oneself."""
    out: dict[str, list[str]] = {n.id: [] for n in nodes}
    indegree = dict.fromkeys(out, 0)
    for edge in edges:
        out[edge.source].append(edge.target)
        indegree[edge.target] += 1
    state: dict[str, int] = {}
    back: set[tuple[str, str]] = set()
    for root in sorted(out, key=lambda n: indegree[n] > 0):
        if root in state:
            continue
        state[root] = 1
        stack = [(root, iter(out[root]))]
        while stack:
            node, successors = stack[-1]
            following = next(successors, None)
            if following is None:
                state[node] = 2
                stack.pop()
            elif state.get(following) == 1:
                back.add((node, following))
            elif following not in state:
                state[following] = 1
                stack.append((following, iter(out[following])))
    pairs = dict.fromkeys((e.source, e.target) for e in edges)
    return [pair for pair in pairs if pair not in back]


def _layers(nodes: Sequence[Node], pairs: Sequence[tuple[str, str]]) -> dict[str, int]:
    """The longest way from a beginning to each node."""
    out: dict[str, list[str]] = {n.id: [] for n in nodes}
    waiting = dict.fromkeys(out, 0)
    for source, target in pairs:
        out[source].append(target)
        waiting[target] += 1
    layer = dict.fromkeys(out, 0)
    ready = [n for n, count in waiting.items() if not count]
    for node in ready:
        for target in out[node]:
            layer[target] = max(layer[target], layer[node] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return layer


def _settle(members: list[str], wish: Mapping[str, float]) -> dict[str, int]:
    """Rows for one layer, in its order: as near to the wishes as whole, different rows allow."""
    rows: dict[str, int] = {}
    last = -1
    for member in members:
        last = max(last + 1, round(wish[member]))
        rows[member] = last
    return rows


def _middle(rows: list[int], otherwise: float) -> float:
    if not rows:
        return otherwise
    ranked = sorted(rows)
    return ranked[(len(ranked) - 1) // 2]


def spots(nodes: Sequence[Node], edges: Sequence[Edge]) -> dict[str, Spot]:
    """The grid place of each node; edges that leave the scope must not be given."""
    pairs = _forward(nodes, edges)
    layer = _layers(nodes, pairs)
    before: dict[str, list[str]] = {n.id: [] for n in nodes}
    after: dict[str, list[str]] = {n.id: [] for n in nodes}
    for source, target in pairs:
        before[target].append(source)
        after[source].append(target)
    if not nodes:
        return {}
    columns: list[list[str]] = [[] for _ in range(max(layer.values(), default=0) + 1)]
    for node in nodes:
        columns[layer[node.id]].append(node.id)
    row = {n: float(i) for members in columns for i, n in enumerate(members)}
    settled: dict[str, int] = {n: int(r) for n, r in row.items()}
    for sweep in range(_SWEEPS):
        last = sweep == _SWEEPS - 1
        forth = sweep % 2 == 0 or last
        near = before if forth else after
        for members in columns if forth else reversed(columns):
            wish = {m: _middle([settled[x] for x in near[m]], settled[m]) for m in members}
            members.sort(key=lambda m: (wish[m], settled[m]))
            settled.update(_settle(members, wish))
    order = sorted(settled, key=lambda n: (settled[n], layer[n]))
    rank = {n: i for i, n in enumerate(order)}
    return {n: Spot(layer[n], settled[n], rank[n]) for n in settled}
