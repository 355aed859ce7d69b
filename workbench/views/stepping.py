"""Steps over a node: to its end, and past all that is inside it."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.graph import Graph
from workbench.core.picture.marks import Mark
from workbench.views.journey import Journey

_PLACES = ("start", "end", "error", "pause")


def over(journey: Journey, direction: int) -> int | None:
    """The step at which a step over the node here ends; None where there is none.

    At a node's start (going back: at its end) it is the other end of the very same execution, with all that
    went on inside and beside it skipped. Elsewhere it is the next start or end that is not inside a
    container deeper than this place.
    """
    here = journey.mark
    if here is not None and here.node is not None:
        wanted = ("start",) if direction > 0 else ("end", "error")
        if here.kind in wanted and (found := _other_end(journey, here, direction)) is not None:
            return found
    open_scopes = _scopes(journey.graph, None if here is None else here.container)
    for mark in _marks(journey, direction):
        if mark.kind in _PLACES and mark.container in open_scopes:
            return mark.step
    return None


def _marks(journey: Journey, direction: int) -> Sequence[Mark]:
    marks = journey.marks
    return marks[journey.step :] if direction > 0 else marks[: max(0, journey.step - 1)][::-1]


def _other_end(journey: Journey, here: Mark, direction: int) -> int | None:
    events = journey.events
    xid = events[here.step - 1].get("xid")
    wanted = ("end", "error") if direction > 0 else ("start",)
    for mark in _marks(journey, direction):
        if mark.kind == "pause" and direction > 0:
            return mark.step
        same = mark.node == here.node and mark.container == here.container
        if same and mark.kind in wanted and events[mark.step - 1].get("xid") == xid:
            if _is_half(events[mark.step - 1].get("kind"), direction):
                continue
            return mark.step
    return None


def _is_half(kind: object, direction: int) -> bool:
    """A container tells its start and its end twice, a retry is no end: the outermost of them counts."""
    inner = ("NodeRunIterationSucceeded", "NodeRunLoopSucceeded", "NodeRunRetry")
    return kind in (inner if direction > 0 else ("NodeRunIterationStarted", "NodeRunLoopStarted"))


def _scopes(graph: Graph, container: str | None) -> set[str | None]:
    """A container and all that it is in."""
    found: set[str | None] = {None}
    while container is not None and container not in found:
        found.add(container)
        node = graph.nodes.get(container)
        container = None if node is None else node.parent
    return found
