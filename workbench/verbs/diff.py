"""`diff`: what differs between two runs, two steps, two saved states, or two apps."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.aligned import SAVED, Facts, Row, rows
from workbench.core.compare import (
    opened,
    rest_view,
    run_id_of,
    run_view,
    runtime_version,
    step_view,
    timing_view,
    without_new_ids,
)
from workbench.core.diff import Change, diff, same
from workbench.core.graph_of import graph_of
from workbench.core.hiding import hider_for, is_masked
from workbench.errors import UsageError
from workbench.verbs.context import Context
from workbench.verbs.diff_facts import facts_of_app, facts_of_run
from workbench.verbs.environment import Environment, environment_of
from workbench.verbs.inspect import LoadedRun, open_run
from workbench.verbs.known_app import known_app
from workbench.verbs.lineage import past_of
from workbench.verbs.saved import open_saved
from workbench.verbs.show import state_of_saved
from workbench.verbs.target import FileTarget, StoredTarget, find

if TYPE_CHECKING:
    from workbench.records.app import App

_AT_STEP = re.compile(r"(?P<id>[^/@]+)@(?P<step>\d+)")
_STATES = ("resumption-context", "runtime-state", "stream-filter")


@dataclass(frozen=True)
class Side:
    """One of the two things that are compared.

    Attributes:
        name: how it is called in messages.
        views: the ways to look at it, the most telling first.
        environment: environment variables, for the mask.
        timing: seconds and tokens of a run, None else.
        facts: gives what is known beside the values in a view.
        told: more about it for people: app, status, engine kernel.
        opens: what a debugger opens to show it (an id or a file, and a step), None for an app.
    """

    name: str
    views: Mapping[str, Callable[[], Any]] = field(repr=False)
    environment: Environment = ()
    timing: Mapping[str, Any] | None = None
    facts: Callable[[str], Facts] = field(default=lambda view: Facts(), repr=False)
    told: str = ""
    opens: tuple[str, int | None] | None = None

    @property
    def file_kind(self) -> str | None:
        """Of a saved state: what kind of file it is, whose content is one of its views."""
        return next((view for view in self.views if view in _STATES), None)


@dataclass(frozen=True)
class Differences:
    """What turns the first side into the second.

    Attributes:
        view: how both were looked at: "run" (aligned by node and occurrence), "step" (gate, nodes, edges,
            variables, streamed text), "app", or the kind of file (its whole content).
        values: both sides as they were compared.
    """

    before: Side
    after: Side
    view: str
    changes: tuple[Change, ...]
    values: tuple[Any, Any] = field(default=(None, None), repr=False)

    @property
    def equal(self) -> bool:
        return not self.changes

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Both sides aligned, fact by fact."""
        facts = self.before.facts(self.view), self.after.facts(self.view)
        return rows(self.view, *self.values, self.changes, facts)

    def swapped(self) -> Differences:
        """The same from the other side."""
        before, after = self.values
        return Differences(self.after, self.before, self.view, diff(after, before), (after, before))


def compare(ctx: Context, before: str, after: str, *, app: Path | str | None = None) -> Differences:
    """Compare two of: a run, a run at a step (`RUN@7`), a pause, a file, or anything stored.

    Args:
        app: the app of saved pauses: with it they are compared by what they mean, like steps; without it by
            their whole content. Needed to compare one with a run.

    Raises:
        UsageError: the two can't be compared, or a saved pause needs its app for it.
    """
    first, second = side(ctx, before, app), side(ctx, after, app)
    shared = next((view for view in first.views if view in second.views), None)
    if shared is None:
        raise UsageError(
            f"{first.name} can't be compared with {second.name}.",
            f"One is {_article(first)}, the other {_article(second)}.",
            "Compare two runs, two steps (RUN@7), two saved states, or two apps.",
        )
    before, after = _values(first, second, shared)
    return Differences(first, second, shared, diff(before, after), (before, after))


def _values(first: Side, second: Side, view: str) -> tuple[Any, Any]:
    """Both sides. Where one came out of a masked bundle, what is hidden there is hidden in both."""
    before, after = first.views[view](), second.views[view]()
    if view == "step":
        before, after = _with_rest(first, before, second, after)
    if (is_masked(before) or is_masked(after)) and not same(before, after):
        hider = hider_for((*first.environment, *second.environment), (), (before, after))
        return hider.view(before), hider.view(after)
    return before, after


def _with_rest(first: Side, before: Any, second: Side, after: Any) -> tuple[Any, Any]:
    """Files: what a step's view does not tell stands beside it, so that no change of a file stays unseen. A
    file tells no node's status, so it is no difference to a run. Other formats differ everywhere else.
    """
    kinds = first.file_kind, second.file_kind
    if None in kinds:
        return (before, after) if kinds == (None, None) else (_no_status(before), _no_status(after))
    contents = [side.views[str(kind)]() for side, kind in zip((first, second), kinds, strict=True)]
    if kinds[0] != kinds[1] or runtime_version(contents[0]) != runtime_version(contents[1]):
        return before, after
    rests = [rest_view(content) for content in contents]
    runs = [run_id_of(content) for content in contents]
    if None not in runs and runs[0] != runs[1]:  # then every id differs, and one line says it
        rests = [{"run_id": run, **without_new_ids(rest)} for run, rest in zip(runs, rests, strict=True)]
    return {**before, SAVED: rests[0]}, {**after, SAVED: rests[1]}


def _no_status(view: Any) -> Any:
    return {key: value for key, value in view.items() if key != "status"}


def side(ctx: Context, text: str, app: Path | str | None = None) -> Side:
    """What `text` names, ready to be compared. Raises as `compare`."""
    at_step = None if Path(text).exists() else _AT_STEP.fullmatch(text)
    found = find(ctx, at_step["id"] if at_step else text)
    if isinstance(found, FileTarget):
        return _of_file(ctx, found, app)
    if found.kind == "app":
        return _of_app(ctx, found)
    return _of_run(ctx, found, int(at_step["step"]) if at_step else None)


def _of_run(ctx: Context, target: StoredTarget, step: int | None) -> Side:
    if target.kind == "pause":
        pause = ctx.store.pause(target.id)
        loaded, at, name = open_run(ctx, pause.run_id), pause.step, f"the pause {target.id}"
    else:
        loaded = open_run(ctx, target.id)
        at, name = loaded.timeline.steps if step is None else step, f"run {target.id}"
    if not 0 <= at <= loaded.timeline.steps:
        raise UsageError(f"{name} has no step {at}.", f"Its steps are 0 to {loaded.timeline.steps}.")
    views: dict[str, Callable[[], Any]] = {
        "step": lambda: step_view(loaded.timeline.at(at)),
    }
    if step is None and target.kind == "run":
        views = {"run": lambda: _whole(ctx, loaded), **views}
    return Side(
        name if step is None else f"{name} at step {step}",
        views,
        loaded.environment,
        timing_view(loaded.timeline.journal.events, loaded.times),
        lambda view: facts_of_run(ctx, loaded, at, view),
        f"{loaded.run.app}, {loaded.run.status}, {loaded.run.kernel}",
        (loaded.run.run_id, at),
    )


def _whole(ctx: Context, loaded: LoadedRun) -> dict[str, Any]:
    run = loaded.run
    return run_view(run.status, loaded.timeline, run.outputs or {}, past_of(ctx, run.forked_from))


def _of_app(ctx: Context, target: StoredTarget) -> Side:
    from workbench.verbs.target import stored_app

    app = stored_app(ctx, target.id)
    views = {"app": lambda: _app_view(app)}
    return Side(f"the app {app.name}", views, environment_of(app), facts=lambda view: facts_of_app(app))


def _app_view(app: App) -> dict[str, Any]:
    """Nodes and edges by id, so that a moved list entry is no difference."""
    graph = app.graph
    return {
        "name": app.name,
        "mode": app.mode,
        "nodes": {str(node["id"]): node for node in graph["nodes"]},
        "edges": {str(edge["id"]): edge for edge in graph["edges"]},
        "environment_variables": list(app.environment_variables),
        "conversation_variables": list(app.conversation_variables),
        "features": dict(app.features),
    }


def _of_file(ctx: Context, target: FileTarget, app: Path | str | None) -> Side:
    if target.kind == "app":
        from workbench.records.app import read_app

        read = read_app(target.data, target.name)
        seen = {"app": lambda: _app_view(read)}
        return Side(target.name, seen, environment_of(read), facts=lambda view: facts_of_app(read))
    if target.kind not in _STATES:
        raise UsageError(
            f"{target.name} can't be compared.",
            f"It is a {target.kind.replace('-', ' ')}.",
            "Compare runs, steps, saved states or apps.",
        )
    views: dict[str, Callable[[], Any]] = {target.kind: lambda: _content(target)}
    environment: Environment = ()
    opens = (target.name if target.id is None else target.id, None)
    if app is not None:
        saved = open_saved(target)
        found = known_app(ctx, target, app, saved.runtime).needed(target.name, "diff")
        graph = graph_of(found.graph, found.root)
        views = {"step": lambda: step_view(state_of_saved(saved, found, graph)), **views}
        environment = environment_of(found, saved.runtime)
        facts = facts_of_app(found)
        return Side(target.name, views, environment, None, lambda view: facts, target.detail, opens)
    return Side(target.name, views, environment, told=target.detail, opens=opens)


def _content(target: FileTarget) -> Any:
    from workbench.records.reading import parse_json

    return opened(parse_json(target.data, target.name))


def _article(side: Side) -> str:
    words = {"run": "a run", "step": "a step of a run", "app": "an app"}
    first = next(iter(side.views))
    return words.get(first, f"a {first.replace('-', ' ')}")
