"""`--kernel all`: the same run or resume on every engine kernel, and where they disagree."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from workbench.core.graph import Graph
from workbench.core.graph_of import graph_of
from workbench.errors import KernelError
from workbench.records.app import App
from workbench.verbs.causes import cause
from workbench.verbs.context import Context
from workbench.verbs.kernels import from_here_up
from workbench.verbs.names import new_run_id
from workbench.verbs.pauses import PauseSource
from workbench.verbs.results import ComparedRuns, Difference, RunResult, Way
from workbench.verbs.resume import resume
from workbench.verbs.run import run
from workbench.verbs.watch import NotesOnce, Watcher
from workbench.verbs.why import why

if TYPE_CHECKING:
    from workbench.engine.control import Control

SHOWN = 200
"""Characters of a value that a difference shows."""


def run_on_all(
    ctx: Context,
    app: App,
    *,
    run_id: str | None = None,
    watcher: Watcher | None = None,
    control: Control | None = None,
    **arguments: Any,
) -> ComparedRuns:
    """Run an app on every engine kernel, the newest first; arguments as `run`.

    Args:
        run_id: each run's id is `<run_id>-<kernel>`; None makes new ones.
    """
    from workbench.engine.kernels import KERNELS

    def one(kernel: str, own_id: str) -> RunResult:
        return run(ctx, app, run_id=own_id, kernel=kernel, watcher=watcher, control=control, **arguments)

    return _compare(ctx, app, KERNELS, run_id, one, control)


def resume_on_all(
    ctx: Context,
    source: PauseSource,
    *,
    run_id: str | None = None,
    watcher: Watcher | None = None,
    control: Control | None = None,
    **arguments: Any,
) -> ComparedRuns:
    """Resume a pause on every engine kernel that can read it, each as a fork; arguments as `resume`.

    The pause itself is not consumed. `run_id` as in `run_on_all`.
    """

    told = None if watcher is None else NotesOnce(watcher)

    def one(kernel: str, own_id: str) -> RunResult:
        return resume(
            ctx,
            source,
            fork=True,
            run_id=own_id,
            kernel=kernel,
            watcher=told,
            control=control,
            **arguments,
        )

    usable = from_here_up(source.kernel)
    why_one = f"{source.kernel} saved the pause: no older engine reads it, and none here is newer."
    return _compare(ctx, source.app, usable, run_id, one, control, why_one)


def differences(runs: Sequence[RunResult], graph: Graph | None = None) -> tuple[Difference, ...]:
    """Where the results differ from the first one's; kernels that share a value are told together."""
    found = []
    for what, value in _FACTS:
        groups: dict[str, list[RunResult]] = {}
        for each in runs[1:]:
            if value(each) != value(runs[0]):
                groups.setdefault(_text(value(each)), []).append(each)
        for text, others in groups.items():
            sentence = f"{what}: {_cut(text)} instead of {_cut(_text(value(runs[0])))} on {runs[0].kernel}."
            kernels = tuple(each.kernel for each in others)
            found.append(Difference(kernels, sentence, cause(what, runs[0], others[0], graph)))
    return tuple(found)


_FACTS: tuple[tuple[str, Callable[[RunResult], Any]], ...] = (
    ("status", lambda result: result.status),
    ("streamed text", lambda result: result.streamed),
    ("pieces of the stream", lambda result: list(result.chunks)),
    ("answer", lambda result: result.answer),
    ("outputs", lambda result: {key: value for key, value in result.outputs.items() if key != "answer"}),
    ("pause", lambda result: [_reason(reason) for reason in result.pause.reasons] if result.pause else None),
    ("error", lambda result: result.error),
    ("broken stream", lambda result: result.stream_error),
)


def ways(ctx: Context, results: Sequence[RunResult]) -> tuple[Way, ...]:
    """The way that each run took, read from the store; a run that never began has taken none."""
    known = ctx.store.known_runs(result.run_id for result in results)
    return tuple(_way(ctx, result.run_id) if result.run_id in known else Way() for result in results)


def _way(ctx: Context, run_id: str) -> Way:
    nodes = tuple(row.node_id for row in ctx.store.nodes(run_id))
    findings = why(ctx, run_id).findings
    return Way(nodes, tuple((each.code, each.node_id) for each in findings if each.severity != "info"))


def _compare(
    ctx: Context,
    app: App,
    kernels: Sequence[str],
    run_id: str | None,
    one: Callable[[str, str], RunResult],
    control: Control | None,
    why_one: str = "",
) -> ComparedRuns:
    results: list[RunResult] = []
    for kernel in kernels:
        if control is not None and control.aborted is not None:
            break
        own_id = new_run_id(None if run_id is None else f"{run_id}-{kernel}")
        try:
            results.append(one(kernel, own_id))
        except KernelError as error:  # only this engine refuses the app, or can't be had
            results.append(_failed(app, kernel, own_id, error))
    found = differences(results, graph_of(app.graph, app.root))
    return ComparedRuns(tuple(results), found, ways(ctx, results), why_one)


def _failed(app: App, kernel: str, run_id: str, error: KernelError) -> RunResult:
    reason = str(error).replace("\n", " ")
    return RunResult(run_id, app.name, app.mode, "failed", kernel, None, {}, (), 0, error=reason)


def _reason(reason: Any) -> Any:
    """What a pause asks, without the ids that are new in each run."""
    return {key: reason.get(key) for key in ("type", "node_id", "actions", "fields", "content")}


def _text(value: Any) -> str:
    return "nothing" if value in (None, "") else json.dumps(value, ensure_ascii=False, default=str)


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
