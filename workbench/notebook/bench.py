"""The workbench in Python: every verb as a method, results as objects that go on from there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.edits import Edit, Given
from workbench.errors import BadInputError, UsageError
from workbench.notebook import failing
from workbench.notebook.app import App
from workbench.notebook.differences import Differences
from workbench.notebook.findings import Findings, Page
from workbench.notebook.healed import Healed
from workbench.notebook.listing import Imported, OnAllKernels, Runs
from workbench.notebook.pause import Pause
from workbench.notebook.playing import Play, Playing, bar
from workbench.notebook.run import Run
from workbench.notebook.saved import Exported, Saved
from workbench.notebook.steps import Step
from workbench.notebook.tables import Table
from workbench.verbs.context import DEFAULT_KERNEL, Context, make_context
from workbench.verbs.options import RunOptions, ScriptSource
from workbench.verbs.results import ImportedFile, RunResult

if TYPE_CHECKING:
    from workbench.notebook.watching import Watch

Target = Run | Pause | Saved | App | Path | str
"""What verbs take: an object of this package, an id or its beginning, or a file."""

KERNEL = "WORKBENCH_KERNEL"
"""The environment variable by which a Jupyter kernel names its engine kernel."""

STORE = "WORKBENCH_STORE"
"""The environment variable by which `workbench lab` names its store."""

failing.install()


@dataclass(frozen=True, init=False, repr=False)
class Workbench:
    """The workbench on one store, shared with the TUI and the command line.

    Args:
        store: another store file than the one of `workbench lab`, else the one in `WORKBENCH_HOME`.
        kernel: the engine kernel for new runs ("graphon-0.8", "0.5"); None takes the Jupyter kernel's, else
            the newest.
        unmask: show environment variables, tokens and keys in everything that is shown and returned.
        progress: show progress bars; None shows them in notebooks and on terminals.

    Raises:
        UsageError: there is no such engine kernel.
    """

    ctx: Context = field(repr=False)
    unmask: bool = False
    progress: bool | None = None

    def __init__(
        self,
        store: Path | str | None = None,
        kernel: str | None = None,
        *,
        unmask: bool = False,
        progress: bool | None = None,
    ) -> None:
        named = store or os.environ.get(STORE)
        file = Path(named).expanduser().absolute() if named else None
        given = kernel or os.environ.get(KERNEL) or DEFAULT_KERNEL
        from workbench.verbs.names import kernel_name

        ctx = make_context(file, kernel_name(make_context(file), given))
        object.__setattr__(self, "ctx", ctx)
        object.__setattr__(self, "unmask", unmask)
        object.__setattr__(self, "progress", progress)

    @property
    def store(self) -> Path:
        """The store's file."""
        return self.ctx.store_file

    @property
    def kernel(self) -> str:
        """The engine kernel of new runs."""
        return self.ctx.kernel

    # what there is -------------------------------------------------------------

    def load(self, what: Target, *, app: Target | None = None) -> Any:
        """What a file or an id holds: an `App`, a `Saved` pause, a `Run` or a `Pause`.

        A bundle is imported and gives its run. Other files are read where they are, nothing is stored.

        Args:
            app: the app of a saved pause.

        Raises:
            NotFoundError: nothing goes by that name.
            BadInputError: the file can't be used.
            UsageError: it is a recording or a conversation, which other methods take.
        """
        from workbench.records.app import read_app
        from workbench.verbs.target import StoredTarget, find, stored_app

        if not isinstance(what, Path | str):
            return what
        found = find(self.ctx, what)
        if isinstance(found, StoredTarget):
            if found.kind == "app":
                return App(self, stored_app(self.ctx, found.id))
            return self.pause_of(found.id) if found.kind == "pause" else self.run_of(found.id)
        if found.kind == "app":
            return App(self, read_app(found.data, found.name))
        if found.kind == "bundle":
            return self.import_(what).load()
        if found.kind in ("resumption-context", "runtime-state", "stream-filter"):
            return Saved(self, found.id or Path(found.name), app)
        raise UsageError(
            f"{found.name} is a {found.kind.replace('-', ' ')}.",
            "Apps, saved pauses, bundles, runs and pauses can be loaded.",
            "Import it to keep it: wb.import_(...)",
        )

    def example(self, name: str = "refund-approval") -> App:
        """A bundled example app.

        Raises:
            NotFoundError: there is none of that name; the valid ones are told.
        """
        from workbench.verbs.names import one_of
        from workbench.verbs.story import example_file

        folder = example_file().parents[1]
        return App(self, self.load(folder / one_of(name, self.examples, "example") / "app.yml").record)

    @property
    def examples(self) -> tuple[str, ...]:
        """The names of the bundled example apps."""
        from workbench.verbs.story import example_file

        return tuple(sorted(each.parent.name for each in example_file().parents[1].glob("*/app.yml")))

    def runs(self, search: str | None = None, *, status: str | None = None, limit: int | None = 200) -> Runs:
        """The runs, the newest first.

        Args:
            search: words that must all occur in the app's name, ids, inputs, outputs or node titles.
            status: "running", "paused", "succeeded", "partial-succeeded", "failed", "stopped",
                "interrupted".
            limit: how many at most; None gives all.

        Raises:
            UsageError: there is no such status.
        """
        from workbench.verbs.runs import runs

        rows = runs(self.ctx, status=status, search=search, limit=limit)
        return Runs(tuple(Run(self, row.run_id, (), row) for row in rows))

    def run_of(self, run: str) -> Run:
        """A run by its id, the beginning of one, or the id of one of its pauses.

        Raises:
            NotFoundError: there is none.
        """
        from workbench.errors import NotFoundError
        from workbench.verbs.target import StoredTarget, find

        found = find(self.ctx, run)
        if not isinstance(found, StoredTarget) or found.kind == "app":
            raise NotFoundError(f"{run} is not a run.", "", "wb.runs() lists the runs.")
        run_id = self.ctx.store.pause(found.id).run_id if found.kind == "pause" else found.id
        return Run(self, run_id)

    def pause_of(self, pause: str) -> Pause:
        """A pause by its id.

        Raises:
            NotFoundError: there is none.
        """
        row = self.ctx.store.pause(pause)
        return Pause(Run(self, row.run_id), row)

    def apps(self, search: str | None = None) -> Table:
        """The imported apps: app_id, name, mode, dsl_version, imported_at (UTC)."""
        from workbench.notebook.tables import Column, moment

        names = ("app_id", "name", "mode", "dsl_version")
        rows = [
            (a.app_id, a.name, a.mode, a.dsl_version, moment(a.imported_at))
            for a in self.ctx.store.apps(search)
        ]
        return Table("apps", (*map(Column, names), Column("imported_at", "time")), tuple(rows))

    def kernels(self) -> Table:
        """The engine kernels: name, graphon, state ("built", "missing", "broken"), bytes."""
        from workbench.notebook.tables import Column
        from workbench.verbs.kernels import list_kernels

        columns = (Column("name"), Column("graphon"), Column("state"), Column("bytes", "int"))
        rows = [(each.name, each.graphon, each.state, each.size) for each in list_kernels(self.ctx)]
        return Table("engine kernels", columns, tuple(rows))

    # running -------------------------------------------------------------------

    def run(
        self,
        app: Target,
        query: str | None = None,
        *,
        inputs: Mapping[str, Any] | None = None,
        script: ScriptSource = None,
        kernel: str | None = None,
        break_before: Sequence[str] | str = (),
        run_id: str | None = None,
        **options: Any,
    ) -> Run:
        """Run an app on the real engine until it ends or pauses. Interrupting the cell stops the run.

        Args:
            app: an `App`, a file, an app's id, or a run of it.
            query: what the user says in a chatflow; "Hello" when None.
            inputs: values of the start form by name; what is missing is filled by type.
            script: what models, tools and forms answer: a dictionary, or a YAML file (kernels/SCRIPT.md).
            kernel: another engine kernel than the workbench's.
            break_before: node ids to pause before.
            options: the other fields of `workbench.verbs.options.RunOptions`: `real_code`, `real_http`,
                `model`, `model_name`, `max_steps`, `max_seconds` (seconds).

        Raises:
            UsageError: a name is wrong (kernel, input, node, run id taken).
            BadInputError: the app or the script can't be used.
            KernelError: the engine kernel can't be built, or broke.
        """
        return self.start(
            app,
            query,
            inputs=inputs,
            script=script,
            kernel=kernel,
            break_before=break_before,
            run_id=run_id,
            **options,
        ).result(self.progress)

    def start(
        self,
        app: Target,
        query: str | None = None,
        *,
        inputs: Mapping[str, Any] | None = None,
        script: ScriptSource = None,
        kernel: str | None = None,
        break_before: Sequence[str] | str = (),
        run_id: str | None = None,
        **options: Any,
    ) -> Playing:
        """As `run`, without waiting: `.result()` waits, `await` waits in an event loop, `.stop()` stops."""
        from workbench.verbs.run import run

        wanted, played = self._app(app), _options(break_before, options)
        return self._play(
            lambda watcher, control: run(
                self.ctx,
                wanted,
                query=query,
                inputs=inputs,
                script=script,
                kernel=kernel,
                run_id=run_id,
                options=played,
                watcher=watcher,
                control=control,
            )
        )

    def run_on_all(self, app: Target, query: str | None = None, **arguments: Any) -> OnAllKernels:
        """Run an app on every engine kernel; arguments as `run`, without `kernel`."""
        from workbench.verbs.compare import run_on_all
        from workbench.verbs.target import find_app

        wanted = self._app(app)
        record = find_app(self.ctx, wanted) if isinstance(wanted, Path | str) else wanted
        names = ("inputs", "script", "run_id")
        given = {name: arguments.pop(name) for name in names if name in arguments}
        played = _options(arguments.pop("break_before", ()), arguments)
        made = self._play(
            lambda watcher, control: run_on_all(
                self.ctx, record, query=query, options=played, watcher=watcher, control=control, **given
            )
        ).wait(self.progress)
        return OnAllKernels(Runs(tuple(map(self.run_made, made.runs))), made.differences)

    def resume(
        self,
        target: Target,
        *,
        app: Target | None = None,
        action: str | None = None,
        node: str | None = None,
        fields: Mapping[str, Any] | None = None,
        gate: str | None = None,
        script: ScriptSource = None,
        kernel: str | None = None,
        break_before: Sequence[str] | str = (),
        run_id: str | None = None,
        fork: bool = False,
        **options: Any,
    ) -> Run:
        """Go on from a pause: the run itself the first time, a fork of it after that (the notes tell).

        Args:
            target: a run (its last pause), a pause, or a saved pause.
            app: the app of a saved pause's file.
            action, node, fields: the form that is submitted; `node` only where several wait.
            gate: "restored", "fresh" (lost, as on Dify 1.15) or "healed"; None restores what was saved.
            script: None goes on with the run's own.
            kernel: None takes the one that saved the pause; a newer one is possible.
            fork: make a new run although the pause waits.

        Raises:
            UsageError: an action, field, node, gate or kernel that does not fit; the valid ones are told.
            WorkbenchError: there is no pause, or its gate was never saved and shall be restored.
        """
        return self.start_resume(
            target,
            app=app,
            action=action,
            node=node,
            fields=fields,
            gate=gate,
            script=script,
            kernel=kernel,
            break_before=break_before,
            run_id=run_id,
            fork=fork,
            **options,
        ).result(self.progress)

    def start_resume(
        self,
        target: Target,
        *,
        app: Target | None = None,
        break_before: Sequence[str] | str = (),
        action: str | None = None,
        node: str | None = None,
        fields: Mapping[str, Any] | None = None,
        gate: str | None = None,
        script: ScriptSource = None,
        kernel: str | None = None,
        run_id: str | None = None,
        fork: bool = False,
        **options: Any,
    ) -> Playing:
        """As `resume`, without waiting; see `start`."""
        from workbench.verbs.resume import resume

        wanted, of_app, played = (
            self.target(target),
            self.app_target(app or _own_app(target)),
            _options(break_before, options),
        )
        return self._play(
            lambda watcher, control: resume(
                self.ctx,
                wanted,
                app=of_app,
                action=action,
                node=node,
                fields=fields,
                gate=gate,
                script=script,
                kernel=kernel,
                run_id=run_id,
                fork=fork,
                options=played,
                watcher=watcher,
                control=control,
            )
        )

    def fork(
        self,
        target: Run | Pause | str,
        *,
        step: int | None = None,
        values: Mapping[str, Any] | None = None,
        app: Target | None = None,
        script: ScriptSource = None,
        kernel: str | None = None,
        gate: str | None = None,
        dify: str | None = None,
        action: str | None = None,
        node: str | None = None,
        fields: Mapping[str, Any] | None = None,
        break_before: Sequence[str] | str = (),
        run_id: str | None = None,
        **options: Any,
    ) -> Run:
        """Go on from any step as a new run; nodes that ended before it are not run again.

        Args:
            step: None is the last one. Inside a node the last place before it is taken; the notes tell.
            values: other values of variables, `{"llm.text": "what if"}`.
            app: another version of the app; node and edge ids connect it with the run.
            dify: go on as that Dify would ("1.15.0"): its engine, and its gate lost or kept.

        Raises:
            UsageError: no such step, variable, kernel or gate mode; or the changed app does not fit.
            WorkbenchError: nothing is left to run there.
        """
        from workbench.verbs.fork import fork
        from workbench.verbs.fork_state import Changes

        texts = {name: _text(value) for name, value in (values or {}).items()}
        changes = Changes(texts or None, script, self.app_target(app), kernel, gate, dify)
        wanted, played = str(self.target(target)), _options(break_before, options)
        return self._play(
            lambda watcher, control: fork(
                self.ctx,
                wanted,
                step=step,
                changes=changes,
                action=action,
                node=node,
                fields=fields,
                run_id=run_id,
                options=played,
                watcher=watcher,
                control=control,
            )
        ).result(self.progress)

    # explaining ----------------------------------------------------------------

    def why(self, target: Target, *, app: Target | None = None, dify: str | None = None) -> Findings:
        """Why an Answer is silent, repeated or late: in a run, at a pause, or in a saved pause.

        Args:
            app: the app of a saved pause's file.
            dify: the Dify that resumes the pause ("1.15.0", "main"): tells what will happen there.

        Raises:
            UsageError: a saved pause without its app, an app, or an unknown version.
        """
        from workbench.verbs.why import why

        of_app = self.app_target(app or _own_app(target))
        return Findings(self, why(self.ctx, self.target(target), app=of_app, dify=dify))

    def check(self, app: Target, *, dify: str | None = None) -> Findings:
        """What an app would do wrong, told before it runs; `dify` None looks at all versions.

        Raises:
            UsageError: no app, or an unknown version.
        """
        from workbench.verbs.check import check

        return Findings(self, check(self.ctx, self.target(app), dify=dify))

    def explain(self, code: str) -> Page:
        """The help page of a finding.

        Raises:
            NotFoundError: there is no such code.
        """
        from workbench.core.findings import explain

        return Page(explain(code))

    def show(self, target: Target, step: int | None = None, *, app: Target | None = None) -> Step | Saved:
        """A run at a step (None: its last; a pause: its own), or a saved pause.

        Raises:
            UsageError: there is no such step.
            NotFoundError: nothing goes by that id.
        """
        found = self.load(target, app=app)
        if isinstance(found, Pause):
            return found.run.at(found.step if step is None else step)
        if isinstance(found, Run):
            return found.at(-1 if step is None else step)
        if isinstance(found, Saved):
            return found
        raise UsageError("An app has no steps.", "", "Run it: wb.run(app)")

    def diff(self, before: Target | Step, after: Target | Step, *, app: Target | None = None) -> Differences:
        """What differs between two runs, steps, pauses, saved pauses or apps.

        Args:
            app: the app of saved pauses: with it they are compared by what they mean.

        Raises:
            UsageError: the two can't be compared.
        """
        from workbench.verbs.diff import compare

        of_app = self.app_target(app or _own_app(before) or _own_app(after))
        return Differences(self, compare(self.ctx, self._side(before), self._side(after), app=of_app))

    # changing ------------------------------------------------------------------

    def edit(
        self,
        target: Target,
        values: Mapping[str, Any],
        *,
        remove: Sequence[str] = (),
        app: Target | None = None,
        kernel: str | None = None,
        name: str = "",
        force: bool = False,
        dry_run: bool = False,
    ) -> Saved:
        """A copy of a pause with other values, kept as a new file; the original is never changed.

        Args:
            values: by target: `{"llm.text": "x", "gate:answer": "active", "conversation.n": 3}`;
                `Saved.targets()` lists them. A text is read by the type of its target, other values are taken
                as they are.
            remove: targets to take away.
            kernel: whose rules it shall keep; None takes the engine that saved it.
            force: keep it although the engine would refuse it.
            dry_run: keep nothing; the result tells what would change.

        Raises:
            UsageError: an edit does not fit; nothing was kept.
            WorkbenchError: the engine would refuse the result.
        """
        from workbench.verbs.edit import edit

        edits = [Edit(each, Given(value, is_text=isinstance(value, str))) for each, value in values.items()]
        edits += [Edit(each, None) for each in remove]
        of_app = app or _own_app(target)
        made = edit(
            self.ctx,
            self.target(target),
            edits,
            app=self.app_target(of_app),
            kernel=kernel,
            name=name,
            force=force,
            dry_run=dry_run,
        )
        kept = self.target(target) if made.file_id is None else made.file_id
        return Saved(self, kept, of_app if made.file_id is None else None, made)

    def heal(
        self,
        target: Target,
        *,
        app: Target | None = None,
        message: str | None = None,
        dify: str | None = None,
    ) -> Healed:
        """A pause with a gate that streams what is still owed to the chat user; nothing is stored.

        Args:
            message: the chat message as the user has it (Dify: `messages.answer`); a run of ours knows it.
            dify: the Dify that is to resume it.

        Raises:
            UsageError: no pause, or a saved pause without its app.
            WorkbenchError: the gate can't be written down.
        """
        from workbench.verbs.heal import heal

        of_app = app or _own_app(target)
        made = heal(self.ctx, self.target(target), app=self.app_target(of_app), message=message, dify=dify)
        return Healed(self, made, of_app)

    # files ---------------------------------------------------------------------

    def import_(self, *files: Path | str, new_ids: bool = False) -> Imported:
        """Recognise files by their content and store them; one that is nothing known stops no other.

        Args:
            new_ids: runs out of bundles get new ids.
        """
        from workbench.verbs.importing import import_file

        found = []
        with bar(self.progress, len(files), " files") as paint:
            for file in map(Path, files):
                found.append(import_file(self.ctx, file, new_ids=new_ids))
                paint("event", file.name)
        return Imported(self, tuple(found))

    def load_imported(self, file: ImportedFile) -> Any:
        """What an imported file holds, as `load` gives it."""
        if file.id is None:
            raise BadInputError(f"{file.file} was not imported.", file.error or "", "")
        return self.load(file.id)

    def export(
        self,
        target: Target,
        path: Path | str,
        format: str | None = None,  # noqa: A002
        *,
        app: Target | None = None,
        unmask: bool = False,
        forks: bool = False,
    ) -> Exported:
        """Write a saved state, an imported file, an app or a bundle to a file.

        Args:
            format: "runtime-state" (a pause's default), "stream-filter", "dify", "bundle" (masked unless
                `unmask`), "original" (the default of what was imported).
            forks: of a bundle: take along the runs that were forked from it.

        Raises:
            UsageError: it has no such format.
            WorkbenchError: the folder is missing, or the pause holds no gate.
        """
        from workbench.verbs.exporting import export

        of_app = self.app_target(app or _own_app(target)) if format == "bundle" else None
        wanted = self.target(target)
        return Exported(export(self.ctx, wanted, Path(path), format, app=of_app, unmask=unmask, forks=forks))

    # together ------------------------------------------------------------------

    def watch(self, changed: Callable[[], None]) -> Watch:
        """Call `changed` whenever somebody changes the store: this notebook, the TUI, the command line.

        It is called in the event loop where there is one, else in a thread; `.stop()` ends it.
        """
        from workbench.notebook.watching import Watch

        return Watch(self.ctx.store.change_counter, changed)

    def browse(self) -> Any:
        """The runs of the store as a widget that follows them live (extra `notebook`)."""
        from workbench.notebook.widgets import widget

        return widget("browse", self)

    # names ---------------------------------------------------------------------

    def target(self, what: Target) -> Path | str:
        """The id or file that stands for an object."""
        if isinstance(what, Saved):
            return what.target
        return what if isinstance(what, Path | str) else what.id

    def app_target(self, app: Target | None) -> Path | str | None:
        """The same for an argument `app`."""
        return None if app is None else self.target(app)

    def run_made(self, made: RunResult) -> Run:
        """The run that a verb made, with what the verb had to say."""
        return Run(self, made.run_id, made.notes)

    def _app(self, app: Target) -> Any:
        return app.record if isinstance(app, App) else self.target(app)

    def _side(self, what: Target | Step) -> str:
        if isinstance(what, Step):
            return f"{what.run.id}@{what.step}"
        return str(self.target(what))

    def _play(self, work: Play) -> Playing:
        return Playing(self, work)

    def __repr__(self) -> str:
        return f"Workbench on {self.store}, new runs on {self.kernel}"


def _own_app(target: object) -> Target | None:
    return target.app if isinstance(target, Saved) else None


def _options(break_before: Sequence[str] | str, options: Mapping[str, Any]) -> RunOptions:
    nodes = (break_before,) if isinstance(break_before, str) else tuple(break_before)
    known = set(RunOptions.__dataclass_fields__) - {"break_before"}
    for name in options:
        if name not in known:
            raise UsageError(f"There is no option {name!r}.", f"There are: {', '.join(sorted(known))}.")
    return RunOptions(break_before=nodes, **options)


def _text(value: Any) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
