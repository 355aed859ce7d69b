"""Where a run shall stop: before or after a node, when the gate changes, when a variable is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from workbench.core.graph import Graph
from workbench.views.journey import Journey, writes

if TYPE_CHECKING:
    from workbench.core.picture.marks import MarkKind

BreakKind = Literal["before", "after", "gate", "variable"]
_ENDS: frozenset[MarkKind] = frozenset({"end", "error"})


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """One place to stop at.

    Attributes:
        node: the node, or the first part of a variable's selector; empty for the gate.
        name: the variable's name; empty for all but a variable.
    """

    kind: BreakKind
    node: str = ""
    name: str = ""

    def words(self, titles: Mapping[str, str]) -> str:
        """What it stops at, for people."""
        title = titles.get(self.node, self.node)
        return {
            "before": f"before {title}",
            "after": f"after {title}",
            "gate": "when the gate changes",
            "variable": f"when {title}.{self.name} is written",
        }[self.kind]

    def steps(self, journey: Journey, first: int = 1) -> list[int]:
        """The steps of a run from `first` on that it stops at."""
        if self.kind == "gate":
            return [step for step in journey.gate_steps if step >= first]
        if self.kind == "variable":
            return [
                step
                for step, event in enumerate(journey.events[first - 1 :], first)
                if writes(event, self.node, self.name)
            ]
        kinds = {"start"} if self.kind == "before" else _ENDS
        return [m.step for m in journey.marks[first - 1 :] if m.node == self.node and m.kind in kinds]

    def hit_by(self, event: Mapping[str, Any]) -> bool:
        """Whether an event alone shows that the run is there; the gate needs the whole run, and the engine
        itself stops before nodes.
        """
        if self.kind == "variable":
            return writes(event, self.node, self.name)
        ends = ("NodeRunSucceeded", "NodeRunFailed", "NodeRunException")
        return self.kind == "after" and event.get("node") == self.node and event.get("kind") in ends


@dataclass(frozen=True, slots=True)
class Breakpoints:
    """Breakpoints in the order in which they were set; those that are off stay in the list."""

    all: tuple[Breakpoint, ...] = ()
    off: frozenset[Breakpoint] = frozenset()

    @property
    def on(self) -> tuple[Breakpoint, ...]:
        """Those that stop a run."""
        return tuple(each for each in self.all if each not in self.off)

    @property
    def before(self) -> frozenset[str]:
        """The nodes before which the engine itself shall pause."""
        return frozenset(each.node for each in self.on if each.kind == "before")

    def held(self, graph: Graph) -> frozenset[str]:
        """The nodes before which the engine shall pause, so that it stands at all breakpoints that it can
        know: before a node, and before all that follow a node after which, or after whose output, it stops.
        """
        ended = {point.node for point in self.on if point.kind in ("after", "variable")}
        return self.before | {edge.target for edge in graph.edges.values() if edge.source in ended}

    @property
    def nodes(self) -> frozenset[str]:
        """The nodes that have a breakpoint."""
        return frozenset(each.node for each in self.on if each.kind in ("before", "after"))

    def toggled(self, point: Breakpoint) -> Breakpoints:
        """With the breakpoint, or without it where it was there."""
        if point in self.all:
            return self.without(point)
        return replace(self, all=(*self.all, point))

    def without(self, point: Breakpoint) -> Breakpoints:
        """Without a breakpoint."""
        return Breakpoints(tuple(each for each in self.all if each != point), self.off - {point})

    def switched(self, point: Breakpoint) -> Breakpoints:
        """With a breakpoint turned off, or on again."""
        return replace(self, off=self.off ^ {point})

    def cycled(self, node: str) -> Breakpoints:
        """With the next kind of breakpoint on a node: before it, after it, none."""
        before, after = Breakpoint("before", node), Breakpoint("after", node)
        if before in self.all:
            return self.without(before).toggled(after)
        return self.without(after) if after in self.all else self.toggled(before)

    def stops(self, journey: Journey, first: int = 1) -> dict[int, Breakpoint]:
        """Every step from `first` on that one stops at, in order, with the breakpoint that does."""
        found: dict[int, Breakpoint] = {}
        for point in self.on:
            for step in point.steps(journey, first):
                found.setdefault(step, point)
        return dict(sorted(found.items()))

    def hit_by(self, event: Mapping[str, Any]) -> Breakpoint | None:
        """The breakpoint that an event of a live run alone shows to be reached."""
        return _first(point for point in self.on if point.hit_by(event))


def _first(points: Iterable[Breakpoint]) -> Breakpoint | None:
    return next(iter(points), None)
