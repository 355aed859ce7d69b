"""Breakpoints and steps over nodes, on recorded runs."""

from __future__ import annotations

from tests.tui import journals
from workbench.core.graph import Graph
from workbench.core.replay import Timeline
from workbench.views.breakpoints import Breakpoint, Breakpoints
from workbench.views.journey import Journey
from workbench.views.stepping import over


def journey(made: tuple[Graph, Timeline], step: int = 0) -> Journey:
    graph, timeline = made
    return Journey(graph, timeline, timeline.journal.events, step)


def test_every_kind_stops_where_it_says() -> None:
    run = journey(journals.refund("fresh"))
    assert Breakpoint("before", "approval").steps(run) == [9, 13]
    assert Breakpoint("after", "approval").steps(run) == [17]
    assert Breakpoint("gate").steps(run) == list(run.gate_steps)
    assert Breakpoint("variable", "approval", "note").steps(run) == [14, 17]
    assert Breakpoint("before", "approval").steps(run, 10) == [13]
    assert Breakpoint("before", "nowhere").steps(run) == []


def test_the_first_breakpoint_of_a_step_names_it_and_those_that_are_off_do_not_stop() -> None:
    run = journey(journals.refund("fresh"))
    after, written = Breakpoint("after", "approval"), Breakpoint("variable", "approval", "note")
    points = Breakpoints().toggled(after).toggled(written)
    assert points.stops(run) == {14: written, 17: after}
    assert points.switched(after).stops(run) == {14: written, 17: written}
    assert points.switched(after).switched(after) == points
    assert points.without(after).without(written) == Breakpoints()


def test_a_key_goes_round_before_after_none() -> None:
    points = Breakpoints().cycled("approval")
    assert points.before == {"approval"}
    points = points.cycled("approval")
    assert (points.before, points.nodes) == (frozenset(), {"approval"})
    assert points.cycled("approval") == Breakpoints()


def test_a_single_event_shows_ends_and_writes_to_a_live_run() -> None:
    points = Breakpoints().toggled(Breakpoint("after", "llm")).toggled(Breakpoint("variable", "env", "n"))
    assert points.hit_by(journals.started("llm")) is None
    assert points.hit_by(journals.succeeded("llm")) == Breakpoint("after", "llm")
    write = {"kind": "NodeRunVariableUpdated", "node": "x", "selector": ["env", "n"], "value": 1}
    assert points.hit_by(write) == Breakpoint("variable", "env", "n")
    assert points.switched(Breakpoint("after", "llm")).hit_by(journals.succeeded("llm")) is None


def test_a_step_over_a_container_skips_all_that_is_inside_it() -> None:
    run = journey(journals.looped())
    inside = {m.step for m in run.marks if m.container}
    assert inside
    start = next(m.step for m in run.marks if m.kind == "start" and m.node == "loop")
    run.go(start)
    end = over(run, 1)
    assert end is None or end not in inside
    run.go(min(inside))
    assert over(run, 1) is not None, "inside it the steps are those inside"


def test_a_step_over_ends_with_the_same_execution_and_goes_back_to_its_start() -> None:
    run = journey(journals.refund("fresh"), 5)
    assert over(run, 1) == 8, "the end of the branch, its edges skipped"
    run.go(8)
    assert over(run, -1) == 5
    run.go(9)
    assert over(run, 1) == 11, "the pause ends the step"
    run.go(20)
    assert over(run, 1) is None
    run.go(0)
    assert over(run, -1) is None
