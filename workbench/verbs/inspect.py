"""A recorded run, read back: its app, its graph, and its timeline with every step's state."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.core.graph import Graph
from workbench.core.graph_of import graph_of
from workbench.core.replay import Timeline
from workbench.errors import NotFoundError
from workbench.records.app import App
from workbench.records.gate_state import edge_names
from workbench.verbs.context import Context
from workbench.verbs.environment import Environment, recorded_environment
from workbench.verbs.history import journal
from workbench.verbs.target import StoredTarget, find, stored_app

if TYPE_CHECKING:
    from workbench.store.rows import RunDetail


@dataclass(frozen=True)
class LoadedRun:
    """A run with all that can be asked about it.

    Attributes:
        times: when each event was, in seconds since 1970.
        environment: its environment variables, for the mask (`workbench.views.secrets.mask_for`).
    """

    run: RunDetail
    app: App
    graph: Graph
    timeline: Timeline
    times: tuple[float, ...] = ()
    environment: Environment = ()


def load_run(ctx: Context, run: str, *, until: int | None = None) -> LoadedRun:
    """A run by its id, a beginning of it, or the id of one of its pauses (then up to that pause).

    Args:
        until: leave out the events after this step.

    Raises:
        NotFoundError: no run goes by that id.
    """
    target = find(ctx, run)
    if not isinstance(target, StoredTarget) or target.kind == "app":
        raise NotFoundError(f"{run} is not a run.", "", "`workbench runs` lists the runs.")
    if target.kind == "pause":
        pause = ctx.store.pause(target.id)
        return open_run(ctx, pause.run_id, until=pause.step if until is None else until)
    return open_run(ctx, target.id, until=until)


def open_run(ctx: Context, run_id: str, *, until: int | None = None) -> LoadedRun:
    """As `load_run`, for an exact run id."""
    row = ctx.store.run(run_id)
    app = stored_app(ctx, row.app_id)
    graph = graph_of(app.graph, app.root)
    rows = list(ctx.store.events(run_id, 1, until))
    events, times = [event for _, _, event in rows], tuple(at for _, at, _ in rows)
    row = replace(row, steps=len(events))
    names = edge_names(list(app.graph["edges"]))
    segments = ctx.store.segments(run_id)
    timeline = Timeline(graph, journal(segments, events, names))
    return LoadedRun(row, app, graph, timeline, times, recorded_environment(app, segments))


def follow_run(ctx: Context, before: LoadedRun) -> LoadedRun:
    """The same run with what was recorded since; only that is read and replayed."""
    run_id, seen = before.run.run_id, before.timeline.steps
    row = ctx.store.run(run_id)
    rows = list(ctx.store.events(run_id, seen + 1))
    events = (*before.timeline.journal.events, *(event for _, _, event in rows))
    row = replace(row, steps=len(events))
    segments = ctx.store.segments(run_id)
    names = edge_names(list(before.app.graph["edges"]))
    return replace(
        before,
        run=row,
        timeline=before.timeline.extended(journal(segments, events, names)),
        times=(*before.times, *(at for _, at, _ in rows)),
        environment=recorded_environment(before.app, segments),
    )
