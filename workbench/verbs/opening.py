"""A saved pause, opened: a timeline with one step, on which it stands, and what can be resumed of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.graph_of import graph_of
from workbench.core.replay import Timeline
from workbench.core.state import Journal, Segment
from workbench.errors import UsageError
from workbench.records.app import App
from workbench.records.gate_state import edge_names, translate_edges
from workbench.verbs.context import Context
from workbench.verbs.environment import environment_of
from workbench.verbs.history import base_of
from workbench.verbs.inspect import LoadedRun
from workbench.verbs.known_app import KnownApp, known_app
from workbench.verbs.saved import SavedPause, open_saved
from workbench.verbs.target import FileTarget, find

if TYPE_CHECKING:
    from workbench.store.rows import PauseRow


@dataclass(frozen=True)
class OpenedPause:
    """A saved pause with its app.

    Attributes:
        loaded: as a run that stands at step 0, without events.
        pause: what a resume takes, None for a gate state alone. Its id is the file's, or its path.
        notes: where it comes from, and what is missing or contradictory in it.
    """

    loaded: LoadedRun
    pause: PauseRow | None
    notes: tuple[str, ...] = ()


def open_pause(ctx: Context, target: Path | str, app: Path | str | None = None) -> OpenedPause | KnownApp:
    """A saved pause as a file, or an id of one; or, where its app is not known, what is known of it.

    Raises:
        UsageError: it is something else.
        NotFoundError: nothing goes by that id.
    """
    found = find(ctx, target)
    if not isinstance(found, FileTarget):
        raise UsageError(f"{target} is not a saved pause.", "", "Give a file, or the id of an imported one.")
    saved = open_saved(found)
    known = known_app(ctx, found, app, saved.runtime)
    if known.app is None:
        return known
    loaded = _loaded(found, saved, known.app)
    return OpenedPause(loaded, _pause(found, saved, known.app), (saved.told, *saved.notes, *known.notes))


def is_saved_pause(ctx: Context, target: Path | str) -> bool:
    """Whether this is a file, or the id of an imported one, and no run or pause of a run."""
    return isinstance(find(ctx, target), FileTarget)


def saved_timeline(saved: SavedPause, app: App) -> Timeline:
    """The one step of a saved pause."""
    names = edge_names(list(app.graph["edges"]))
    gate = None if saved.gate is None else translate_edges(saved.gate.data, names)
    base = None if saved.runtime is None else base_of(saved.runtime, names)
    mode = "fresh" if gate is None else "restored"
    journal = Journal({}, (Segment(1, mode, gate, base, saved.kernel),), (), saved.kernel)
    return Timeline(graph_of(app.graph, app.root), journal)


def _loaded(found: FileTarget, saved: SavedPause, app: App) -> LoadedRun:
    from workbench.store.rows import RunDetail

    timeline = saved_timeline(saved, app)
    run = RunDetail(
        run_id=found.id or found.name,
        app_id="",
        app=app.name,
        mode=app.mode,
        status="paused",
        kernel=saved.kernel,
        started_at=0.0,
        finished_at=None,
        steps=0,
        interrupted=False,
        forked_from=None,
        answer=None,
        outputs={},
        error=None,
        inputs={},
        system={},
        script={},
        options={},
        node_run_steps=0,
        total_tokens=0,
        exceptions_count=0,
        segments=1,
        elapsed=0.0,
    )
    return LoadedRun(run, app, timeline.graph, timeline, (), environment_of(app, saved.runtime))


def _pause(found: FileTarget, saved: SavedPause, app: App) -> PauseRow | None:
    from workbench.store.rows import PauseRow

    if saved.runtime is None:
        return None
    source = saved.source(app, file_id=found.id)
    name = found.id or found.name
    return PauseRow(name, name, 0, 0, source.state, source.gate, source.reasons, {}, 0.0, None)
