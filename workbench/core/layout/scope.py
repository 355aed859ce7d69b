"""One scope (the root graph, or the inside of a container) from grid places to cells and routes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.core.graph import Edge, Node
from workbench.core.layout.lanes import Wire, choose
from workbench.core.layout.tracks import Turn, arrange, untangle
from workbench.core.layout.values import Placed, Point, Route, Size, Spacing, Spot


@dataclass(frozen=True, slots=True)
class ScopeLayout:
    """The picture of one scope, from (0, 0)."""

    width: int
    height: int
    nodes: tuple[Placed, ...]
    routes: tuple[Route, ...]


def _stack(
    spots: Mapping[str, Spot], sizes: Mapping[str, Size], spacing: Spacing
) -> tuple[dict[str, int], list[int]]:
    """The top row of each node, and the columns in use: rows keep their order, nodes of a column never
    touch.
    """
    columns = sorted({s.column for s in spots.values()})
    free: dict[int, int] = {}
    top: dict[str, int] = {}
    row_top, last_row = 0, None
    by_row: dict[int, list[str]] = {}
    for node in sorted(spots, key=lambda n: spots[n].order):
        by_row.setdefault(spots[node].row, []).append(node)
    for row in sorted(by_row):
        firsts = {spots[n].column: n for n in reversed(by_row[row])}
        row_top = 0 if last_row is None else row_top + spacing.step
        row_top = max([row_top, *(free.get(column, 0) for column in firsts)])
        last_row = row
        for node in by_row[row]:
            column = spots[node].column
            top[node] = max(row_top, free.get(column, 0))
            free[column] = top[node] + sizes[node].height + spacing.gap
    return top, columns


def _wires(edges: Sequence[Edge], placed: Mapping[str, Placed], sizes: Mapping[str, Size]) -> list[Wire]:
    wires = []
    for edge in edges:
        source, target = placed[edge.source], placed[edge.target]
        out = sizes[edge.source]
        leave = (edge.source, source.y + out.handles.get(edge.handle, out.port))
        enter = (edge.target, target.y + sizes[edge.target].port)
        wires.append(Wire(edge.id, leave, enter, source.column, target.column))
    return wires


class _Channels:
    """The turns of all channels: which track each edge takes where."""

    def __init__(self, wires: Sequence[Wire], lanes: Mapping[str, int]) -> None:
        self.turns: dict[int, dict[Hashable, Turn]] = {}
        self.rows: dict[int, set[int]] = {}
        self.key: dict[tuple[str, int], Hashable] = {}
        leaving = Counter((w.source, w.from_column + 1) for w in wires)
        arriving = Counter((w.target, w.to_column) for w in wires)
        for wire in wires:
            out_channel, in_channel = wire.from_column + 1, wire.to_column
            start, end = wire.source[1], wire.target[1]
            self.rows.setdefault(out_channel, set()).add(start)
            self.rows.setdefault(in_channel, set()).add(end)
            if wire.direct:
                shared = leaving[wire.source, out_channel] > 1 or arriving[wire.target, in_channel] < 2
                key = ("from", wire.source, True) if shared else ("to", wire.target, True)
                self._add(wire, out_channel, key, left={start}, right={end})
                continue
            lane = lanes[wire.edge]
            first, last = wire.slots
            for channel in range(first // 2, last // 2 + 1):
                self.rows.setdefault(channel, set()).add(lane)
            forth = wire.to_column > wire.from_column
            # Forth: the run leaves the channel to the right. Back or within a column: it returns to the left.
            self._add(
                wire,
                out_channel,
                ("from", wire.source, forth),
                left={start} if forth else {start, lane},
                right={lane} if forth else set(),
            )
            self._add(
                wire,
                in_channel,
                ("to", wire.target, forth),
                left={lane} if forth else set(),
                right={end} if forth else {end, lane},
            )

    def _add(self, wire: Wire, channel: int, key: Hashable, left: set[int], right: set[int]) -> None:
        if len(left | right) < 2:
            return
        turn = self.turns.setdefault(channel, {}).setdefault(key, Turn(key))
        turn.left |= left
        turn.right |= right
        self.key[wire.edge, channel] = key


def move_route(route: Route, x: int, y: int) -> Route:
    """The same way, elsewhere."""
    label = (route.label[0] + x, route.label[1] + y) if route.label else None
    return Route(route.edge, tuple((px + x, py + y) for px, py in route.points), label)


def _points(
    wire: Wire,
    placed: Mapping[str, Placed],
    lanes: Mapping[str, int],
    turns: Mapping[tuple[str, int], list[tuple[int, int | None]]],
) -> tuple[Point, ...]:
    """The corners. `turns`: per edge and channel the columns where it turns, each with its own row or
    None.
    """
    start: Point = (placed[wire.source[0]].right, wire.source[1])
    end: Point = (placed[wire.target[0]].x - 1, wire.target[1])
    lane = lanes.get(wire.edge, end[1])
    corners: list[Point] = [start]
    row = start[1]
    channels = [(wire.from_column + 1, lane)]
    if not wire.direct:
        channels.append((wire.to_column, end[1]))
    for channel, leaves in channels:
        for x, step in turns.get((wire.edge, channel), ()):
            corners.append((x, row))
            row = leaves if step is None else step
            corners.append((x, row))
    corners.append(end)
    slim = [corners[0]]
    for at, corner in enumerate(corners[1:], start=1):
        following = corners[at + 1] if at + 1 < len(corners) else None
        if corner == slim[-1] and following is not None:
            continue
        straight = following is not None and (
            slim[-1][0] == corner[0] == following[0] or slim[-1][1] == corner[1] == following[1]
        )
        if not straight:
            slim.append(corner)
    return tuple(slim)


def lay_out_scope(
    nodes: Sequence[Node],
    edges: Sequence[Edge],
    spots: Mapping[str, Spot],
    sizes: Mapping[str, Size],
    spacing: Spacing,
    labels: Mapping[str, int],
) -> ScopeLayout:
    """Place the nodes of one scope and route its edges; every edge must join two of the nodes."""
    if not nodes:
        return ScopeLayout(0, 0, (), ())
    top, columns = _stack(spots, sizes, spacing)
    at = {column: i for i, column in enumerate(columns)}
    containers = {n.id for n in nodes if n.kind == "container"}
    width = [0] * len(columns)
    plain_width = [0] * len(columns)
    for node in nodes:
        column = at[spots[node.id].column]
        width[column] = max(width[column], sizes[node.id].width)
        if node.id not in containers:
            plain_width[column] = max(plain_width[column], sizes[node.id].width)
    draft = {
        n.id: Placed(
            n.id,
            0,
            top[n.id],
            sizes[n.id].width if n.id in containers else plain_width[at[spots[n.id].column]],
            sizes[n.id].height,
            at[spots[n.id].column],
            n.parent,
            n.id in containers,
        )
        for n in nodes
    }
    wires = _wires(edges, draft, sizes)
    lanes = choose(wires, list(draft.values()))
    channels = _Channels(wires, lanes)
    tracks: dict[int, dict[Hashable, int]] = {}
    steps: dict[tuple[int, Hashable], tuple[int, Hashable]] = {}
    counts: dict[int, int] = {}
    for channel, whole in channels.turns.items():
        turns = untangle(list(whole.values()), channels.rows.get(channel, set()))
        tracks[channel], counts[channel] = arrange(turns)
        steps |= {(channel, t.key): (min(t.right), t.onward) for t in turns if t.onward is not None}
    # Channels outside the first and the last column exist only where edges turn there.
    channel_x: list[int] = []
    column_x: list[int] = []
    x = 0
    label_room: dict[int, int] = {}
    for wire in wires:
        room = labels.get(wire.edge, 0)
        if room:
            channel = wire.from_column + 1
            label_room[channel] = max(label_room.get(channel, 0), room + 1)
    for channel in range(len(columns) + 1):
        channel_x.append(x)
        need = counts.get(channel, 0) + label_room.get(channel, 0)
        if channel in (0, len(columns)):
            x += need + 2 if need else 0
        else:
            x += max(spacing.channel, need + 2)
        if channel < len(columns):
            column_x.append(x)
            x += width[channel]
    total = x
    placed = {n: replace(p, x=column_x[p.column]) for n, p in draft.items()}
    turns_at: dict[tuple[str, int], list[tuple[int, int | None]]] = {}
    for (edge, channel), key in channels.key.items():
        first = channel_x[channel] + 1 + tracks[channel][key]
        row, onward = steps.get((channel, key), (None, None))
        turns_at[edge, channel] = [(first, row)]
        if onward is not None:
            turns_at[edge, channel].append((channel_x[channel] + 1 + tracks[channel][onward], None))
    routes = []
    for wire in wires:
        label = None
        if labels.get(wire.edge):
            channel = wire.from_column + 1
            row = lanes.get(wire.edge, wire.target[1])
            forth = wire.to_column > wire.from_column
            turn = turns_at.get((wire.edge, channel), [(0, None)])[-1][0]
            after = channel_x[channel] + 1 + counts.get(channel, 0)
            label = (after if forth else turn - labels[wire.edge] - 1, row)
        routes.append(Route(wire.edge, _points(wire, placed, lanes, turns_at), label))
    lowest = min([0, *(y for r in routes for _, y in r.points)])
    highest = max([p.bottom for p in placed.values()] + [y + 1 for r in routes for _, y in r.points])
    moved = tuple(replace(p, y=p.y - lowest) for p in placed.values())
    shifted = tuple(move_route(r, 0, -lowest) for r in routes)
    return ScopeLayout(total, highest - lowest, moved, shifted)
