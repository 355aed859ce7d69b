"""A desk without store and engine: the TUI's screens are tested on it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.tui import journals
from workbench.core.findings import diagnose
from workbench.core.graph import Graph
from workbench.core.replay import Timeline
from workbench.core.state import Base, Journal, Segment
from workbench.errors import NotFoundError, UsageError
from workbench.store.rows import PauseRow, RunDetail, RunRow
from workbench.tui.desk import (
    AppMissing,
    Desk,
    ForkOrder,
    HealOrder,
    Opened,
    ResumeOrder,
    StartOrder,
)
from workbench.verbs.context import Context
from workbench.verbs.heal import HealResult
from workbench.verbs.inspect import LoadedRun
from workbench.verbs.results import ImportedFile, RunResult, WhyResult
from workbench.verbs.watch import Began, Watcher

T0 = 1_790_000_000.0


def detail(run_id: str, status: str, steps: int, **more: Any) -> RunDetail:
    values: dict[str, Any] = {
        "run_id": run_id,
        "app_id": "app-1",
        "app": "Refund approval",
        "mode": "advanced-chat",
        "status": status,
        "kernel": "graphon-0.8",
        "started_at": T0,
        "finished_at": None,
        "steps": steps,
        "interrupted": False,
        "forked_from": None,
        "answer": None,
        "outputs": {},
        "error": None,
        "inputs": {},
        "system": {},
        "script": {},
        "options": {},
        "node_run_steps": 0,
        "total_tokens": 0,
        "exceptions_count": 0,
        "segments": 1,
        "elapsed": 0.1,
    }
    return RunDetail(**{**values, **more})


def row_of(run: RunDetail) -> RunRow:
    return RunRow(*(getattr(run, name) for name in RunRow.__dataclass_fields__))


class FakeDesk(Desk):
    """Runs in memory. What is asked of it is kept in `orders`."""

    def __init__(self, home: Path) -> None:
        super().__init__(Context(home / "store.duckdb", home))
        self.made: dict[str, tuple[RunDetail, Graph, Timeline]] = {}
        self.orders: list[Any] = []
        self.counter = 0
        self.failing: Exception | None = None
        self.fork_pause = False
        self.between_files = threading.Event()
        self.between_files.set()
        self.saved = {"saved-1"}
        self.add("paused-1", "paused", *journals.refund(None))
        self.add(
            "fresh-1", "succeeded", *journals.refund("fresh"), answer="Your refund of 250 is approved. well"
        )
        self.add(
            "restored-1",
            "succeeded",
            *journals.refund("restored"),
            answer="Your refund of 250 is approved. well",
        )

    def add(self, run_id: str, status: str, graph: Graph, timeline: Timeline, **more: Any) -> None:
        started = T0 + 60 * len(self.made)
        run = detail(run_id, status, timeline.steps, **{"started_at": started, **more})
        self.made[run_id] = (run, graph, timeline)
        self.counter += 1

    def _checked(self) -> None:
        if self.failing is not None:
            raise self.failing

    def runs(self, search: str, status: str | None) -> tuple[RunRow, ...]:
        self._checked()
        rows = [row_of(run) for run, _, _ in reversed(self.made.values())]
        rows = [r for r in rows if search.lower() in f"{r.app} {r.run_id}".lower()]
        return tuple(r for r in rows if status is None or r.status == status)

    def follow(self, before: Opened) -> Opened:
        opened = self.open_run(before.loaded.run.run_id)
        assert isinstance(opened, Opened)
        timeline = before.loaded.timeline.extended(opened.loaded.timeline.journal)
        return replace(opened, loaded=replace(opened.loaded, timeline=timeline))

    def open_run(self, run_id: str, app: str | None = None) -> Opened | AppMissing:
        self._checked()
        if run_id in self.saved:
            return self._open_saved(run_id, app)
        if run_id not in self.made:
            raise NotFoundError(f"{run_id} is not a run.", "", "Look at the list.")
        run, graph, timeline = self.made[run_id]
        events = timeline.journal.events
        times = tuple(run.started_at + 0.01 * n for n in range(len(events)))
        pauses = []
        for step, event in enumerate(events, start=1):
            if event["kind"] == "GraphRunPaused":
                resumed = T0 if step < len(events) or self.fork_pause else None
                pauses.append(
                    PauseRow(
                        f"p-{run_id}", run_id, 0, step, "{}", "{}", tuple(event["reasons"]), {}, T0, resumed
                    )
                )
        loaded = LoadedRun(run, journals.refund_app(), graph, timeline, times)
        return Opened(loaded, events, times, tuple(pauses))

    def _open_saved(self, name: str, app: str | None) -> Opened | AppMissing:
        """A saved pause of the bundled example, without a gate: its app has to be told."""
        if app is None:
            return AppMissing((("Refund approval", "app-1"),))
        graph, timeline = journals.refund(None)
        state = timeline.at(timeline.steps)
        base = Base(state.variables, {}, state.nodes, state.edges)
        journal = Journal({}, (Segment(1, "fresh", None, base, "graphon-0.6"),), (), "graphon-0.6")
        run = detail(name, "paused", 0, kernel="graphon-0.6", app_id="")
        pause = PauseRow(name, name, 0, 0, "{}", None, (journals.FORM,), {}, 0.0, None)
        loaded = LoadedRun(run, journals.refund_app(), graph, Timeline(graph, journal))
        notes = ("saved by Dify 1.15", "One field is [red]odd[/].")
        return Opened(loaded, (), (), (pause,), saved=True, notes=notes)

    def change_counter(self) -> int:
        return self.counter

    def choices(self) -> tuple[tuple[str, str], ...]:
        return (("app-1", "Refund approval  (advanced-chat)"), ("app-2", "[red]Odd[/] app"))

    def app(self, target: Path | str) -> Any:
        self._checked()
        if str(target).endswith("missing.yml"):
            raise UsageError(f"There is no file {target}.", "Looked here.", "Check the path.")
        return journals.refund_app()

    def kernels(self) -> tuple[str, ...]:
        return ("graphon-0.8", "graphon-0.7", "graphon-0.6", "graphon-0.5")

    def why(self, run_id: str, app: str | None = None) -> WhyResult:
        if run_id in self.saved:
            return WhyResult((), ())
        _, graph, timeline = self.made[run_id]
        return WhyResult(diagnose(graph, timeline), timeline.at(timeline.steps).answers)

    def control(self) -> Any:
        return FakeControl()

    def start(self, order: StartOrder, watcher: Watcher, control: Any = None) -> RunResult:
        self.orders.append(order)
        self._checked()
        graph, timeline = journals.refund(None)
        watcher.began(Began("new-1", "Refund approval", "advanced-chat", "graphon-0.8", graph))
        self.add("new-1", "paused", graph, timeline)
        return self._result("new-1", "paused")

    def resume(self, order: ResumeOrder, watcher: Watcher, control: Any = None) -> RunResult:
        self.orders.append(order)
        self._checked()
        graph, timeline = journals.refund(order.gate)
        run_id = order.target.removeprefix("p-")
        watcher.began(Began(run_id, "Refund approval", "advanced-chat", "graphon-0.8", graph, 12, True))
        run, _, _ = self.made[run_id]
        self.made[run_id] = (
            replace(
                run, status="succeeded", steps=timeline.steps, answer="Your refund of 250 is approved. well"
            ),
            graph,
            timeline,
        )
        self.counter += 1
        return self._result(run_id, "succeeded")

    def fork(self, order: ForkOrder, watcher: Watcher, control: Any = None) -> RunResult:
        self.orders.append(order)
        self._checked()
        graph, timeline = journals.refund(None)
        watcher.began(Began("fork-1", "Refund approval", "advanced-chat", "graphon-0.8", graph))
        self.add(
            "fork-1", "paused", graph, timeline, forked_from={"run_id": order.run_id, "step": order.step}
        )
        return self._result("fork-1", "paused")

    def heal(self, order: HealOrder) -> HealResult:
        self.orders.append(order)
        self._checked()
        doubts = () if order.message else ("What the user has seen is not [b]known[/b].",)
        return HealResult(
            order.target,
            "graphon-0.7",
            "rebuilt",
            "{}",
            '{"healed": true}',
            order.message or "",
            ("The runtime state tells which edges were taken.",),
            doubts,
            (),
        )

    def keep_healed(self, result: HealResult, order: HealOrder) -> tuple[str, str]:
        self.orders.append("keep")
        self.saved.add("healed-1")
        return "healed-1", "app-1"

    def _result(self, run_id: str, status: str) -> RunResult:
        return RunResult(run_id, "Refund approval", "advanced-chat", status, "graphon-0.8", None, {}, (), 11)

    def import_files(
        self, paths: Sequence[str], goes_on: Callable[[int, int], bool]
    ) -> tuple[ImportedFile, ...]:
        self.orders.append(tuple(paths))
        files = paths if paths != ["folder"] else [f"folder/{at}.yml" for at in range(8)]
        done: list[ImportedFile] = []
        for path in files:
            if not goes_on(len(done), len(files)):
                break
            error = "It is nothing the workbench knows." if path.startswith("folder/7") else None
            done.append(ImportedFile(path, "app", "app-1", "Refund approval", error))
            self.between_files.wait(10)
        return tuple(done)


class FakeControl:
    """A brake that nothing hangs on."""

    def __init__(self) -> None:
        self.stopped = False
        self.paused = ""

    def abort(self, reason: str = "") -> None:
        self.stopped = True

    def pause(self, reason: str = "") -> None:
        self.paused = self.paused or reason
