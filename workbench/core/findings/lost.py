"""Edges that a gate waits for although they were taken: it was not there, or has forgotten."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
    if response not in gate.scope.stops:
        return None
    heard, stops = heard_of(gate, response), gate.scope.stops[response]

    def is_lost(edge: Edge) -> bool:
        return edge.source in stops and edges.get(edge.id) == "taken" and not heard(edge)

    def cost(edge: Edge) -> int:
        known = edges.get(edge.id, "unknown")
        if known == "skipped" or (arrived and known != "taken"):
            return -1
        return _LOST if is_lost(edge) else int(edge.source in stops)

    path = cheapest(gate.scope, cost).get(response)
    return None if path is None else tuple(edge.id for edge in path if is_lost(edge))
