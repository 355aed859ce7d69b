"""Known causes of differences between engine kernels; each was seen on the fixtures and is tested there."""

from __future__ import annotations

from workbench.core.graph import Graph
from workbench.verbs.results import RunResult

OLD = ("graphon-0.5", "graphon-0.6")
"""Kernels whose loops and iterations run in an engine of their own."""
SHARED = (*OLD, "graphon-0.7")
"""Kernels whose loop rounds all write into one set of variables."""

NO_PAUSE = "graphon pauses inside loops and iterations from 0.7 on."
OWN_COUNT = "graphon 0.5 and 0.6 count the exceptions inside loops and iterations apart from the run's."
ROUNDS = "graphon 0.8 gives each round of a loop variables of its own; older ones let all rounds share them."
PIECES = "The same text in other pieces: one engine collects what the other streams at once."


def cause(what: str, first: RunResult, other: RunResult, graph: Graph | None = None) -> str | None:
    """The known cause of a difference in `what`, or None.

    Args:
        graph: the app's; without it nothing that comes from loops is known.
    """
    pair = (first, other)
    if any("does not pause inside" in (result.error or "") for result in pair):
        return NO_PAUSE
    if what == "pieces of the stream" and first.streamed == other.streamed:
        return PIECES
    if graph is None or not any(node.kind == "container" for node in graph.nodes.values()):
        return None
    if (
        what == "status"
        and _across(OLD, *pair)
        and {each.status for each in pair} == {"succeeded", "partial-succeeded"}
    ):
        return OWN_COUNT
    loops = any(node.type == "loop" for node in graph.nodes.values())
    if (
        loops
        and what in ("answer", "outputs", "streamed text", "pieces of the stream")
        and _across(SHARED, *pair)
    ):
        return ROUNDS
    return None


def _across(kernels: tuple[str, ...], first: RunResult, other: RunResult) -> bool:
    """Whether just one of the two ran on one of `kernels`."""
    return (first.kernel in kernels) != (other.kernel in kernels)
