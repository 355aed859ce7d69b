"""Where in a run each of its facts came about: the step of a node's end, of an edge, of a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from workbench.core.compare import ENDS
from workbench.core.state import Event

_WRITERS: Final = ("NodeRunSucceeded", "NodeRunException", "NodeRunHumanInputFormFilled")


@dataclass(frozen=True, slots=True)
class Place:
    """A step of a run; of a fork also one of a run that it was forked from. `run_id` is None for a saved
    pause, whose only step is 0.
    """

    run_id: str | None
    step: int


@dataclass(frozen=True)
class Places:
    """Where the facts of a run came about. What was there from the beginning has no place.

    Attributes:
        nodes: by node id and occurrence (0 is the first), in the order in which they ended.
        taken: edges, the last time each was taken.
        written: variables by node id and name, the last time each got its value.
        streamed: how long the text was after each step that streamed some.
        last: where one stands at the end.
    """

    nodes: Mapping[tuple[str, int], Place] = field(default_factory=dict)
    taken: Mapping[str, Place] = field(default_factory=dict)
    written: Mapping[tuple[str, str], Place] = field(default_factory=dict)
    streamed: Sequence[tuple[int, Place]] = ()
    last: Place | None = None

    def of_text(self, length: int) -> Place | None:
        """Where the character behind the first `length` ones was streamed; the last text where none was."""
        return next(
            (place for total, place in self.streamed if total > length),
            self.streamed[-1][1] if self.streamed else self.last,
        )


def places(
    told: Iterable[tuple[Place, Event]], streamed: Sequence[tuple[int, Place]], last: Place | None
) -> Places:
    """The places of all that these events tell, in their order."""
    nodes: dict[tuple[str, int], Place] = {}
    count: dict[str, int] = {}
    taken: dict[str, Place] = {}
    written: dict[tuple[str, str], Place] = {}
    for place, event in told:
        kind = event["kind"]
        if kind in ENDS:
            node = event["node"]
            nodes[node, count.setdefault(node, 0)] = place
            count[node] += 1
        if kind == "GraphEdgeTaken":
            taken[event["edge"]] = place
        for variable in _written(event):
            written[variable] = place
    return Places(nodes, taken, written, streamed, last)


def _written(event: Event) -> Iterable[tuple[str, str]]:
    if event["kind"] == "NodeRunVariableUpdated":
        selector: list[Any] = list(event.get("selector") or ())
        if len(selector) >= 2:
            yield str(selector[0]), str(selector[1])
    elif event["kind"] in _WRITERS:
        for key in ("outputs", "fields"):
            for name in event.get(key) or ():
                yield event["node"], str(name)
