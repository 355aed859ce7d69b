"""All that the TUI asks of the workbench, in one place: each method calls one verb. Runs in worker threads.

Verbs and store are imported when they are first asked for: the first paint waits for neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.verbs.context import Context

if TYPE_CHECKING:
    from workbench.engine.control import Control
    from workbench.records.app import App
    from workbench.store.rows import AppRow, PauseRow, RunRow
    from workbench.verbs.inspect import LoadedRun
    from workbench.verbs.results import ImportedFile, RunResult, WhyResult
    from workbench.verbs.watch import Watcher

RUNS_SHOWN = 2_000
"""Rows of the runs list; how many are left out is said."""


@dataclass(frozen=True)
class Opened:
    """A run with all that the debugger shows of it."""

    loaded: LoadedRun
    events: tuple[Mapping[str, Any], ...]
    times: tuple[float, ...]
    pauses: tuple[PauseRow, ...]


@dataclass(frozen=True)
class StartOrder:
    """A run as the start form describes it."""

    app: Path | str
    query: str | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)
    script: str | None = None
    kernel: str | None = None
    break_before: tuple[str, ...] = ()


@dataclass(frozen=True)
class ResumeOrder:
    """A resume as the pause's form describes it. `target` is a pause id."""

    target: str
    node: str | None = None
    action: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    gate: str = "restored"
    kernel: str | None = None
    break_before: tuple[str, ...] = ()


class Desk:
    """The verbs as the TUI uses them. All methods block; call them in a worker."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx

    def runs(self, search: str, status: str | None) -> tuple[RunRow, ...]:
        """The runs, the newest first, at most `RUNS_SHOWN` and one more."""
        from workbench.verbs.runs import runs

        return runs(self.ctx, search=search or None, status=status, limit=RUNS_SHOWN + 1)

    def open_run(self, run_id: str) -> Opened:
        """A run, read back."""
        from workbench.verbs.inspect import load_run

        loaded = load_run(self.ctx, run_id)
        pauses = tuple(self.ctx.store.pauses(loaded.run.run_id))
        return Opened(loaded, loaded.timeline.journal.events, loaded.times, pauses)

    def change_counter(self) -> int:
        """Grows with every write to the store; cheap, without a lease."""
        return self.ctx.store.change_counter()

    def apps(self) -> tuple[AppRow, ...]:
        """The imported apps."""
        return tuple(self.ctx.store.apps())

    def choices(self) -> tuple[tuple[str, str], ...]:
        """What can be run: (id or path, name) of the imported apps, then of the bundled examples."""
        from workbench.verbs.story import example_file

        found = [(row.app_id, f"{row.name}  ({row.mode})") for row in self.apps()]
        for file in sorted(example_file().parents[1].glob("*/app.yml")):
            found.append((str(file), f"example: {file.parent.name}"))
        return tuple(found)

    def explain(self, code: str) -> str:
        """The help page of a finding."""
        from workbench.core.findings import explain

        return explain(code)

    def app(self, target: Path | str) -> App:
        """An app by file or id."""
        from workbench.verbs.target import find_app

        return find_app(self.ctx, target)

    def kernels(self) -> tuple[str, ...]:
        """The engine kernels that can be chosen."""
        from workbench.engine.kernels import KERNELS

        return KERNELS

    def why(self, run_id: str) -> WhyResult:
        """The findings about a run."""
        from workbench.verbs.why import why

        return why(self.ctx, run_id)

    def start(self, order: StartOrder, watcher: Watcher, control: Control | None = None) -> RunResult:
        """Run an app until it ends or pauses."""
        from workbench.verbs.options import RunOptions
        from workbench.verbs.run import run

        return run(
            self.ctx,
            order.app,
            query=order.query,
            inputs=order.inputs,
            script=order.script,
            kernel=order.kernel,
            options=RunOptions(break_before=order.break_before),
            watcher=watcher,
            control=control,
        )

    def resume(self, order: ResumeOrder, watcher: Watcher, control: Control | None = None) -> RunResult:
        """Continue a pause; one that was continued before is forked."""
        from workbench.verbs.options import RunOptions
        from workbench.verbs.resume import resume

        return resume(
            self.ctx,
            order.target,
            action=order.action,
            node=order.node,
            fields=order.fields,
            gate=order.gate,
            kernel=order.kernel,
            options=RunOptions(break_before=order.break_before),
            watcher=watcher,
            control=control,
        )

    def control(self) -> Control:
        """A handle to stop a run by."""
        from workbench.engine.control import Control

        return Control()

    def import_files(self, paths: Sequence[str]) -> tuple[ImportedFile, ...]:
        """Recognise files and store them."""
        from workbench.verbs.importing import import_files

        return import_files(self.ctx, paths)
