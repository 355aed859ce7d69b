"""One segment of a run: from an order for an engine kernel to its recorded end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from workbench.core.graph import Graph
from workbench.errors import WorkbenchError
from workbench.records.app import App
from workbench.verbs.context import Context
from workbench.verbs.feed import Feed
from workbench.verbs.raw import raw_gate
from workbench.verbs.results import PauseInfo, RunResult
from workbench.verbs.watch import Began, Watcher

if TYPE_CHECKING:
    from workbench.engine.client import Client
    from workbench.engine.control import Control
    from workbench.engine.order import Ended, Order
    from workbench.store import Recorder


def ready_kernel(ctx: Context, kernel: str, watcher: Watcher, control: Control | None) -> None:
    """Build the engine kernel if it is not there; its progress goes to the watcher as notes.

    Raises:
        KernelError: it can't be built.
        KeyboardInterrupt: the user stopped it meanwhile.
    """
    from workbench.engine.kernels import ensure

    def report(line: str) -> None:
        watcher.note(line)
        if control is not None and control.aborted is not None:
            raise KeyboardInterrupt

    ensure(kernel, ctx.home, report)


@contextmanager
def started_early(ctx: Context, kernel: str, options: Mapping[str, Any]) -> Iterator[Client | None]:
    """The engine kernel's child for `play`, importing graphon while the store is opened; gone at the end."""
    from workbench.engine.session import start_early

    early = start_early(kernel, ctx.home, options)
    try:
        yield early
    finally:
        if early is not None:
            early.close()


@dataclass(frozen=True, slots=True)
class Segment:
    """What `play` needs beside the order.

    Attributes:
        graph: the whole graph.
        gate: gate mode of a resume ("restored", "fresh"), None for a start.
        forked_from: {"run_id", "step"} or None.
    """

    app: App
    graph: Graph
    first_step: int = 1
    resumed: bool = False
    gate: str | None = None
    forked_from: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()


def play(
    ctx: Context,
    order: Order,
    segment: Segment,
    recorder: Recorder,
    watcher: Watcher,
    control: Control | None,
    started: Client | None = None,
) -> RunResult:
    """Run an order to its end or pause. The recorder is finished and closed whatever happens.

    Raises:
        WorkbenchError: the kernel could not carry the order out; the run is recorded as failed.
        KeyboardInterrupt: as it came; the run is recorded as stopped.
    """
    from workbench.engine.session import execute

    feed = Feed(recorder, watcher, segment.first_step, raw_gate(order, segment.app, segment.graph))
    watcher.began(
        Began(
            order.run_id,
            segment.app.name,
            segment.app.mode,
            order.kernel,
            segment.graph,
            segment.first_step,
            segment.resumed,
        )
    )
    try:
        for note in segment.notes:
            feed.note(note)
        ended = feed.completed(execute(order, feed, ctx.home, control, started=started))
        pause_id = recorder.finish(ended)
    except WorkbenchError as error:
        recorder.finish(_broken("failed", str(error).replace("\n", " ")))
        raise
    except BaseException as error:
        recorder.finish(_broken("stopped", f"Interrupted ({type(error).__name__})."))
        raise
    finally:
        recorder.close()
        watcher.ended()
    pause = (
        None if pause_id is None or ended.pause is None else PauseInfo(pause_id, tuple(ended.pause.reasons))
    )
    return _result(order, segment, feed, ended, pause)


def _broken(status: Literal["failed", "stopped"], error: str) -> Ended:
    """The recorded end of a segment that its engine kernel did not end."""
    from workbench.engine.order import Ended

    return Ended(
        status=status,
        outputs={},
        error=error,
        exceptions_count=0,
        node_run_steps=0,
        total_tokens=0,
        pause=None,
    )


def _result(order: Order, segment: Segment, feed: Feed, ended: Ended, pause: PauseInfo | None) -> RunResult:
    final = segment.app.mode == "advanced-chat" and pause is None
    answer = ended.outputs.get("answer") if final else None
    return RunResult(
        run_id=order.run_id,
        app=segment.app.name,
        mode=segment.app.mode,
        status=ended.status,
        kernel=order.kernel,
        answer=answer if answer is None or isinstance(answer, str) else str(answer),
        outputs=ended.outputs,
        chunks=tuple(feed.pieces),
        steps=segment.first_step - 1 + feed.events,
        pause=pause,
        forked_from=segment.forked_from,
        error=ended.error,
        stream_error=feed.stream_error,
        gate=segment.gate,
        notes=tuple(feed.notes),
    )
