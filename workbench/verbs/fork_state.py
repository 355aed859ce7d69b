"""The state that a fork goes on from: a place between two nodes, written as an engine kernel reads it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.forking import Boundary, boundary_at
from workbench.core.graph_of import graph_of
from workbench.core.healing import rebuild
from workbench.core.state import DEFAULT_KERNEL, Base
from workbench.errors import UsageError, WorkbenchError
from workbench.records.app import App
from workbench.records.gate_state import edge_names, gate_text
from workbench.records.runtime_state import read_runtime_state
from workbench.records.state_writing import NewState, write_state
from workbench.verbs.context import Context
from workbench.verbs.fork_variables import changed
from workbench.verbs.forms import forms_of
from workbench.verbs.inspect import LoadedRun
from workbench.verbs.lineage import past_of
from workbench.verbs.message import message_at
from workbench.verbs.options import ScriptSource
from workbench.verbs.pauses import PauseSource
from workbench.verbs.target import find_app

if TYPE_CHECKING:
    from workbench.store.rows import SegmentRow

VERSIONS = {"graphon-0.8": "3.0", "graphon-0.7": "2.0", "graphon-0.6": "1.0", "graphon-0.5": "1.0"}
"""The snapshot version that each engine kernel writes itself."""


@dataclass(frozen=True)
class Changes:
    """What is different in the fork.

    Attributes:
        variables: new values by "node.name"; a text that is JSON counts as that JSON unless the variable is a
            text.
        app: another version of the app; node and edge ids connect it with the run.
        gate: "restored" (default), "fresh" or "healed".
        dify: go on as that Dify would: its engine generation, and its gate lost or kept.
    """

    variables: Mapping[str, str] | None = None
    script: ScriptSource = None
    app: Path | str | None = None
    kernel: str | None = None
    gate: str | None = None
    dify: str | None = None


def fork_source(
    ctx: Context, loaded: LoadedRun, step: int | None, changes: Changes, kernel: str, mode: str
) -> PauseSource:
    """The state of a run at a step, written as the engine kernel of the fork reads it."""
    place, wanted = _place(ctx, loaded, step)
    app = loaded.app if changes.app is None else find_app(ctx, changes.app)
    boundary = _adapted(place, loaded.app, app)
    variables = changed(boundary.variables, changes.variables or {})
    names = edge_names(list(app.graph["edges"]))
    positional = {dsl: number for number, dsl in names.items()}
    segments = ctx.store.segments(loaded.run.run_id)
    segment = segments[loaded.timeline.segment_of(place.step)]
    state = new_state(
        replace(boundary, variables=variables),
        types=_types(segments),
        start_at=loaded.times[0] if loaded.times else 0.0,
    )
    gate = _gate(ctx, loaded, app, boundary, variables, kernel, mode)
    return PauseSource(
        app=app,
        kernel=kernel,
        state=write_state(state, VERSIONS[kernel], positional),
        gate=None if gate is None else gate_text(gate, None if kernel == DEFAULT_KERNEL else names),
        reasons=_reasons(loaded, boundary),
        run_id=loaded.run.run_id,
        consumed=True,
        step=place.step,
        lineage={"run_id": loaded.run.run_id, "step": place.step},
        inputs=loaded.run.inputs,
        system=loaded.run.system,
        script=segment.script,
        notes=(*_notes(loaded, place, wanted), *_other_app(place, loaded.app, app)),
    )


def new_state(
    boundary: Boundary, *, types: Mapping[str, Mapping[str, str]] | None = None, start_at: float = 0.0
) -> NewState:
    """What a snapshot says of a place between two nodes."""
    return NewState(
        variables=boundary.variables,
        variable_types=types or {},
        node_states=boundary.node_states,
        edge_states=boundary.edge_states,
        ready=boundary.ready,
        waiting=boundary.waiting,
        executions=boundary.executions,
        outputs=boundary.outputs,
        usage=boundary.usage,
        node_run_steps=boundary.node_run_steps,
        exceptions_count=boundary.exceptions_count,
        start_at=start_at,
    )


def _place(ctx: Context, loaded: LoadedRun, step: int | None) -> tuple[Boundary, int]:
    steps = loaded.timeline.steps
    wanted = steps if step is None else step
    if not 0 <= wanted <= steps:
        raise UsageError(
            f"Run {loaded.run.run_id} has no step {wanted}.",
            f"Its steps are 0 (before the first event) to {steps}.",
            f"For example: --step {steps}",
        )
    place = boundary_at(loaded.timeline, max(wanted, 1), past_of(ctx, loaded.run.forked_from).events)
    if place is None:
        raise WorkbenchError(
            f"Run {loaded.run.run_id} can't be forked at step {wanted}.",
            "Its engine had not come to a place between two nodes.",
            "Run the app again from its start instead.",
        )
    if not place.ready:
        raise WorkbenchError(
            f"There is nothing left to run at step {wanted}.",
            f"All nodes of run {loaded.run.run_id} have ended there.",
            f"Choose an earlier step; `workbench show {loaded.run.run_id} --step N` shows them.",
        )
    return place, wanted


def _adapted(boundary: Boundary, old: App, new: App) -> Boundary:
    """The place in another version of the app: what is new there is untouched, what is gone is forgotten.

    Raises:
        UsageError: a node that is to run next is gone.
    """
    if new is old:
        return boundary
    graph = graph_of(new.graph, new.root)
    gone = [node for node in boundary.ready if node not in graph.nodes]
    if gone:
        raise UsageError(
            f"The app does not fit the run: {', '.join(gone)} would run next and is not in it.",
            "Node ids connect an app with a run.",
            "Keep the ids of nodes that are still to run.",
        )
    roots = {n.id for n in graph.nodes.values() if n.parent is None}
    edges = {e.id for e in graph.edges.values() if e.parent is None}
    return replace(
        boundary,
        node_states={n: boundary.node_states.get(n, "unknown") for n in graph.nodes if n in roots},
        edge_states={e: boundary.edge_states.get(e, "unknown") for e in graph.edges if e in edges},
    )


def _other_app(boundary: Boundary, old: App, new: App) -> Iterator[str]:
    """What another version of the app has more, and less, than the one that ran."""
    if new is old:
        return
    graph = graph_of(new.graph, new.root)
    gone = [node for node in boundary.node_states if node not in graph.nodes]
    added = [n.id for n in graph.nodes.values() if n.parent is None and n.id not in boundary.node_states]
    if gone:
        yield f"{new.name} has no {', '.join(gone)}, which {old.name} had: what they gave stays."
    if added:
        yield f"{new.name} has {', '.join(added)} more than {old.name}: they have not run."


def _gate(
    ctx: Context,
    loaded: LoadedRun,
    app: App,
    boundary: Boundary,
    variables: Mapping[str, Mapping[str, Any]],
    kernel: str,
    mode: str,
) -> dict[str, Any] | None:
    """The gate to go on with; rebuilt to heal it, and where graph or engine generation differ."""
    if mode == "fresh":
        return None
    same_scope = (kernel == DEFAULT_KERNEL) == (loaded.run.kernel == DEFAULT_KERNEL)
    if mode == "restored" and app is loaded.app and same_scope:
        return dict(boundary.gate)
    base = Base(variables, {}, boundary.node_states, boundary.edge_states)
    shown = message_at(ctx, loaded, boundary.step)
    graph = graph_of(app.graph, app.root)
    healed = rebuild(graph, base, kernel=kernel, execution_ids=boundary.executions, message=shown)
    return dict(healed.gate)


def _types(segments: Sequence[SegmentRow]) -> dict[str, dict[str, str]]:
    """graphon's value types of the variables that were there from the start."""
    types: dict[str, dict[str, str]] = {}
    for row in segments:
        if row.base is not None:
            for node, known in read_runtime_state(row.base["state"]).variable_types.items():
                types.setdefault(node, {}).update(known)
        for node, held in (row.pool or {}).items():
            types.setdefault(node, {}).update({name: each["type"] for name, each in held.items()})
    return types


def _reasons(loaded: LoadedRun, boundary: Boundary) -> tuple[Mapping[str, Any], ...]:
    """The forms that wait at the place."""
    events = loaded.timeline.journal.events[: boundary.step]
    asked = [event["reason"] for event in events if event["kind"] == "NodeRunPauseRequested"]
    forms = forms_of(asked)
    return tuple(forms[node] for node in boundary.waiting if node in forms)


def _notes(loaded: LoadedRun, place: Boundary, wanted: int) -> tuple[str, ...]:
    if place.step == wanted:
        return ()
    event = loaded.timeline.journal.events[place.step - 1]
    where = f"{event['kind']} {event.get('node', '')}".strip()
    told = f"Forked at step {place.step} ({where}): the last place between two nodes before step {wanted}."
    status = loaded.timeline.at(wanted).status
    graph = loaded.graph.nodes
    within = [
        n.title or n.id for n in graph.values() if n.kind == "container" and status.get(n.id) == "running"
    ]
    if within:
        told += f" Inside {' and '.join(within)} a run can only be forked at a pause."
    return (told,)
