"""`resume`: a paused run goes on in a new engine, with its gate restored or lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.graph_of import graph_of, root_scope
from workbench.core.migration import migration
from workbench.errors import KernelError, PauseConsumedError, UsageError, WorkbenchError
from workbench.verbs.context import Context
from workbench.verbs.conversing import resumed_turn
from workbench.verbs.forms import submission
from workbench.verbs.kernels import built_kernels, from_here_up, same_or_newer
from workbench.verbs.names import new_run_id, one_of
from workbench.verbs.options import RunOptions, ScriptSource, checked, load_script, too_many_paths
from workbench.verbs.pauses import PauseSource, pause_source
from workbench.verbs.results import RunResult
from workbench.verbs.segment import Segment, play, ready_kernel, started_early
from workbench.verbs.watch import Watcher

if TYPE_CHECKING:
    from workbench.engine.control import Control
    from workbench.engine.order import Answers, Order
    from workbench.store import Recorder

GATES = ("restored", "fresh", "healed")


def resume(
    ctx: Context,
    target: PauseSource | Path | str,
    *,
    app: Path | str | None = None,
    action: str | None = None,
    node: str | None = None,
    fields: Mapping[str, Any] | None = None,
    gate: str | None = None,
    script: ScriptSource = None,
    kernel: str | None = None,
    run_id: str | None = None,
    fork: bool = False,
    options: RunOptions | None = None,
    watcher: Watcher | None = None,
    control: Control | None = None,
) -> RunResult:
    """Continue a pause: the run itself the first time, a fork of it after that.

    Args:
        target: a run (its last pause), a pause, or a saved pause's file or id; or a source read already.
        app: the app of a saved pause.
        action, node, fields: the form that is submitted; `node` only where several wait.
        gate: "restored", "fresh" or "healed"; None restores it where it was saved.
        script: None goes on with the run's own script.
        kernel: None takes the one that saved the pause.
        run_id: the id of a new run, where one is made.
        fork: make a new run although the pause waits.

    Raises:
        UsageError: an action, field, node, gate or kernel that does not fit; the valid ones are told.
        WorkbenchError: there is no pause, or its gate was never saved and shall be restored.
    """
    watcher = watcher or Watcher()
    source = target if isinstance(target, PauseSource) else pause_source(ctx, target, app=app)
    forking = fork or source.consumed or source.run_id is None
    if run_id is not None and not forking:
        raise UsageError(
            "This pause goes on under its own run id.",
            f"Run {source.run_id} waits; only a fork or a saved file makes a new run.",
            "Leave --run-id out.",
        )
    mode, dump = _gate(ctx, source, gate)
    chosen = same_or_newer(ctx, source.kernel, kernel)
    graph = graph_of(source.app.graph, source.app.root)
    wanted = checked(options or RunOptions(), graph)
    turn = resumed_turn(ctx, source)
    memory = {} if turn is None else {"memory": turn[0]}
    plan = _Plan(
        kernel=chosen,
        gate_mode=mode,
        gate=dump,
        forms=submission(source.reasons, action=action, node=node, fields=fields or {}),
        script=source.script if script is None else load_script(script, source.app),
        options={**wanted.payload(raw=too_many_paths(root_scope(graph))), **memory},
        answers=None if turn is None else turn[1],
    )
    try:
        ready_kernel(ctx, chosen, watcher, control)
    except KernelError as error:
        raise _with_newer(ctx, error, chosen) from error
    with started_early(ctx, chosen, plan.options) as early:
        recorder = _begin_fork(ctx, source, plan, run_id) if forking else _begin(ctx, source, plan)
        resumed = recorder.run_id == source.run_id
        segment = Segment(
            source.app,
            graph,
            first_step=recorder.first_step,
            resumed=True,
            gate=mode,
            forked_from=source.forked_from if resumed else source.lineage,
            notes=(*source.notes, *migration(source.kernel, chosen, gate_saved=dump is not None)),
        )
        order = plan.order(source, recorder.run_id, wanted.limits(graph))
        return play(ctx, order, segment, recorder, watcher, control, early)


@dataclass(frozen=True)
class _Plan:
    """What is the same for a resume and a fork."""

    kernel: str
    gate_mode: str
    gate: str | None
    forms: Mapping[str, Any]
    script: Mapping[str, Any]
    options: Mapping[str, Any]
    answers: Answers | None = None

    def order(self, source: PauseSource, run_id: str, limits: Mapping[str, float]) -> Order:
        """The order for the engine kernel."""
        from workbench.engine.order import Order

        return Order(
            kernel=self.kernel,
            run_id=run_id,
            payload=source.app.payload(),
            script=self.script,
            limits=dict(limits),
            options=self.options,
            state=source.state,
            gate={"mode": "fresh" if self.gate is None else "restored", "state": self.gate},
            forms=self.forms,
            answers=self.answers,
        )


def _with_newer(ctx: Context, error: KernelError, kernel: str) -> KernelError:
    """The error, with the built kernels named that could resume the pause instead (offline, for example)."""
    usable = [each for each in built_kernels(ctx) if each in from_here_up(kernel)]
    if not usable:
        return error
    advice = f"Or resume it on a newer engine kernel that is built here: --kernel {usable[0]}"
    return KernelError(error.title, error.cause, f"{error.next_step} {advice}".strip())


def _gate(ctx: Context, source: PauseSource, wanted: str | None) -> tuple[str, str | None]:
    """The gate mode, and the saved gate's text when it is restored."""
    if wanted == "healed":
        from workbench.verbs.heal import healed_gate, streamed_before

        healed, _, _ = healed_gate(source, streamed_before(ctx, source))
        return wanted, healed.gate_text
    mode = ("restored" if source.gate else "fresh") if wanted is None else one_of(wanted, GATES, "gate mode")
    if mode == "restored" and source.gate is None:
        raise WorkbenchError(
            "This pause holds no gate that could be restored.",
            source.why_no_gate or "It was saved without one.",
            "Resume it with --gate fresh to see what the chat user gets, or with --gate healed to mend it.",
        )
    return mode, source.gate if mode == "restored" else None


def _begin(ctx: Context, source: PauseSource, plan: _Plan) -> Recorder:
    """The run's next segment; a fork when somebody else has just consumed the pause."""
    assert source.run_id is not None
    assert source.pause_id is not None
    try:
        return ctx.store.begin_resume(
            run_id=source.run_id,
            pause_id=source.pause_id,
            forms=plan.forms,
            gate_mode=plan.gate_mode,
            gate=plan.gate,
            script=plan.script,
            options=plan.options,
            kernel=plan.kernel,
        )
    except PauseConsumedError:
        return _begin_fork(ctx, source, plan, None)


def _begin_fork(ctx: Context, source: PauseSource, plan: _Plan, run_id: str | None) -> Recorder:
    """A new run that goes on from the pause."""
    return ctx.store.begin_run(
        run_id=new_run_id(run_id),
        app_id=ctx.store.put_app(source.app),
        app_name=source.app.name,
        mode=source.app.mode,
        kernel=plan.kernel,
        inputs=source.inputs,
        system=source.system,
        script=plan.script,
        options=plan.options,
        forked_from=source.lineage,
        base={
            "state": source.state,
            "saved_by": source.kernel,
            "pause_id": source.pause_id,
            "file_id": source.file_id,
        },
        gate_mode=plan.gate_mode,
        gate=plan.gate,
        forms=plan.forms,
    )
