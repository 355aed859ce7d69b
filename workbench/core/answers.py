"""Where every Answer stands: locked, queued, active or done, and the edges that decide it.

An Answer opens by one path. Of all its paths the one with the fewest untaken blocking edges is told; among
equals one without skipped edges, then the shortest, then the first in the order of the DSL.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from heapq import heappop, heappush

from workbench.core.blocking import Scope
from workbench.core.finding import AnswerPhase, AnswerState
from workbench.core.gate import Gate
from workbench.core.graph import Edge

_FAR = 1_000_000


def answer_states(gate: Gate, edges: Mapping[str, str] | None = None) -> tuple[AnswerState, ...]:
    """The state of every response node of the app, those inside containers last.

    Args:
        edges: edge states of the run ("skipped" edges are avoided when a path is chosen).
    """
    skipped = {edge for edge, state in (edges or {}).items() if state == "skipped"}
    known = gate.state.responses
    states = _by_lists(gate, skipped) if gate.state.lists is not None else _by_reach(gate, skipped)
    inside = [
        AnswerState(node.id, "locked")
        for node in gate.scope.graph.nodes.values()
        if node.kind == "response" and node.id not in known
    ]
    return (*states, *inside)


def phase_of(gate: Gate, response: str) -> AnswerPhase:
    """locked: no path is open. queued: another Answer's turn. active: its turn. done: streamed to its end."""
    state = gate.state
    if response in state.pending:
        return "locked"
    if state.active is not None and state.active.node_id == response:
        return "active"
    return "queued" if any(session.node_id == response for session in state.waiting) else "done"


def _by_reach(gate: Gate, skipped: Collection[str]) -> list[AnswerState]:
    scope, taken = gate.scope, gate.state.taken
    found = {}
    for stops, responses in scope.groups().items():

        def cost(edge: Edge, stops: frozenset[str] = stops) -> int:
            return 1 if edge.source in stops and edge.id not in taken else 0

        paths = cheapest(scope, cost, skipped)
        for response in responses:
            held = [edge.id for edge in paths.get(response, ()) if edge.source in stops]
            found[response] = AnswerState(
                response,
                phase_of(gate, response),
                tuple(edge for edge in held if edge not in taken),
                tuple(edge for edge in held if edge in taken),
            )
    return [found[r] if r in found else AnswerState(r, phase_of(gate, r)) for r in gate.state.responses]


def _by_lists(gate: Gate, skipped: Collection[str]) -> list[AnswerState]:
    states = []
    for response in gate.state.responses:
        listed = (gate.state.lists or {}).get(response, [])
        left = min(listed, key=lambda path: (len(path), sum(e in skipped for e in path)), default=[])
        taken = _taken_beside(gate.scope, response, left, {e for path in listed for e in path}, skipped)
        states.append(AnswerState(response, phase_of(gate, response), tuple(left), taken if listed else ()))
    return states


def _taken_beside(
    scope: Scope, response: str, left: list[str], listed: set[str], skipped: Collection[str]
) -> tuple[str, ...]:
    """The blocking edges that were struck from the path of which `left` remains."""
    if response not in scope.stops:
        return ()
    wanted = set(left)

    def cost(edge: Edge) -> int:
        return _FAR if edge.id in listed and edge.id not in wanted else int(edge.id in listed)

    path = cheapest(scope, cost, skipped).get(response, ())
    return tuple(e.id for e in path if e.source in scope.stops[response] and e.id not in listed)


def cheapest(
    scope: Scope, cost: Callable[[Edge], int], skipped: Collection[str] = ()
) -> dict[str, tuple[Edge, ...]]:
    """The cheapest path from the root to every response node that has one (Dijkstra).

    Args:
        cost: what an edge costs; a negative cost means that it can't be walked.
    """
    best: dict[str, tuple[int, int, int]] = {scope.root: (0, 0, 0)}
    came: dict[str, Edge] = {}
    done: set[str] = set()
    heap: list[tuple[int, int, int, int, str]] = [(0, 0, 0, 0, scope.root)]
    counter = 0
    while heap:
        total, avoid, hops, _, node = heappop(heap)
        if node in done:
            continue
        done.add(node)
        for edge in scope.out.get(node, ()):
            price = cost(edge)
            if price < 0 or edge.target in done:
                continue
            reached = (total + price, avoid + (edge.id in skipped), hops + 1)
            if edge.target not in best or reached < best[edge.target]:
                best[edge.target] = reached
                came[edge.target] = edge
                counter += 1
                heappush(heap, (*reached, counter, edge.target))
    return {response: _path(response, came) for response in scope.responses if response in best}


def _path(node: str, came: Mapping[str, Edge]) -> tuple[Edge, ...]:
    path = []
    while node in came:
        path.append(came[node])
        node = came[node].source
    return tuple(reversed(path))
