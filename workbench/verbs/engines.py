"""One recorded run on every engine kernel: found in the store, run where it is missing, compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.core.graph import Graph
from workbench.errors import UsageError
from workbench.verbs.compare import differences, ways
from workbench.verbs.context import Context
from workbench.verbs.environment import Environment
from workbench.verbs.inspect import LoadedRun, open_run
from workbench.verbs.kernels import from_here_up
from workbench.verbs.options import RunOptions
from workbench.verbs.pauses import pause_source
from workbench.verbs.results import ComparedRuns, PauseInfo, RunResult
from workbench.verbs.resume import resume
from workbench.verbs.run import run
from workbench.verbs.watch import Watcher

if TYPE_CHECKING:
    from workbench.engine.control import Control
    from workbench.store.rows import RunDetail, RunRow

NEAREST = 40
"""Runs of an engine, those nearest in time first, among which the same run is looked for."""


@dataclass(frozen=True)
class OnEngines:
    """A run with the same run on other engines, the newest engine first.

    Attributes:
        missing: engines that it could run on and of which the store has no such run.
        why_not: why it can't be run on those from here, None where it can.
    """

    compared: ComparedRuns
    missing: tuple[str, ...]
    why_not: str | None
    graph: Graph
    environment: Environment


def on_engines(ctx: Context, run_id: str) -> OnEngines:
    """The same run on every engine: same app, inputs, query, script and options; of a fork also from the same
    place, with the same gate and the same form submitted.

    Raises:
        NotFoundError: no such run.
    """
    from workbench.engine.kernels import KERNELS

    own = open_run(ctx, run_id)
    loaded = {own.run.kernel: own}
    for kernel in KERNELS:
        if kernel != own.run.kernel and (other := _same_on(ctx, own.run, kernel)) is not None:
            loaded[kernel] = open_run(ctx, other)
    ordered = [loaded[kernel] for kernel in KERNELS if kernel in loaded]
    results = tuple(recorded_result(ctx, each) for each in ordered)
    found = ComparedRuns(results, differences(results, own.graph), ways(ctx, results))
    usable = KERNELS if own.run.forked_from is None else _of_fork(ctx, own)
    missing = tuple(kernel for kernel in usable if kernel not in loaded)
    environment = tuple(each for one in ordered for each in one.environment)
    return OnEngines(found, missing, _why_not(ctx, own.run), own.graph, environment)


def run_missing(
    ctx: Context,
    run_id: str,
    kernels: Sequence[str],
    *,
    watcher: Watcher | None = None,
    control: Control | None = None,
) -> tuple[RunResult, ...]:
    """Run it again on other engines, with the same inputs and script.

    Raises:
        UsageError: it was resumed, or code or models were real in it.
        KernelError: an engine can't be had.
    """
    detail = ctx.store.run(run_id)
    reason = _why_not(ctx, detail)
    if reason is not None:
        raise UsageError("This run can't be repeated from here.", reason, "workbench run APP --kernel all")
    done = []
    for kernel in kernels:
        if control is not None and control.aborted is not None:
            break
        done.append(_again(ctx, detail, kernel, watcher, control))
    return tuple(done)


def _again(
    ctx: Context, detail: RunDetail, kernel: str, watcher: Watcher | None, control: Control | None
) -> RunResult:
    options = RunOptions(break_before=tuple(detail.options.get("break_before") or ()))
    more: dict[str, Any] = {"options": options, "watcher": watcher, "control": control, "kernel": kernel}
    if detail.forked_from is None:
        query = detail.system.get("query")
        return run(ctx, detail.app_id, query=query, inputs=detail.inputs, script=detail.script, **more)
    first = ctx.store.segments(detail.run_id)[0]
    source = pause_source(ctx, (first.base or {})["pause_id"])
    node, form = next(iter(first.forms.items()))
    return resume(
        ctx,
        source,
        fork=True,
        node=node,
        action=form.get("action"),
        fields=form.get("fields") or {},
        gate=first.gate_mode,
        script=first.script,
        **more,
    )


def _why_not(ctx: Context, detail: RunDetail) -> str | None:
    if detail.segments > 1:
        return "It was resumed: run it on all engines first, then resume each."
    if set(detail.options) & {"real_code", "real_http", "model"}:
        return "Code, requests or models were real in it."
    if detail.forked_from is None:
        return None
    first = ctx.store.segments(detail.run_id)[0]
    if not (first.base or {}).get("pause_id") or len(first.forms) != 1:
        return "It is a fork that did not go on from a pause with one form."
    return None


def _of_fork(ctx: Context, own: LoadedRun) -> Sequence[str]:
    """The engines that can go on from the state a fork started with."""
    first = ctx.store.segments(own.run.run_id)[0]
    return from_here_up((first.base or {}).get("saved_by") or own.run.kernel)


def _same_on(ctx: Context, own: RunDetail, kernel: str) -> str | None:
    rows = [r for r in ctx.store.runs(app=own.app_id) if r.kernel == kernel and _origin(r) == _origin(own)]
    wanted = dict(_known(ctx, own))
    for row in sorted(rows, key=lambda r: abs(r.started_at - own.started_at))[:NEAREST]:
        if dict(_known(ctx, ctx.store.run(row.run_id))) == wanted:
            return row.run_id
    return None


def _origin(row: RunRow) -> Any:
    return None if row.forked_from is None else (row.forked_from["run_id"], row.forked_from["step"])


def _known(ctx: Context, detail: RunDetail) -> Iterator[tuple[str, Any]]:
    """What makes two runs the same order to different engines."""
    yield "inputs", detail.inputs
    yield "query", detail.system.get("query")
    yield "script", detail.script
    yield "options", {k: v for k, v in detail.options.items() if k != "filter"}
    yield "segments", detail.segments
    if detail.forked_from is not None or detail.segments > 1:
        for row in ctx.store.segments(detail.run_id):
            yield f"forms {row.index}", row.forms
            yield f"gate {row.index}", row.gate_mode


def recorded_result(ctx: Context, loaded: LoadedRun) -> RunResult:
    """The result of a recorded run, as the verb that ran it told it; `chunks` are those of all segments."""
    detail = loaded.run
    last = loaded.timeline.at(loaded.timeline.steps)
    pauses = [p for p in ctx.store.pauses(detail.run_id) if p.resumed_at is None]
    pause = PauseInfo(pauses[-1].pause_id, tuple(pauses[-1].reasons)) if pauses else None
    outputs: Mapping[str, Any] = pauses[-1].outputs if pauses else detail.outputs
    return RunResult(
        detail.run_id,
        detail.app,
        detail.mode,
        detail.status,
        detail.kernel,
        detail.answer,
        outputs,
        tuple(chunk.text for chunk in last.chunks),
        loaded.timeline.steps,
        pause if detail.status == "paused" else None,
        detail.forked_from,
        detail.error,
        last.stream_error,
    )
