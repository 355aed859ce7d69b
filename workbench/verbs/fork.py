"""`fork`: a new run that goes on from any place between two nodes of another one, the original untouched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.core.findings.dify import gate_fate, version_of
from workbench.core.state import DEFAULT_KERNEL
from workbench.errors import UsageError
from workbench.verbs.context import Context
from workbench.verbs.fork_state import Changes, fork_source
from workbench.verbs.inspect import LoadedRun, load_run
from workbench.verbs.kernels import from_here_up
from workbench.verbs.names import dify_version, kernel_name, one_of
from workbench.verbs.options import RunOptions
from workbench.verbs.pauses import PauseSource, pause_source
from workbench.verbs.results import RunResult
from workbench.verbs.resume import GATES, resume
from workbench.verbs.watch import Watcher

if TYPE_CHECKING:
    from workbench.engine.control import Control

KERNEL_OF_DIFY = (
    (version_of("main"), DEFAULT_KERNEL),
    ((1, 17), "graphon-0.7"),
    ((1, 16), "graphon-0.6"),
    ((0, 0), "graphon-0.5"),
)
"""The first Dify of each engine generation, the newest first (facts: dify-pause-resume, 0). graphon 0.5
stands in for the engine that lived in Dify 1.13 and 1.14.
"""


def kernel_of_dify(version: str) -> str:
    """The engine kernel that a Dify version goes on with."""
    return next(kernel for first, kernel in KERNEL_OF_DIFY if version_of(version) >= first)


def fork(
    ctx: Context,
    target: LoadedRun | str,
    *,
    step: int | None = None,
    changes: Changes | None = None,
    action: str | None = None,
    node: str | None = None,
    fields: Mapping[str, Any] | None = None,
    run_id: str | None = None,
    options: RunOptions | None = None,
    watcher: Watcher | None = None,
    control: Control | None = None,
) -> RunResult:
    """Go on from a step of a run. Nodes that ended before it are not run again.

    Args:
        target: a run, or a pause (its step); or a run read already.
        step: None is the run's last pause, its last step where it never paused. At a pause the engine's own
            state is taken, open loops and iterations included. Elsewhere inside a node or a container the
            last place before it is taken, and told in the result's notes.
        action, node, fields: submit a form that waits there; without an action it waits again.

    Raises:
        UsageError: no such step, variable, kernel or gate mode; or the changed app does not fit.
        WorkbenchError: nothing is left to run there.
    """
    changes = changes or Changes()
    loaded = target if isinstance(target, LoadedRun) else load_run(ctx, target)
    if step is None:
        step = max((pause.step for pause in ctx.store.pauses(loaded.run.run_id)), default=None)
    kernel, mode = _engine(ctx, loaded, changes)
    saved = _saved_pause(ctx, loaded, step, changes, kernel)
    if saved is None:
        source = fork_source(ctx, loaded, step, changes, kernel, mode)
        gate = "fresh" if source.gate is None else "restored"
    else:
        source, gate = saved, mode
    if action is None:
        source = replace(source, reasons=())
    elif not source.reasons:
        raise UsageError(
            f"No form waits at step {source.step}, where this fork begins.",
            " ".join(source.notes),
            "Leave --action, --node and --field out: the fork pauses again when it comes to a form.",
        )
    return resume(
        ctx,
        source,
        action=action,
        node=node,
        fields=fields,
        gate=gate,
        script=changes.script,
        kernel=kernel,
        run_id=run_id,
        fork=True,
        options=options,
        watcher=watcher,
        control=control,
    )


def _saved_pause(
    ctx: Context, loaded: LoadedRun, step: int | None, changes: Changes, kernel: str
) -> PauseSource | None:
    """The pause at that very step, as the engine saved it, open loops and iterations included.

    None where there is none, or where the fork shall differ in a way that it can't be loaded for.
    """
    wanted = loaded.timeline.steps if step is None else step
    pauses = [pause for pause in ctx.store.pauses(loaded.run.run_id) if pause.step == wanted]
    if not pauses or changes.variables or changes.app is not None:
        return None
    source = pause_source(ctx, pauses[-1].pause_id)
    return source if kernel in from_here_up(source.kernel) else None


def _engine(ctx: Context, loaded: LoadedRun, changes: Changes) -> tuple[str, str]:
    """The engine kernel and the gate mode of the fork."""
    version = dify_version(changes.dify)
    if version is not None and (changes.kernel is not None or changes.gate is not None):
        raise UsageError(
            "--dify chooses engine and gate itself.",
            "",
            "Leave --kernel and --gate out, or leave --dify out.",
        )
    if version is None:
        kernel = loaded.run.kernel if changes.kernel is None else kernel_name(ctx, changes.kernel)
        mode = "restored" if changes.gate is None else one_of(changes.gate, GATES, "gate mode")
        return kernel, mode
    return kernel_of_dify(version), "fresh" if gate_fate(version) == "lost" else "restored"
