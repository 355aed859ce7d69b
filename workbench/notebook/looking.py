"""The verbs that find and carry things: load, runs, apps, examples, import, export, watch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench.errors import BadInputError, NotFoundError, UsageError
from workbench.notebook.app import App
from workbench.notebook.base import Bench, Target, own_app
from workbench.notebook.listing import Imported, Runs
from workbench.notebook.pause import Pause
from workbench.notebook.playing import bar
from workbench.notebook.run import Run
from workbench.notebook.saved import Exported, Saved
from workbench.notebook.tables import Column, Table, moment
from workbench.notebook.watching import Watch
from workbench.verbs.results import ImportedFile


class Looking(Bench):
    """What there is."""

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
                return App(self.bench, stored_app(self.ctx, found.id))
            return self.pause_of(found.id) if found.kind == "pause" else self.run_of(found.id)
        if found.kind == "app":
            return App(self.bench, read_app(found.data, found.name))
        if found.kind == "bundle":
            return self.import_(what).load()
        if found.kind in ("resumption-context", "runtime-state", "stream-filter"):
            return Saved(self.bench, found.id or Path(found.name), app)
        raise UsageError(
            f"{found.name} is a {found.kind.replace('-', ' ')}.",
            "Apps, saved pauses, bundles, runs and pauses can be loaded.",
            "Import it to keep it: wb.import_(...)",
        )

    def example(self, name: str = "refund-approval") -> App:
        """A bundled example app.

        Raises:
            UsageError: there is none of that name; the valid ones are told.
        """
        from workbench.verbs.bundled import bundled
        from workbench.verbs.names import one_of

        found = bundled()
        return App(self.bench, self.load(found[one_of(name, found, "example")] / "app.yml").record)

    @property
    def examples(self) -> tuple[str, ...]:
        """The names of the bundled example apps."""
        from workbench.verbs.bundled import bundled

        return tuple(bundled())

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
        return Runs(tuple(Run(self.bench, row.run_id, (), row) for row in rows))

    def run_of(self, run: str) -> Run:
        """A run by its id, the beginning of one, or the id of one of its pauses.

        Raises:
            NotFoundError: there is none.
        """
        from workbench.verbs.target import StoredTarget, find

        found = find(self.ctx, run)
        if not isinstance(found, StoredTarget) or found.kind == "app":
            raise NotFoundError(f"{run} is not a run.", "", "wb.runs() lists the runs.")
        run_id = self.ctx.store.pause(found.id).run_id if found.kind == "pause" else found.id
        return Run(self.bench, run_id)

    def pause_of(self, pause: str) -> Pause:
        """A pause by its id.

        Raises:
            NotFoundError: there is none.
        """
        row = self.ctx.store.pause(pause)
        return Pause(Run(self.bench, row.run_id), row)

    def apps(self, search: str | None = None) -> Table:
        """The imported apps: app_id, name, mode, dsl_version, imported_at (UTC)."""

        names = ("app_id", "name", "mode", "dsl_version")
        rows = [
            (a.app_id, a.name, a.mode, a.dsl_version, moment(a.imported_at))
            for a in self.ctx.store.apps(search)
        ]
        return Table("apps", (*map(Column, names), Column("imported_at", "time")), tuple(rows))

    def kernels(self) -> Table:
        """The engine kernels: name, graphon, state ("built", "missing", "broken"), bytes."""
        from workbench.verbs.kernels import list_kernels

        columns = (Column("name"), Column("graphon"), Column("state"), Column("bytes", "int"))
        rows = [(each.name, each.graphon, each.state, each.size) for each in list_kernels(self.ctx)]
        return Table("engine kernels", columns, tuple(rows))

    # files -------------------------------------------------------------------

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
        return Imported(self.bench, tuple(found))

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

        of_app = self.app_target(app or own_app(target)) if format == "bundle" else None
        wanted = self.target(target)
        return Exported(export(self.ctx, wanted, Path(path), format, app=of_app, unmask=unmask, forks=forks))

    # together ------------------------------------------------------------------

    def watch(self, changed: Callable[[], None]) -> Watch:
        """Call `changed` whenever somebody changes the store: this notebook, the TUI, the command line.

        It is called in the event loop where there is one, else in a thread; `.stop()` ends it.
        """

        return Watch(self.ctx.store.change_counter, changed)

    def browse(self) -> Any:
        """The runs of the store as a widget that follows them live (extra `notebook`)."""
        from workbench.notebook.widgets import widget

        return widget("browse", self)
