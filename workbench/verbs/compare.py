"""`--kernel all`: the same run or resume on every engine kernel, and where they disagree."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from workbench.errors import KernelError
from workbench.verbs.context import Context
from workbench.verbs.kernels import from_here_up
from workbench.verbs.pauses import PauseSource
from workbench.verbs.results import ComparedRuns, Difference, RunResult
from workbench.verbs.resume import resume
from workbench.verbs.run import run
from workbench.verbs.watch import Watcher

if TYPE_CHECKING:
    from workbench.engine.control import Control
    from workbench.records.app import App


def run_on_all(
    ctx: Context,
    app: App,
    *,
    run_id: str | None = None,
    watcher: Watcher | None = None,
    control: Control | None = None,
    **arguments: Any,
) -> ComparedRuns:
    """Run an app on every engine kernel; arguments as `run`. With a `run_id` each run's id is
    `<run_id>-<kernel>`.
    """
    from workbench.engine.kernels import KERNELS

    def one(kernel: str) -> RunResult:
        return run(
            ctx,
            app,
            run_id=_own_id(run_id, kernel),
            kernel=kernel,
            watcher=watcher,
            control=control,
            **arguments,
        )

    return _compare(KERNELS, one, control)


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

    The pause itself is not consumed.
    """

    def one(kernel: str) -> RunResult:
        return resume(
            ctx,
            source,
            fork=True,
            run_id=_own_id(run_id, kernel),
            kernel=kernel,
            watcher=watcher,
            control=control,
            **arguments,
        )

    return _compare(from_here_up(source.kernel), one, control)


def differences(runs: Sequence[RunResult]) -> tuple[Difference, ...]:
    """Where the results differ from the first one's; kernels that share a value are told together."""
    if len(runs) < 2:
        return ()
    first = runs[0]
    found = []
    for what, value in _FACTS:
        groups: dict[str, list[RunResult]] = {}
        for each in runs:
            if value(each) != value(first):
                groups.setdefault(_shown(value(each)), []).append(each)
        for shown, others in groups.items():
            sentence = f"{what}: {shown} instead of {_shown(value(first))} on {first.kernel}."
            found.append(
                Difference(tuple(each.kernel for each in others), sentence, _cause(what, first, others[0]))
            )
    return tuple(found)


_FACTS: tuple[tuple[str, Callable[[RunResult], Any]], ...] = (
    ("status", lambda result: result.status),
    ("streamed text", lambda result: result.streamed),
    ("pieces of the stream", lambda result: list(result.chunks) if result.streamed else []),
    ("answer", lambda result: result.answer),
    ("outputs", lambda result: {key: value for key, value in result.outputs.items() if key != "answer"}),
    ("pause", lambda result: [_reason(reason) for reason in result.pause.reasons] if result.pause else None),
    ("error", lambda result: result.error),
    ("broken stream", lambda result: result.stream_error),
)


def _compare(
    kernels: Sequence[str], one: Callable[[str], RunResult], control: Control | None
) -> ComparedRuns:
    results = []
    for kernel in kernels:
        if control is not None and control.aborted is not None:
            break
        results.append(_tried(kernel, one))
    return ComparedRuns(tuple(results), differences(results))


def _tried(kernel: str, one: Callable[[str], RunResult]) -> RunResult:
    """A run; or, where only this engine refuses the app or can't be had, a failed result that says so."""
    try:
        return one(kernel)
    except KernelError as error:
        return RunResult("", "", "", "failed", kernel, None, {}, (), 0, error=str(error).replace("\n", " "))


def _own_id(run_id: str | None, kernel: str) -> str | None:
    return None if run_id is None else f"{run_id}-{kernel}"


def _reason(reason: Any) -> Any:
    """What a pause asks, without the ids that are new in each run."""
    return {key: reason.get(key) for key in ("type", "node_id", "actions", "fields", "content")}


def _shown(value: Any) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return f"{text[:200]!r}" if isinstance(value, str) else text[:200]


def _cause(what: str, first: RunResult, other: RunResult) -> str | None:
    """The known cause that fits, if one does."""
    if what == "pieces of the stream" and first.streamed == other.streamed:
        return "The same text in other pieces: this graphon collects a node's text before it streams it."
    if what == "broken stream" or (what in ("streamed text", "pieces of the stream") and other.stream_error):
        return "graphon 0.7 and 0.8 stream from inside loops and refuse a second round of the same stream."
    return None
