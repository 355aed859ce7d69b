"""`show`: a run at one step, or a saved pause, with everything that was true there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.edits import Document, faults
from workbench.core.findings import diagnose_bare
from workbench.core.fitting import misfits
from workbench.core.graph import Graph, Node
from workbench.core.graph_of import graph_of
from workbench.core.inspect import Inspection, inspect
from workbench.core.replay import Timeline
from workbench.core.state import Journal, Segment, State
from workbench.core.writers import Written, written, written_at
from workbench.errors import UsageError
from workbench.records.app import App
from workbench.records.gate_state import edge_names, translate_edges
from workbench.verbs.context import Context
from workbench.verbs.edit import subject_of, subject_of_file
from workbench.verbs.environment import Environment, environment_of
from workbench.verbs.history import base_of
from workbench.verbs.inspect import load_run
from workbench.verbs.known_app import KnownApp, known_app
from workbench.verbs.saved import SavedPause, open_saved
from workbench.verbs.target import FileTarget, find
from workbench.verbs.why import titles_of

if TYPE_CHECKING:
    from workbench.store.rows import RunDetail

WITHOUT_APP = (
    "Without its app: ids as they were saved. --app APP adds titles, the edges by their own ids, the "
    "Answers' templates with the position in them, and whether the state fits the app."
)

MOST_FAULTS = 20
"""Most sentences about what its own engine would refuse, or drop, of a saved state with this app."""


@dataclass(frozen=True)
class Shown:
    """A run at a step, or a saved pause.

    Attributes:
        name: the app's name, for a saved pause the file's.
        run: None for a saved pause.
        app: None for a saved pause whose app is not known.
        environment: the environment variables, for the mask.
        pause: all that the saved state says, for a pause or a saved file.
        written: who wrote each variable of a run, by node and name.
    """

    name: str
    kernel: str
    status: str
    run: RunDetail | None
    app: App | None
    graph: Graph
    state: State
    steps: int
    environment: Environment = ()
    notes: tuple[str, ...] = ()
    pause: Inspection | None = None
    written: Mapping[str, Mapping[str, Written]] = field(default_factory=dict)


def show(
    ctx: Context, target: Path | str, step: int | None = None, *, app: Path | str | None = None
) -> Shown:
    """A run at `step`: None is the last one, 0 before the first event; a pause's id means its own step.

    A saved pause (a file, or the id of one) has one step, 0; without its app only ids are known.

    Raises:
        UsageError: there is no such step.
        NotFoundError: nothing goes by that id.
    """
    found = find(ctx, target)
    if isinstance(found, FileTarget):
        return _saved(ctx, found, step, app)
    loaded = load_run(ctx, found.id)
    steps = loaded.timeline.steps
    state = loaded.timeline.at(_checked(step, steps, f"Run {loaded.run.run_id}"))
    run = loaded.run
    shown = Shown(
        run.app, run.kernel, run.status, run, loaded.app, loaded.graph, state, steps, loaded.environment
    )
    events = loaded.timeline.journal.events[: state.step]
    shown = replace(shown, written=written(loaded.graph, state.nodes, state.variables, events))
    if found.kind != "pause" or state.step != steps:
        return shown
    opened = subject_of(ctx, found.id).editing().original
    return replace(shown, pause=inspect(opened, written_at(events)))


def _saved(ctx: Context, target: FileTarget, step: int | None, app: Path | str | None) -> Shown:
    if target.kind == "sse-capture":
        return _capture(ctx, target, step, app)
    saved = open_saved(target)
    known = known_app(ctx, target, app, saved.runtime)
    if known.app is None:
        return _alone(ctx, saved, target, known, step)
    found = known.app
    graph = graph_of(found.graph, found.root)
    _checked(step, 0, target.name)
    state = state_of_saved(saved, found, graph)
    notes = (saved.told, *known.notes, *saved.notes)
    environment = environment_of(found, saved.runtime)
    shown = Shown(target.name, saved.kernel, "paused", None, found, graph, state, 0, environment, notes)
    opened = subject_of_file(ctx, target, found, saved=saved).editing().original
    told = tuple(_against(opened, graph, saved, edge_names(list(found.graph["edges"]))))
    return replace(shown, pause=inspect(opened), notes=(*notes, *told))


def _capture(ctx: Context, target: FileTarget, step: int | None, app: Path | str | None) -> Shown:
    """A step of the journal that a recorded stream gives with its app."""
    from workbench.verbs.captures import replayable

    opened, run, explained = replayable(ctx, target, app, "show")
    timeline = explained.timeline
    assert opened.app is not None
    assert opened.graph is not None
    state = timeline.at(_checked(step, timeline.steps, target.name))
    events = timeline.journal.events[: state.step]
    return Shown(
        target.name,
        timeline.journal.kernel,
        run.status or "running",
        None,
        opened.app,
        opened.graph,
        state,
        timeline.steps,
        opened.environment,
        opened.notes,
        written=written(opened.graph, state.nodes, state.variables, events),
    )


def _against(opened: Document, graph: Graph, saved: SavedPause, names: Mapping[str, str]) -> Iterator[str]:
    """What its engine would refuse or drop of a saved state with this app: a summary, then each by itself."""
    told = tuple(dict.fromkeys(fault.message for fault in islice(faults(opened), MOST_FAULTS)))
    clauses = () if saved.runtime is None else misfits(graph, base_of(saved.runtime, names))
    if clauses:
        yield f"This is not the graph that was saved, or not this version of it: {'; '.join(clauses)}."
    if len(told) > 1:
        yield f"The next {len(told)} notes tell what {saved.kernel} would refuse or drop of it."
    yield from told


def state_of_saved(saved: SavedPause, app: App, graph: Graph) -> State:
    """What was true when a pause was saved, edges by the ids of its app."""
    names = edge_names(list(app.graph["edges"]))
    gate = None if saved.gate is None else translate_edges(saved.gate.data, names)
    base = None if saved.runtime is None else base_of(saved.runtime, names)
    mode = "fresh" if gate is None else "restored"
    journal = Journal({}, (Segment(1, mode, gate, base, saved.kernel),), (), saved.kernel)
    return Timeline(graph, journal).at(0)


def _alone(ctx: Context, saved: SavedPause, target: FileTarget, known: KnownApp, step: int | None) -> Shown:
    """A saved pause without its app: ids as they were saved, no edges between nodes, no templates."""
    runtime = saved.runtime
    gate = {} if saved.gate is None else dict(saved.gate.data)
    state = State(
        step=_checked(step, 0, target.name),
        steps=0,
        segment=0,
        event=None,
        gate=gate,
        nodes={} if runtime is None else runtime.node_states,
        edges={} if runtime is None else runtime.edge_states,
        status={},
        variables={} if runtime is None else runtime.variables,
        chunks=(),
        streamed="",
        segment_streamed="",
        stream_error=None,
        answers=diagnose_bare(gate or None)[1],
    )
    titles = titles_of(saved)
    nodes = {
        node: Node(node, "unknown", titles.get(node, node), "executable")
        for node in (*state.nodes, *(each.node_id for each in state.answers))
    }
    fits = tuple(f"the imported app {name!r} ({app_id[:12]}) fits" for name, app_id in known.fitting[:4])
    opened = subject_of_file(ctx, target, None, saved=saved).editing().original
    return Shown(
        target.name,
        saved.kernel,
        "paused",
        None,
        None,
        Graph(nodes, {}, ""),
        state,
        0,
        environment_of(None, runtime),
        (saved.told, WITHOUT_APP, *fits, *saved.notes),
        inspect(opened),
    )


def _checked(step: int | None, steps: int, name: str) -> int:
    wanted = steps if step is None else step
    if not 0 <= wanted <= steps:
        raise UsageError(
            f"{name} has no step {wanted}.",
            f"Its steps are 0 (before the first event) to {steps}." if steps else "Its only step is 0.",
            f"For example: --step {steps}",
        )
    return wanted
