"""Edges that a gate waits for although they were taken: it was not there, or has forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from workbench.core.answers import cheapest
from workbench.core.gate import Gate
from workbench.core.graph import Edge

_LOST = 1000


def heard_of(gate: Gate, response: str) -> Callable[[Edge], bool]:
    """Whether the gate has struck (or never had to strike) a blocking edge for a response node."""
    if gate.state.lists is None:
        return lambda edge: edge.id in gate.state.taken
    left = {edge for path in gate.state.lists.get(response, ()) for edge in path}
    return lambda edge: edge.id not in left


def lost_edges(
    gate: Gate, edges: Mapping[str, str], response: str, *, arrived: bool = False
) -> tuple[str, ...] | None:
    """The blocking edges that were taken unheard, on the path to the response node that has the fewest of
    them.

    Args:
        edges: the run's edge states.
        arrived: the response node has run, so only paths of taken edges count.

    Returns:
        The edges in the order of the path; () when the gate can still open; None when no path can be walked
        any more (every one was skipped, or there is none).
    """
    return lost_edges_of(gate, edges, [response], arrived=arrived)[response]


def lost_edges_of(
    gate: Gate, edges: Mapping[str, str], responses: Iterable[str], *, arrived: bool = False
) -> dict[str, tuple[str, ...] | None]:
    """As `lost_edges`, for several response nodes; those that hear of the same edges share one search."""
    found: dict[str, tuple[str, ...] | None] = {}
    groups: dict[tuple[frozenset[str], str | None], list[str]] = {}
    for response in responses:
        found[response] = None
        if response in gate.scope.stops:
            alone = response if gate.state.lists is not None else None
            groups.setdefault((gate.scope.stops[response], alone), []).append(response)
    for (stops, _), group in groups.items():
        heard = heard_of(gate, group[0])

        def is_lost(edge: Edge, stops: frozenset[str] = stops, heard: Callable[[Edge], bool] = heard) -> bool:
            return edge.source in stops and edges.get(edge.id) == "taken" and not heard(edge)

        def cost(edge: Edge, stops: frozenset[str] = stops, is_lost: Callable[[Edge], bool] = is_lost) -> int:
            known = edges.get(edge.id, "unknown")
            if known == "skipped" or (arrived and known != "taken"):
                return -1
            return _LOST if is_lost(edge) else int(edge.source in stops)

        paths = cheapest(gate.scope, cost)
        for response in group:
            path = paths.get(response)
            found[response] = None if path is None else tuple(edge.id for edge in path if is_lost(edge))
    return found
