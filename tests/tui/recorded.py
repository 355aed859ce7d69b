"""The runs of `journals` in a real store, as a recorder would have left them; no engine."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.store.making import Ended, Saved, begin, say
from tests.tui import journals
from tests.tui.conftest import Driver
from workbench.core.forking import boundary_at
from workbench.core.graph_of import graph_of
from workbench.records.app import App
from workbench.records.state_writing import write_state
from workbench.tui.app import WorkbenchApp
from workbench.verbs.context import Context
from workbench.verbs.fork_state import new_state

ANSWER = {"answer": "Your refund of 250 is approved. well"}
POOL = {
    "start": {"amount": {"type": "number", "value": 250}},
    "sys": {"query": {"type": "string", "value": "hi"}},
}


def record(
    ctx: Context,
    run_id: str,
    events: Sequence[Mapping[str, Any]],
    ended: Ended | None = None,
    *,
    app: App | None = None,
    pool: Mapping[str, Any] = POOL,
    at: float = 1_790_000_000.0,
    **changes: Any,
) -> str | None:
    """A run of an app (the bundled example) in one segment; gives the id of its pause if it paused."""
    app = app or journals.refund_app()
    app_id = ctx.store.put_app(app)
    recorder = begin(ctx.store, run_id, app_id=app_id, app_name=app.name, mode=app.mode, **changes)
    recorder.pool(pool)
    say(recorder, events, at)
    pause_id = recorder.finish(ended or Ended(outputs=ANSWER))
    recorder.close()
    return pause_id


def refund_events(*, resumed: bool) -> list[Mapping[str, Any]]:
    app = journals.refund_app()
    return journals.refund_events(graph_of(app.graph, app.root), resumed=resumed)


def paused(ctx: Context, run_id: str = "paused-1") -> str:
    """The bundled example, waiting at its form; the id of its pause."""
    _, timeline = journals.refund(None)
    gate = json.dumps(timeline.at(timeline.steps).gate)
    saved = Saved(gate=gate, reasons=(journals.FORM,))
    pause_id = record(ctx, run_id, refund_events(resumed=False), Ended("paused", {}, pause=saved))
    assert pause_id is not None
    return pause_id


def forked(ctx: Context, run_id: str, gate: str, parent: str = "paused-1", **changes: Any) -> None:
    """A fork of the paused example, ended; "fresh" loses the gate and streams nothing."""
    _, timeline = journals.refund(None)
    record(
        ctx,
        run_id,
        refund_events(resumed=True)[11:],
        pool={},
        forked_from={"run_id": parent, "step": 11},
        gate_mode=gate,
        gate=json.dumps(timeline.at(timeline.steps).gate) if gate == "restored" else None,
        forms={"approval": {"action": "approve", "fields": {"note": "well"}}},
        base={"state": _state(), "saved_by": "graphon-0.8", "pause_id": None, "file_id": None},
        **changes,
    )


def _state() -> str:
    """The runtime state of the pause, written as graphon 0.8 would."""
    graph, timeline = journals.refund(None)
    place = boundary_at(timeline, timeline.steps, ())
    assert place is not None
    positional = {edge: f"edge_{at}" for at, edge in enumerate(graph.edges)}
    return write_state(new_state(place), "3.0", positional)


@asynccontextmanager
async def on_store(ctx: Context, size: str = "120x40", **more: Any) -> AsyncIterator[Driver]:
    """The TUI on a real store, started and settled."""
    width, height = map(int, size.split("x"))
    app = WorkbenchApp(ctx, **more)
    async with app.run_test(size=(width, height), notifications=True) as pilot:
        driver = Driver(app, pilot)
        await driver.settle()
        yield driver


def context(folder: Path) -> Context:
    """An empty store in a folder."""
    return Context(folder / "store.duckdb", folder)
