"""Where a resume starts from: a pause of a run in the store, or a saved pause from Dify."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.fitting import misfits
from workbench.core.graph_of import graph_of
from workbench.errors import UsageError, WorkbenchError
from workbench.records.app import App
from workbench.records.gate_state import edge_names
from workbench.records.runtime_state import read_runtime_state
from workbench.verbs.context import Context
from workbench.verbs.environment import Environment, recorded_environment
from workbench.verbs.history import base_of
from workbench.verbs.known_app import known_app
from workbench.verbs.target import FileTarget, StoredTarget, find, stored_app

if TYPE_CHECKING:
    from workbench.store.rows import PauseRow


@dataclass(frozen=True)
class PauseSource:
    """A pause that can be resumed.

    Attributes:
        kernel: the engine kernel whose graphon wrote `state`.
        state, gate: the dumps as text; `gate` is None when none was saved, `why_no_gate` says why.
        consumed: it was resumed before: resuming it makes a fork.
        step: the step of the run at which it paused; 0 for a saved file.
        lineage: what a fork of it is forked from: {"run_id", "step"}; None for a saved file, except where it
            is an edited pause of a run.
        forked_from: what its own run is forked from.
        environment: the environment variables, for the mask.
    """

    app: App
    kernel: str
    state: str = field(repr=False)
    gate: str | None = field(repr=False)
    reasons: tuple[Mapping[str, Any], ...]
    why_no_gate: str | None = None
    run_id: str | None = None
    pause_id: str | None = None
    file_id: str | None = None
    consumed: bool = False
    step: int = 0
    lineage: Mapping[str, Any] | None = None
    forked_from: Mapping[str, Any] | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)
    system: Mapping[str, Any] = field(default_factory=dict)
    environment: Environment = field(default=(), repr=False)
    script: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def pause_source(
    ctx: Context, target: Path | str, *, app: Path | str | None = None, verb: str = "resume"
) -> PauseSource:
    """The pause that an ID or FILE means: a run's last one, that very pause, or a saved pause.

    Args:
        verb: what it is wanted for, for the example in a message.

    Raises:
        WorkbenchError: the run has no pause.
        UsageError: a saved pause without its app, or something that is no pause.
    """
    return source_of(ctx, target, find(ctx, target), app=app, verb=verb)


def source_of(
    ctx: Context,
    target: Path | str,
    found: FileTarget | StoredTarget,
    *,
    app: Path | str | None = None,
    verb: str = "resume",
) -> PauseSource:
    """As `pause_source`, for what was found already."""
    if isinstance(found, FileTarget):
        return _of_file(ctx, found, app, verb)
    if found.kind == "app":
        raise UsageError(
            f"{target} is an app, not a pause.",
            "An app has nothing to resume.",
            f"Run it: workbench run {target}",
        )
    pause = ctx.store.pause(found.id) if found.kind == "pause" else _last_pause(ctx, found.id)
    return _of_run(ctx, pause)


def _last_pause(ctx: Context, run_id: str) -> PauseRow:
    pauses: Sequence[PauseRow] = ctx.store.pauses(run_id)
    if pauses:
        return pauses[-1]
    status = ctx.store.run(run_id).status
    raise WorkbenchError(
        f"Run {run_id} has no pause to resume.",
        f"It is {status}." if status != "running" else "It is still running.",
        f"`workbench show {run_id}` tells what happened; `workbench runs --status paused` lists pauses.",
    )


def _of_run(ctx: Context, pause: PauseRow) -> PauseSource:
    run = ctx.store.run(pause.run_id)
    segments = ctx.store.segments(pause.run_id)
    segment = segments[pause.segment]
    app = stored_app(ctx, run.app_id)
    return PauseSource(
        app=app,
        kernel=segment.kernel,
        state=pause.state,
        gate=pause.gate,
        reasons=pause.reasons,
        why_no_gate=None if pause.gate else "The run went on without a stream filter.",
        run_id=pause.run_id,
        pause_id=pause.pause_id,
        consumed=pause.resumed_at is not None,
        step=pause.step,
        lineage={"run_id": pause.run_id, "step": pause.step},
        forked_from=run.forked_from,
        inputs=run.inputs,
        system=run.system,
        script=segment.script,
        environment=recorded_environment(app, segments),
    )


def _of_file(ctx: Context, target: FileTarget, app: Path | str | None, verb: str) -> PauseSource:
    from workbench.verbs.saved import open_saved

    saved = open_saved(target)
    if saved.state is None:
        raise UsageError(
            f"{target.name} can't be resumed.",
            "It is a gate state alone: without the runtime state nothing can go on.",
            "Give the saved pause (WorkflowResumptionContext) or the runtime state.",
        )
    known = known_app(ctx, target, app, saved.runtime)
    source = saved.source(known.needed(target.name, verb), file_id=target.id)
    return replace(
        source, lineage=_lineage(ctx, target), notes=(*source.notes, *known.notes, *_misfit(source))
    )


def _lineage(ctx: Context, target: FileTarget) -> dict[str, Any] | None:
    """What a resume of an edited pause of a run is a fork of."""
    origin = ctx.store.edited(target.id) if target.kernel is not None and target.id is not None else None
    if origin is None or origin.run_id is None or not ctx.store.known_runs([origin.run_id]):
        return None
    return {"run_id": origin.run_id, "step": origin.step}


def _misfit(source: PauseSource) -> Iterator[str]:
    """The state is of another app, or of this one before it was changed: the engines seldom notice."""
    runtime = read_runtime_state(source.state)
    names = edge_names(list(source.app.graph["edges"])) if runtime.has_positional_edges else {}
    clauses = misfits(graph_of(source.app.graph, source.app.root), base_of(runtime, names))
    if clauses:
        yield f"This app is not the one that was paused, the result may be wrong: {'; '.join(clauses)}."
