"""A desk without store and engine: the TUI's screens are tested on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.tui import journals
from workbench.core.findings import diagnose
from workbench.core.graph import Graph
from workbench.core.replay import Timeline
from workbench.errors import NotFoundError, UsageError
from workbench.store.rows import PauseRow, RunDetail, RunRow
from workbench.tui.desk import Desk, Opened, ResumeOrder, StartOrder
from workbench.verbs.context import Context
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

    def open_run(self, run_id: str) -> Opened:
        self._checked()
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

    def why(self, run_id: str) -> WhyResult:
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

    def _result(self, run_id: str, status: str) -> RunResult:
        return RunResult(run_id, "Refund approval", "advanced-chat", status, "graphon-0.8", None, {}, (), 11)

    def import_files(self, paths: Sequence[str]) -> tuple[ImportedFile, ...]:
        self.orders.append(tuple(paths))
        return tuple(ImportedFile(p, "app", "app-1", "Refund approval", None) for p in paths)


class FakeControl:
    """A brake that nothing hangs on."""

    def __init__(self) -> None:
        self.stopped = False

    def abort(self, reason: str = "") -> None:
        self.stopped = True
