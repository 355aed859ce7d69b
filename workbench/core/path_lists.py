"""The lists of blocking edges that graphon keeps for an Answer (`paths_map`): one list a path, in graphon's
own order.

graphon walks depth first over every simple path from the root, so there are as many lists as paths. Here
they are built from the target backwards with shared tails, and not at all above a limit.
"""

from __future__ import annotations

from typing import Final

from workbench.core.blocking import Scope
from workbench.core.paths import PATH_LIMIT, count_paths

Paths = tuple[tuple[str, ...], ...]

_WALK_LIMIT: Final = 200_000
MOST_BITS: Final = 14_000
"""Python writes integers of up to 4,300 digits; a number of paths beyond this is told as a power of ten."""


def path_lists(scope: Scope, response: str) -> Paths | None:
    """The blocking edges of every path from the root to a response node; None when there are too many to
    list.

    The answer is kept with the scope: lists never change, edges that were taken are left out by the caller.
    """
    if response not in scope.lists:
        scope.lists[response] = _list(scope, response)
    return scope.lists[response]


def path_count(scope: Scope, response: str) -> int:
    """How many paths graphon would list (see `paths.count_paths`); kept with the scope."""
    if response not in scope.counts:
        scope.counts[response] = count_paths(scope.graph, response)
    return scope.counts[response]


def power_of_ten(count: int) -> str:
    """A long number as its power of ten: `about 10^301`."""
    exact = count.bit_length() <= MOST_BITS
    return f"about 10^{len(str(count)) - 1 if exact else int(count.bit_length() * 0.30103)}"


def _list(scope: Scope, response: str) -> Paths | None:
    if response == scope.root:
        return ((),)
    nodes = _between(scope, response)
    if scope.root not in nodes:
        return ()
    order = _topological(scope, response, nodes)
    return _walk(scope, response, nodes) if order is None else _merge(scope, response, nodes, order)


def _between(scope: Scope, response: str) -> set[str]:
    """Nodes on some walk from the root to the target that meets the target only at its end."""
    into: dict[str, list[str]] = {}
    seen = {scope.root}
    todo = [scope.root]
    while todo:
        node = todo.pop()
        for edge in scope.out.get(node, ()) if node != response else ():
            into.setdefault(edge.target, []).append(node)
            if edge.target not in seen:
                seen.add(edge.target)
                todo.append(edge.target)
    if response not in seen:
        return set()
    useful = {response}
    todo = [response]
    while todo:
        for source in into.get(todo.pop(), ()):
            if source not in useful:
                useful.add(source)
                todo.append(source)
    return useful


def _topological(scope: Scope, response: str, nodes: set[str]) -> list[str] | None:
    """The nodes with every source before its targets; None when there is a cycle among them."""
    waiting = dict.fromkeys(nodes, 0)
    for node in nodes - {response}:
        for edge in scope.out.get(node, ()):
            if edge.target in waiting:
                waiting[edge.target] += 1
    ready = [node for node, count in waiting.items() if count == 0]
    order = []
    while ready:
        node = ready.pop()
        order.append(node)
        for edge in scope.out.get(node, ()) if node != response else ():
            if edge.target in waiting:
                waiting[edge.target] -= 1
                if waiting[edge.target] == 0:
                    ready.append(edge.target)
    return order if len(order) == len(nodes) else None


def _merge(scope: Scope, response: str, nodes: set[str], order: list[str]) -> Paths | None:
    stops = scope.stops[response]
    tails: dict[str, Paths] = {response: ((),)}
    for node in reversed(order):
        if node == response:
            continue
        ahead = [edge for edge in scope.out.get(node, ()) if edge.target in nodes]
        if sum(len(tails[edge.target]) for edge in ahead) > PATH_LIMIT:
            return None
        if len(ahead) == 1 and node not in stops:
            tails[node] = tails[ahead[0].target]
        elif node in stops:
            tails[node] = tuple((edge.id, *tail) for edge in ahead for tail in tails[edge.target])
        else:
            tails[node] = tuple(tail for edge in ahead for tail in tails[edge.target])
    return tails[scope.root]


def _walk(scope: Scope, response: str, nodes: set[str]) -> Paths | None:
    """graphon's own walk, for graphs with cycles; gives up above a limit of paths or of edges walked."""
    stops = scope.stops[response]
    found: list[tuple[str, ...]] = []
    blocking: list[str] = []
    visited = {scope.root}
    stack = [(scope.root, iter(scope.out.get(scope.root, ())), False)]
    walked = 0
    while stack:
        node, ahead, held = stack[-1]
        edge = next(ahead, None)
        if edge is None:
            stack.pop()
            visited.discard(node)
            if held:
                blocking.pop()
            continue
        walked += 1
        if walked > _WALK_LIMIT or len(found) > PATH_LIMIT:
            return None
        if edge.target not in nodes or edge.target in visited:
            continue
        holds = node in stops
        if edge.target == response:
            found.append((*blocking, edge.id) if holds else tuple(blocking))
            continue
        if holds:
            blocking.append(edge.id)
        visited.add(edge.target)
        stack.append((edge.target, iter(scope.out.get(edge.target, ())), holds))
    return tuple(found) if len(found) <= PATH_LIMIT else None
