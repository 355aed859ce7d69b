"""What the workbench remembers. Every call is one short lease; nothing stays open between calls."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from workbench.errors import NotFoundError
from workbench.records.bundle import CarriedApp, CarriedFile, CarriedRun
from workbench.store import runs as reading
from workbench.store.begin import Begun, NewRun, Start, begin_resume, begin_run
from workbench.store.carry import carried_run, family, put_run
from workbench.store.edits import all_edited, put_origin, read_edited
from workbench.store.ids import NamedId, ids, resolve
from workbench.store.lease import Lease, lease, lock_path
from workbench.store.lock import Lock
from workbench.store.recorder import Recorder
from workbench.store.rows import (
    AppRow,
    EditedFile,
    NodeRow,
    PauseRow,
    Ref,
    RunDetail,
    RunRow,
    SegmentRow,
    StoredFile,
    Streamed,
)
from workbench.store.spool import Spool
from workbench.store.sweep import drop, sweep
from workbench.store.texts import seconds
from workbench.store.write import get_blob, put_app, put_file


class AppLike(Protocol):
    """`records.app.App`."""

    @property
    def data(self) -> bytes: ...
    @property
    def name(self) -> str: ...
    @property
    def mode(self) -> str: ...
    @property
    def dsl_version(self) -> str | None: ...


class Store:
    """A store file. Every method may raise StoreBusyError and StoreError, and be called from any thread."""

    def __init__(self, path: Path) -> None:
        """Name the file; nothing is opened or made yet."""
        self.path = Path(path)

    @contextlib.contextmanager
    def _lease(self, verb: str, *, write: bool = False) -> Iterator[Lease]:
        """A lease that first takes over what dead recorders left."""
        gone: list[str] = []
        with lease(self.path, verb, write=write) as held:
            gone = sweep(held, self.path)
            held.changed = held.changed or bool(gone)
            yield held
        drop(self.path, gone)

    def change_counter(self) -> int:
        """Grows whenever somebody changes the store; costs no lease. For front ends that watch."""
        return Lock(lock_path(self.path)).counter()

    # ---- apps and files

    def put_app(self, app: AppLike) -> str:
        """Keep an app; the same bytes get the same id."""
        with self._lease("import", write=True) as held:
            app_id, is_new = put_app(held, app.data, app.name, app.mode, app.dsl_version)
            held.changed = is_new
        return app_id

    def apps(self, search: str | None = None) -> list[AppRow]:
        """Imported apps, newest first."""
        with self._lease("list apps") as held:
            rows = held.all(
                "SELECT id, name, mode, dsl_version, imported_at, search FROM apps ORDER BY imported_at DESC"
            )
        words = (search or "").casefold().split()
        return [
            AppRow(app_id, name, mode, version, seconds(imported) or 0.0)
            for app_id, name, mode, version, imported, text in rows
            if all(word in text for word in words)
        ]

    def app_bytes(self, app_id: str) -> bytes:
        """The exported DSL, byte for byte.

        Raises:
            NotFoundError
        """
        with self._lease("read app") as held:
            data = get_blob(held, app_id)
        if data is None:
            raise NotFoundError(f"There is no app {app_id}", "", "Import its file again.")
        return data

    def newest_apps(self, most: int) -> list[tuple[str, bytes]]:
        """Ids and exported DSLs of the apps that were imported last."""
        with self._lease("read apps") as held:
            rows = held.all("SELECT id FROM apps ORDER BY imported_at DESC LIMIT ?", most)
            found = [(app_id, get_blob(held, app_id)) for (app_id,) in rows]
        return [(app_id, data) for app_id, data in found if data is not None]

    def put_file(self, kind: str, data: bytes, name: str, detail: str) -> str:
        """Keep an imported file that is no app; the same bytes get the same id."""
        with self._lease("import", write=True) as held:
            return put_file(held, kind, data, name, detail)

    def file(self, file_id: str) -> StoredFile:
        """One imported file.

        Raises:
            NotFoundError
        """
        with self._lease("read file") as held:
            row = held.one(
                "SELECT f.kind, f.name, f.detail, f.imported_at, e.kernel FROM files f"
                " LEFT JOIN edited_files e ON e.file_id = f.id WHERE f.id = ?",
                file_id,
            )
            data = get_blob(held, file_id)
        if row is None or data is None:
            raise NotFoundError(f"There is no file {file_id}", "", "Import it again.")
        kind, name, detail, imported, kernel = row
        return StoredFile(file_id, kind, name, detail, seconds(imported) or 0.0, data, kernel)

    # ---- bundles

    def carried_runs(self, run_id: str, *, forks: bool = False) -> list[CarriedRun]:
        """A run with its ancestors before it, whole; with `forks` also all runs that were made of it.

        Raises:
            NotFoundError
        """
        with self._lease("read run") as held:
            return [carried_run(held, each) for each in family(held, run_id, forks=forks)]

    def put_carried(
        self,
        apps: Iterable[CarriedApp],
        runs: Iterable[CarriedRun],
        files: Iterable[CarriedFile],
        edited: Iterable[EditedFile] = (),
    ) -> None:
        """Keep apps, runs and files out of a bundle, all of them or none.

        Args:
            edited: which of the files are edited pauses; what is known of a file already stays.

        Raises:
            StoreError: a run or a pause of that id is there already.
        """
        with self._lease("import", write=True) as held:
            for app in apps:
                put_app(held, app.data, app.name, app.mode, app.dsl_version)
            for run in runs:
                put_run(held, run)
            for file in files:
                put_file(held, file.kind, file.data, file.name, file.detail)
            for origin in edited:
                put_origin(held, origin, replace=False)

    def known_runs(self, run_ids: Iterable[str]) -> set[str]:
        """Which of these runs there are."""
        with self._lease("look up runs") as held:
            rows = held.all("SELECT id FROM workflow_runs WHERE id IN (SELECT unnest(?))", list(run_ids))
        return {row[0] for row in rows}

    def known_file(self, file_id: str) -> bool:
        """Is there a stored file of that id?"""
        with self._lease("look up a file") as held:
            return held.one("SELECT 1 FROM files WHERE id = ?", file_id) is not None

    def put_edited(self, kind: str, data: bytes, detail: str, origin: EditedFile) -> str:
        """Keep an edited saved pause beside the one it was made from; `origin.file_id` is not looked at."""
        with self._lease("edit", write=True) as held:
            file_id = put_file(held, kind, data, origin.name, detail)
            put_origin(held, replace(origin, file_id=file_id), replace=True)
            held.changed = True
        return file_id

    def edited(self, file_id: str) -> EditedFile | None:
        """Where an edited saved pause comes from; None for other files."""
        with self._lease("read file") as held:
            return read_edited(held, file_id)

    def edited_files(self) -> list[EditedFile]:
        """All edited saved pauses and where they come from, the oldest first."""
        with self._lease("list files") as held:
            return all_edited(held)

    # ---- recording

    def begin_run(
        self,
        *,
        run_id: str,
        app_id: str,
        app_name: str,
        mode: str,
        kernel: str,
        inputs: Mapping[str, Any],
        system: Mapping[str, Any],
        script: Mapping[str, Any],
        options: Mapping[str, Any],
        forked_from: Mapping[str, Any] | None = None,
        base: Mapping[str, Any] | None = None,
        gate_mode: str = "fresh",
        gate: str | None = None,
        forms: Mapping[str, Any] | None = None,
    ) -> Recorder:
        """A new run; it is committed when this returns. `base`, `gate_mode`, `gate`, `forms` are a fork's
        start.

        Raises:
            UsageError: the id is taken, or no id.
        """
        start = Start(kernel, script, options, gate_mode, gate, forms or {}, base)
        new = NewRun(run_id, app_id, app_name, mode, inputs, system, forked_from)
        return self._record("run", lambda held, liveness: begin_run(held, new, start, liveness), options)

    def begin_resume(
        self,
        *,
        run_id: str,
        pause_id: str,
        forms: Mapping[str, Any],
        gate_mode: str,
        gate: str | None,
        script: Mapping[str, Any],
        options: Mapping[str, Any],
        kernel: str,
    ) -> Recorder:
        """The next segment of a paused run. The pause is consumed when this returns, for everybody.

        Raises:
            PauseConsumedError: it was consumed before.
            NotFoundError: no such run or pause.
        """
        start = Start(kernel, script, options, gate_mode, gate, forms)
        return self._record(
            "resume", lambda held, liveness: begin_resume(held, run_id, pause_id, start, liveness), options
        )

    def _record(
        self, verb: str, begin: Callable[[Lease, str], Begun], options: Mapping[str, Any]
    ) -> Recorder:
        spool = Spool(self.path)
        try:
            with self._lease(verb, write=True) as held:
                begun = begin(held, spool.name)
        except BaseException:
            spool.remove()
            raise
        return Recorder(self.path, begun, spool, keep_stream=not options.get("lockstep", True))

    # ---- reading runs

    def runs(
        self,
        *,
        status: str | None = None,
        search: str | None = None,
        app: str | None = None,
        limit: int | None = None,
    ) -> list[RunRow]:
        """Runs, newest first. Each word of `search` must occur in app, ids, inputs, outputs, titles."""
        with self._lease("list runs") as held:
            return reading.list_runs(held, status=status, search=search, app=app, limit=limit)

    def turns(self, conversation: str) -> list[RunRow]:
        """The runs of a conversation (`sys.conversation_id`) that are no forks, the oldest first."""
        with self._lease("list turns") as held:
            return reading.list_turns(held, conversation)

    def fork_gates(self) -> dict[str, str]:
        """The gate mode with which each fork went on, by its run id."""
        with self._lease("list runs") as held:
            rows = held.all(
                "SELECT f.run_id, s.gate_mode FROM forks f"
                " JOIN run_segments s ON s.run = f.run AND s.segment = 0"
            )
        return dict(rows)

    def run(self, run_id: str) -> RunDetail:
        """One run.

        Raises:
            NotFoundError
        """
        with self._lease("read run") as held:
            return reading.run_detail(held, run_id)

    def events(
        self, run_id: str, first: int = 1, last: int | None = None
    ) -> list[tuple[int, float, dict[str, Any]]]:
        """Events `first` to `last` of a run as (step, seconds since 1970, EVENT).

        Raises:
            NotFoundError
        """
        with self._lease("read events") as held:
            rows = reading.read_events(held, reading.run_key(held, run_id), first, last)
        return [(step, at, json.loads(text)) for step, at, text in rows]

    def streams(self, run_id: str) -> list[Streamed]:
        """What was streamed in segments whose journal alone does not give it, and dead streams.

        Raises:
            NotFoundError
        """
        with self._lease("read run") as held:
            return reading.read_streams(held, reading.run_key(held, run_id))

    def segments(self, run_id: str) -> list[SegmentRow]:
        """The segments of a run, in order.

        Raises:
            NotFoundError
        """
        with self._lease("read run") as held:
            return reading.read_segments(held, reading.run_key(held, run_id), run_id)

    def nodes(self, run_id: str) -> list[NodeRow]:
        """The node executions of a run, in the order of their starts.

        Raises:
            NotFoundError
        """
        with self._lease("read run") as held:
            return reading.read_nodes(held, reading.run_key(held, run_id), run_id)

    def pauses(self, run_id: str) -> list[PauseRow]:
        """The pauses of a run, oldest first.

        Raises:
            NotFoundError
        """
        with self._lease("read pauses") as held:
            return reading.read_pauses(held, reading.run_key(held, run_id))

    def pause(self, pause_id: str) -> PauseRow:
        """One pause.

        Raises:
            NotFoundError
        """
        with self._lease("read pause") as held:
            return reading.read_pause(held, pause_id)

    def resolve(self, prefix: str) -> Ref:
        """What an id, or an unambiguous beginning of one, stands for.

        Raises:
            NotFoundError: nothing fits; tells ids that look alike.
            UsageError: several fit; tells them.
        """
        with self._lease("look up an id") as held:
            return resolve(held, prefix)

    def ids(self, prefix: str, kinds: Sequence[str], most: int) -> list[NamedId]:
        """At most so many ids of these kinds ("run", "pause", "app", "file") that begin so, newest first."""
        with self._lease("list ids") as held:
            return ids(held, prefix, kinds, most)
