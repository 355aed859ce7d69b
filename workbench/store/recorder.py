"""Records a run while it happens.

Order of things: every event is in the spool file before `event()` returns (a kill loses nothing that was told
on), batches follow into the database in the background, and a pause or an end is committed before `pause()`
or `finish()` returns.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.errors import StoreBusyError, StoreError, WorkbenchError
from workbench.store.begin import Begun
from workbench.store.ending import EndedLike, PauseLike, Place, put_end, put_pause
from workbench.store.lease import Lease, lease
from workbench.store.spool import EventLine, FactLine, Said, Spool, event_line
from workbench.store.texts import as_json
from workbench.store.write import NodeValues, node_values, put_said, without_known

BATCH_SECONDS = 0.2
"""How long an event waits for company before a batch goes to the database."""

END_TIMEOUT = 120.0
"""Seconds that a pause or an end waits for its turn: losing it is worse than waiting."""


class Recorder:
    """The sink of a run's segment. One call at a time, from any thread; `close()` it whatever happens.

    Attributes:
        run_id, first_step: what is recorded, and the step of its first event.
        step: the step of the last event.
    """

    def __init__(self, store: Path, begun: Begun, spool: Spool, *, keep_stream: bool) -> None:
        """Go on from a begun segment; `keep_stream` keeps what the gate lets through."""
        self.run_id = begun.run_id
        self.first_step = begun.first_step
        self.step = begun.first_step - 1
        self._store, self._run, self._segment = store, begun.run, begun.segment
        self._executions, self._spool, self._keep_stream = begun.executions, spool, keep_stream
        self._span: tuple[float, float] | None = None  # times of the first and the last event
        self._events: list[EventLine] = []
        self._facts: list[FactLine] = []
        self._nodes: dict[int, NodeValues] = {}
        self._guard = threading.Condition()  # over the four above and the two below
        self._error: WorkbenchError | None = None
        self._is_over = False
        self._facts_kept = 0
        self._unsure = False  # something taken may have been written already
        self._turn = threading.Lock()  # one batch at a time, in order
        self._thread = threading.Thread(target=self._work, name="recorder", daemon=True)
        self._thread.start()

    # ---- the sink

    def graph(self, message: Mapping[str, Any]) -> None:
        """The graph as the engine reports it."""
        self._fact("graph", {key: value for key, value in message.items() if key != "msg"})

    def pool(self, variables: Mapping[str, Any]) -> None:
        """The variable pool before the first event."""
        self._fact("pool", variables)

    def event(self, n: int, at: float, event: Mapping[str, Any]) -> int:
        """One raw engine event. Returns its step in the run; it survives a kill from here on."""
        line = event_line(self.step + 1, at, event, as_json(event))
        with self._guard:
            self._raise()
            self._spool.add(line)
            self.step += 1
            self._span = (self._span[0] if self._span else at, at)
            self._events.append(line)
            self._executions.feed(line.step, at, event)
            if len(self._events) == 1:
                self._guard.notify()
        return line.step

    def stream(self, n: int, chunks: Sequence[Sequence[Any]], error: str | None) -> None:
        """What the gate let through; kept only where the journal can't give it: raced runs, dead streams."""
        if error is not None:
            self._fact("stream-error", error)
        elif self._keep_stream:
            self._fact("stream", chunks)

    def note(self, text: str) -> None:
        """Something the user should know."""
        self._fact("note", text)

    # ---- pauses and ends

    def pause(self, saved: PauseLike, outputs: Mapping[str, Any], ended: EndedLike | None = None) -> str:
        """Commit a pause and all that a resume needs; returns its id.

        `ended` gives the totals (node runs, tokens) when they are known. Nothing else is recorded afterwards.
        """

        def write(held: Lease, place: Place) -> str:
            pause_id = put_pause(held, place, saved, outputs)
            put_end(held, place, "paused", outputs, totals=ended, also=pause_id)
            return pause_id

        return self._end("pause", write) or self._known_pause()

    def finish(self, ended: EndedLike) -> str | None:
        """Commit the end of the segment. Returns the id of its pause if it is one. Later calls do nothing."""
        if self._is_over:
            return None
        if ended.pause is not None:
            return self.pause(ended.pause, ended.outputs, ended)

        def write(held: Lease, place: Place) -> None:
            put_end(held, place, ended.status, ended.outputs, error=ended.error, totals=ended)

        return self._end("finish", write)

    def _known_pause(self) -> str:
        """The id of the pause that was committed although `pause()` seemed to fail."""
        with lease(self._store, "read pause", write=False) as held:
            row = held.one(
                "SELECT id FROM workflow_pauses WHERE run = ? AND segment = ?", self._run, self._segment
            )
        return str(row[0]) if row else ""

    def flush(self) -> None:
        """Bring all that was said into the database now."""
        self._batch("record")

    def close(self) -> None:
        """Let go. A recorder that neither paused nor finished leaves an interrupted run behind."""
        with self._guard:
            was_over, self._is_over = self._is_over, True
            self._guard.notify()
        self._thread.join()
        if not was_over:
            with contextlib.suppress(WorkbenchError):
                self._batch("record")
        self._spool.leave()

    # ---- the work behind

    def _fact(self, kind: str, value: Any) -> None:
        line = FactLine(self.step, kind, as_json(value))
        with self._guard:
            self._raise()
            self._spool.add(line)
            self._facts.append(line)
            self._guard.notify()

    def _raise(self) -> None:
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def _work(self) -> None:
        """The thread: a batch at most every 200 ms, and never more than a tenth of the time."""
        rest = BATCH_SECONDS
        while True:
            with self._guard:
                self._guard.wait_for(lambda: self._is_over or self._events or self._facts)
                self._guard.wait_for(lambda: self._is_over, rest)
                if self._is_over:
                    return
            before = time.monotonic()
            try:
                self._batch("record")
            except StoreBusyError:
                pass  # it waits in the spool; the next batch takes it along
            except Exception as error:  # told by the next call; a thread has nobody else to tell
                with self._guard:
                    self._error = error if isinstance(error, WorkbenchError) else _unexpected(error)
                return
            rest = min(max(BATCH_SECONDS, 9 * (time.monotonic() - before)), 2.0)

    def _batch(self, verb: str) -> None:
        with self._turn:
            said, nodes = self._take()
            if said.events or said.facts:
                with self._kept(said, nodes), lease(self._store, f"{verb} {self.run_id}", write=True) as held:
                    self._put_said(held, said, nodes)
                self._facts_kept += len(said.facts)

    def _end[Result](self, verb: str, write: Callable[[Lease, Place], Result]) -> Result | None:
        """The last batch and the end's own rows in one transaction; once committed, the spool goes."""
        with self._turn:
            said, nodes = self._take()
            result = None
            with (
                self._kept(said, nodes),
                lease(self._store, f"{verb} {self.run_id}", write=True, timeout=END_TIMEOUT) as held,
            ):
                if not self._has_ended(held):
                    self._put_said(held, said, nodes)
                    span = self._span[1] - self._span[0] if self._span else 0.0
                    result = write(held, Place(self.run_id, self._run, self._segment, self.step, span))
            with self._guard:
                self._is_over = True
                self._guard.notify()
            self._spool.remove()
            return result

    @contextlib.contextmanager
    def _kept(self, said: Said, nodes: dict[int, NodeValues]) -> Iterator[None]:
        """What was taken is put back when it may not have been written."""
        try:
            yield
        except BaseException:
            self._unsure = True  # Ctrl-C may come right after the commit
            with self._guard:
                self._events[:0] = said.events
                self._facts[:0] = said.facts
                self._nodes = nodes | self._nodes
            raise

    def _has_ended(self, held: Lease) -> bool:
        """Whether an end that seemed to fail was committed after all."""
        if not self._unsure:
            return False
        status = held.one(
            "SELECT status FROM run_segments WHERE run = ? AND segment = ?", self._run, self._segment
        )
        return status is not None and status[0] != "running"

    def _take(self) -> tuple[Said, dict[int, NodeValues]]:
        with self._guard:
            said = Said(tuple(self._events), tuple(self._facts))
            self._events.clear()
            self._facts.clear()
            rows = node_values(self._run, self._executions.take())
            nodes = self._nodes | {values[1]: values for values in rows}
            self._nodes = {}
        return said, nodes

    def _put_said(self, held: Lease, said: Said, nodes: dict[int, NodeValues]) -> None:
        if self._unsure:
            said = without_known(held, self._run, self._segment, self.first_step, said, self._facts_kept)
        put_said(held, self._run, self._segment, said, list(nodes.values()))
        if said.events:
            held.run("UPDATE workflow_runs SET steps = ? WHERE seq = ?", said.events[-1].step, self._run)


def _unexpected(error: Exception) -> StoreError:
    return StoreError("The run can't be recorded", f"{type(error).__name__}: {error}", "Please report this.")
