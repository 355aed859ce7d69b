"""A run in hand: where in it the user stands, and every way to move. Without a screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from workbench.core.graph import Graph
from workbench.core.picture.gate_view import Gated
from workbench.core.picture.marks import Mark, marks, next_step, previous_step, steps_of

Event = Mapping[str, Any]


class Stepped(Gated, Protocol):
    """What is read of `workbench.core.state.State`."""

    @property
    def step(self) -> int: ...
    @property
    def segment(self) -> int: ...
    @property
    def variables(self) -> Mapping[str, Mapping[str, Any]]: ...
    @property
    def streamed(self) -> str: ...
    @property
    def segment_streamed(self) -> str: ...


class Steps(Protocol):
    """What is read of `workbench.core.replay.Timeline`."""

    @property
    def steps(self) -> int: ...
    def at(self, step: int) -> Any: ...
    def gate_changes(self) -> tuple[int, ...]: ...
    def chunks_at(self, step: int) -> Any: ...


class Journey:
    """A timeline with a place on it. Step 0 is before the first event.

    Args:
        events: the journal's events, in order; `events[0]` is step 1.
    """

    def __init__(
        self, graph: Graph, timeline: Steps, events: Sequence[Event], step: int | None = None
    ) -> None:
        self.graph = graph
        self.timeline = timeline
        self.events = events
        self._state: tuple[int, Any] | None = None
        self.step = self.steps if step is None else max(0, min(step, self.steps))

    def followed(self, timeline: Steps, events: Sequence[Event], kept: int) -> Journey:
        """The same place in the same run after more was recorded of it.

        Args:
            kept: steps that are as they were (`workbench.core.replay.Timeline.kept`).
        """
        grown = Journey(self.graph, timeline, events, self.step)
        grown.marks = marks(self.graph, events[kept:], grown.gate_steps, self.marks[:kept])
        return grown

    @property
    def steps(self) -> int:
        """How many events there are."""
        return self.timeline.steps

    @property
    def state(self) -> Any:
        """The state at this step."""
        if self._state is None or self._state[0] != self.step:
            self._state = (self.step, self.timeline.at(self.step))
        return self._state[1]

    @property
    def mark(self) -> Mark | None:
        """This step in words; None before the first."""
        return self.marks[self.step - 1] if 0 < self.step <= len(self.marks) else None

    @cached_property
    def marks(self) -> tuple[Mark, ...]:
        """Every step in words."""
        return marks(self.graph, self.events, self.gate_steps)

    @cached_property
    def gate_steps(self) -> tuple[int, ...]:
        """Steps at which an Answer's state, or what it waits for, changed."""
        return self.timeline.gate_changes()

    @cached_property
    def taken_at(self) -> dict[str, int]:
        """The last step at which each edge was taken."""
        return {
            str(event.get("edge")): step
            for step, event in enumerate(self.events, start=1)
            if event.get("kind") == "GraphEdgeTaken"
        }

    @cached_property
    def pause_steps(self) -> tuple[int, ...]:
        """Steps at which the run paused or ended."""
        ends = (
            "GraphRunPaused",
            "GraphRunSucceeded",
            "GraphRunPartialSucceeded",
            "GraphRunFailed",
            "GraphRunAborted",
        )
        return tuple(step for step, event in enumerate(self.events, start=1) if event.get("kind") in ends)

    @cached_property
    def node_steps(self) -> tuple[int, ...]:
        """Steps at which a node starts or ends."""
        return steps_of(self.marks, "start", "end", "error", "pause")

    # moving: each gives whether the step changed ------------------------------

    def go(self, step: int) -> bool:
        """To a step, as near as there is one."""
        before, self.step = self.step, max(0, min(step, self.steps))
        return self.step != before

    def forward(self) -> bool:
        """One step on."""
        return self.go(self.step + 1)

    def back(self) -> bool:
        """One step back."""
        return self.go(self.step - 1)

    def along(self, steps: Sequence[int], direction: int) -> bool:
        """To the next (1) or previous (-1) of some sorted steps; stays where there is none."""
        found = next_step(steps, self.step) if direction > 0 else previous_step(steps, self.step)
        return found is not None and self.go(found)

    def written_by(self, node: str, name: str) -> int | None:
        """The last step up to here at which a variable got its value, None where it was there from the
        beginning.
        """
        for step in range(self.step, 0, -1):
            if writes(self.events[step - 1], node, name):
                return step
        return None


def writes(event: Event, node: str, name: str) -> bool:
    """Whether an event gives a variable its value."""
    kind = event.get("kind")
    if kind == "NodeRunVariableUpdated":
        return tuple(map(str, event.get("selector") or ()))[:2] == (node, name)
    if kind in ("NodeRunSucceeded", "NodeRunException", "NodeRunHumanInputFormFilled"):
        return event.get("node") == node and (
            name in (event.get("outputs") or ()) or name in (event.get("fields") or ())
        )
    return False
