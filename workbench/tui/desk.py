"""All that the TUI asks of the workbench, in one place: each method calls one verb. Runs in worker threads.

Verbs and store are imported when they are first asked for: the first paint waits for neither.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.errors import UsageError
from workbench.verbs.context import Context

if TYPE_CHECKING:
    from workbench.engine.control import Control
    from workbench.records.app import App
    from workbench.store.rows import AppRow, PauseRow, RunRow
    from workbench.verbs.heal import HealResult
    from workbench.verbs.inspect import LoadedRun
    from workbench.verbs.results import ComparedRuns, ImportedFile, RunResult, WhyResult
    from workbench.verbs.watch import Watcher

RUNS_SHOWN = 2_000
"""Rows of the runs list; how many are left out is said."""


@dataclass(frozen=True)
class Opened:
    """A run, or a saved pause, with all that the debugger shows of it.

    Attributes:
        at: the step that was asked for by the id of a pause; None is the last one.
        saved: this is a saved pause: it has no run, and `pauses` holds the pause itself.
        notes: where a saved pause comes from, and what is missing or contradictory in it.
    """

    loaded: LoadedRun
    events: tuple[Mapping[str, Any], ...]
    times: tuple[float, ...]
    pauses: tuple[PauseRow, ...]
    at: int | None = None
    saved: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class AppMissing:
    """A saved pause whose app is not known: `fitting` are (name, id) of the imported apps that fit."""

    fitting: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class StartOrder:
    """A run as the start form describes it.

    Attributes:
        script: the path of a file; `script_text` counts where there is none.
        conversation: a run of it, a file of message rows, or a name: the run is its next turn.
        kernel: "all" is one run on each.
        max_steps, max_seconds: where the run is ended.
        environment: values of environment variables for this run.
    """

    app: Path | str
    query: str | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)
    script: str | None = None
    kernel: str | None = None
    break_before: tuple[str, ...] = ()
    script_text: str | None = None
    conversation: str | None = None
    max_steps: int | None = None
    max_seconds: float | None = None
    environment: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class ResumeOrder:
    """A resume as the pause's form describes it.

    Attributes:
        target: a pause id, or a saved pause's file or id.
        app: the app of a saved pause.
    """

    target: str
    node: str | None = None
    action: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    gate: str = "restored"
    kernel: str | None = None
    break_before: tuple[str, ...] = ()
    app: str | None = None


@dataclass(frozen=True)
class ForkOrder:
    """A fork as its form describes it. `variables`: new values by "node.name"."""

    run_id: str
    step: int
    variables: Mapping[str, str] = field(default_factory=dict)
    script: str | None = None
    app: str | None = None
    kernel: str | None = None
    gate: str | None = None
    dify: str | None = None
    action: str | None = None
    node: str | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    break_before: tuple[str, ...] = ()


@dataclass(frozen=True)
class HealOrder:
    """What the heal form says: a pause and what is known of the chat message, one of the three or none."""

    target: str
    app: str | None = None
    message: str | None = None
    message_file: Path | None = None
    capture: Path | None = None
    dify: str | None = None


class Desk:
    """The verbs as the TUI uses them. All methods block; call them in a worker."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx

    def runs(self, search: str, status: str | None) -> tuple[RunRow, ...]:
        """The runs, the newest first, at most `RUNS_SHOWN` and one more."""
        from workbench.verbs.runs import runs

        return runs(self.ctx, search=search or None, status=status, limit=RUNS_SHOWN + 1)

    def open_run(self, run_id: str, app: str | None = None) -> Opened | AppMissing:
        """A run or a pause of one, or a saved pause as a file or its id."""
        from workbench.verbs.inspect import open_run
        from workbench.verbs.opening import OpenedPause, open_pause
        from workbench.verbs.target import FileTarget, find

        found = find(self.ctx, run_id)
        if isinstance(found, FileTarget):
            opened = open_pause(self.ctx, run_id, app)
            if not isinstance(opened, OpenedPause):
                return AppMissing(opened.fitting)
            pauses = () if opened.pause is None else (opened.pause,)
            return Opened(opened.loaded, (), (), pauses, saved=True, notes=opened.notes)
        if found.kind == "app":
            raise UsageError(f"{run_id} is an app.", "", "The list of apps shows it: a in the list of runs.")
        at = None
        run = found.id
        if found.kind == "pause":
            pause = self.ctx.store.pause(found.id)
            run, at = pause.run_id, pause.step
        return self._with_pauses(open_run(self.ctx, run), at)

    def follow(self, before: Opened) -> Opened:
        """The same run with what was recorded since; only that is read."""
        from workbench.verbs.inspect import follow_run

        return self._with_pauses(follow_run(self.ctx, before.loaded), before.at)

    def _with_pauses(self, loaded: LoadedRun, at: int | None) -> Opened:
        pauses = tuple(self.ctx.store.pauses(loaded.run.run_id))
        return Opened(loaded, loaded.timeline.journal.events, loaded.times, pauses, at)

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

    def why(self, run_id: str, app: str | None = None) -> WhyResult:
        """The findings about a run, or a saved pause."""
        from workbench.verbs.why import why

        return why(self.ctx, run_id, app=app)

    def fork(self, order: ForkOrder, watcher: Watcher, control: Control | None = None) -> RunResult:
        """Go on from a step as a new run."""
        from workbench.verbs.fork import fork
        from workbench.verbs.fork_state import Changes
        from workbench.verbs.options import RunOptions

        changes = Changes(
            order.variables or None, order.script, order.app, order.kernel, order.gate, order.dify
        )
        return fork(
            self.ctx,
            order.run_id,
            step=order.step,
            changes=changes,
            action=order.action,
            node=order.node,
            fields=order.fields,
            options=RunOptions(break_before=order.break_before),
            watcher=watcher,
            control=control,
        )

    def heal(self, order: HealOrder) -> HealResult:
        """Heal a pause; nothing is written."""
        from workbench.verbs.heal import heal, message_from

        message = message_from(order.message, order.message_file, order.capture)
        return heal(self.ctx, order.target, app=order.app, message=message, dify=order.dify)

    def write_healed(self, result: HealResult, path: Path) -> None:
        """Write a healed pause, readable for its owner only."""
        from workbench.verbs.writing import write_private

        write_private(path, result.text.encode("utf-8", "surrogatepass"))

    def keep_healed(self, result: HealResult, order: HealOrder) -> tuple[str, str]:
        """Store a healed pause with its lineage; its id and the id of its app."""
        from workbench.verbs.keeping import keep_healed

        return keep_healed(self.ctx, result, order.target, order.app)

    def start(self, order: StartOrder, watcher: Watcher, control: Control | None = None) -> RunResult:
        """Run an app until it ends or pauses."""
        from workbench.records.script import read_script
        from workbench.verbs.compare import run_on_all
        from workbench.verbs.kernels import ALL
        from workbench.verbs.options import MemoryOptions, RunOptions
        from workbench.verbs.run import run

        app = self.app(order.app)
        script: str | Mapping[str, Any] | None = order.script
        if script is None and order.script_text is not None:
            script = read_script(order.script_text.encode("utf-8", "surrogatepass"), app)
        memory = None if order.conversation is None else MemoryOptions(order.conversation)
        options = RunOptions(
            break_before=order.break_before,
            memory=memory,
            max_steps=order.max_steps,
            max_seconds=order.max_seconds,
        )
        common: dict[str, Any] = {
            "query": order.query,
            "inputs": order.inputs,
            "environment": order.environment,
            "script": script,
            "options": options,
            "watcher": watcher,
            "control": control,
        }
        if order.kernel == ALL:
            return _on_all(run_on_all(self.ctx, app, **common), watcher)
        return run(self.ctx, app, kernel=order.kernel, **common)

    def resume(self, order: ResumeOrder, watcher: Watcher, control: Control | None = None) -> RunResult:
        """Continue a pause; one that was continued before is forked."""
        from workbench.verbs.options import RunOptions
        from workbench.verbs.resume import resume

        return resume(
            self.ctx,
            order.target,
            app=order.app,
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

    def import_files(
        self, paths: Sequence[str], goes_on: Callable[[int, int], bool]
    ) -> tuple[ImportedFile, ...]:
        """Recognise files and store them; `goes_on` as in the verb."""
        from workbench.verbs.importing import import_files

        return import_files(self.ctx, [Path(path).expanduser() for path in paths], goes_on=goes_on)


def _on_all(compared: ComparedRuns, watcher: Watcher) -> RunResult:
    """What is told of runs on every kernel; the one that ran last stays on the screen."""
    for result in compared.runs:
        watcher.note(f"{result.kernel}: {result.status}, run {result.run_id}")
    same = "They do the same." if not compared.differences else f"{len(compared.differences)} differences."
    watcher.note(f"{same} The list of runs has all of them; d marks two to compare.")
    return compared.runs[-1]
