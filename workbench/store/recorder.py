"""Records a run while it happens.

Order of things: every event is in the spool file before `event()` returns (a kill loses nothing that was told
on), batches follow into the database in the background, and a pause or an end is committed before `pause()`
or `finish()` returns.
"""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from workbench.errors import StoreBusyError, WorkbenchError
from workbench.store.begin import Begun
from workbench.store.lease import Lease, lease
from workbench.store.spool import EventLine, FactLine, Said, Spool, event_line
from workbench.store.texts import as_json, moment, plain_or_none, search_text, to_bytes
from workbench.store.write import NodeValues, node_values, put_blob, put_said

BATCH_SECONDS = 0.2
"""How long an event waits for company before a batch goes to the database."""

END_TIMEOUT = 120.0
"""Seconds that a pause or an end waits for its turn: losing it is worse than waiting."""


class PauseLike(Protocol):
    """`engine.PauseSaved`."""

    @property
    def state(self) -> str: ...
    @property
    def gate(self) -> str | None: ...
    @property
    def reasons(self) -> Sequence[Mapping[str, Any]]: ...


class EndedLike(Protocol):
    """`engine.Ended`."""

    @property
    def status(self) -> str: ...
    @property
    def outputs(self) -> Mapping[str, Any]: ...
    @property
    def error(self) -> str | None: ...
    @property
    def exceptions_count(self) -> int: ...
    @property
    def node_run_steps(self) -> int: ...
    @property
    def total_tokens(self) -> int: ...
    @property
    def pause(self) -> PauseLike | None: ...


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
        self._spool.add(line)
        self.step += 1
        self._span = (self._span[0] if self._span else at, at)
        with self._guard:
            self._raise()
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
        pause_id = str(uuid.uuid4())
        with self._last_batch("pause") as held:
            self._put_pause(held, pause_id, saved, outputs)
            self._put_end(held, "paused", outputs, None, ended)
        return pause_id

    def finish(self, ended: EndedLike) -> str | None:
        """Commit the end of the segment. Returns the id of its pause if it is one. Later calls do nothing."""
        if self._is_over:
            return None
        if ended.pause is not None:
            return self.pause(ended.pause, ended.outputs, ended)
        with self._last_batch("finish") as held:
            self._put_end(held, ended.status, ended.outputs, ended.error, ended)
        return None

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
        self._spool.add(line)
        with self._guard:
            self._raise()
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
            except WorkbenchError as error:
                with self._guard:
                    self._error = error
                return
            rest = min(max(BATCH_SECONDS, 9 * (time.monotonic() - before)), 2.0)

    def _batch(self, verb: str) -> None:
        with self._turn:
            said, nodes = self._take()
            if not (said.events or said.facts):
                return
            try:
                with lease(self._store, f"{verb} {self.run_id}", write=True) as held:
                    self._put_said(held, said, nodes)
            except BaseException:
                self._put_back(said, nodes)
                raise

    @contextlib.contextmanager
    def _last_batch(self, verb: str) -> Any:
        """The last batch and the caller's rows in one transaction; once committed, the spool goes."""
        with self._turn:
            said, nodes = self._take()
            try:
                with lease(self._store, f"{verb} {self.run_id}", write=True, timeout=END_TIMEOUT) as held:
                    self._put_said(held, said, nodes)
                    yield held
            except BaseException:
                self._put_back(said, nodes)
                raise
            with self._guard:
                self._is_over = True
                self._guard.notify()
            self._spool.remove()

    def _take(self) -> tuple[Said, dict[int, NodeValues]]:
        with self._guard:
            said = Said(tuple(self._events), tuple(self._facts))
            self._events.clear()
            self._facts.clear()
            rows = node_values(self._run, self._executions.take())
            nodes = self._nodes | {values[1]: values for values in rows}
            self._nodes = {}
        return said, nodes

    def _put_back(self, said: Said, nodes: dict[int, NodeValues]) -> None:
        with self._guard:
            self._events[:0] = said.events
            self._facts[:0] = said.facts
            self._nodes = nodes | self._nodes

    def _put_said(self, held: Lease, said: Said, nodes: dict[int, NodeValues]) -> None:
        put_said(held, self._run, self._segment, said, list(nodes.values()))
        if said.events:
            held.run("UPDATE workflow_runs SET steps = ? WHERE seq = ?", said.events[-1].step, self._run)

    def _put_pause(self, held: Lease, pause_id: str, saved: PauseLike, outputs: Mapping[str, Any]) -> None:
        held.insert(
            "workflow_pauses",
            id=pause_id,
            run=self._run,
            workflow_run_id=self.run_id,
            segment=self._segment,
            step=self.step,
            state_object_key=put_blob(held, to_bytes(saved.state)),
            gate_object_key=None if saved.gate is None else put_blob(held, to_bytes(saved.gate)),
            outputs=as_json(outputs),
            created_at=moment(time.time()),
        )
        for position, reason in enumerate(saved.reasons):
            held.insert(
                "workflow_pause_reasons",
                id=str(uuid.uuid4()),
                pause_id=pause_id,
                position=position,
                type=str(reason.get("type") or ""),
                form_id=str(reason.get("form_id") or ""),
                message=str(reason.get("message") or ""),
                node_id=str(reason.get("node_id") or ""),
                reason=as_json(reason),
            )

    def _put_end(
        self, held: Lease, status: str, outputs: Mapping[str, Any], error: str | None, ended: EndedLike | None
    ) -> None:
        now = time.time()
        row = held.one(
            "SELECT search, type, elapsed_time, total_steps, total_tokens, exceptions_count"
            " FROM workflow_runs WHERE seq = ?",
            self._run,
        )
        assert row is not None
        search, mode, elapsed, *totals = row
        titles = held.all(
            "SELECT DISTINCT title FROM workflow_node_executions WHERE run = ? LIMIT 100", self._run
        )
        answer = outputs.get("answer") if mode == "advanced-chat" and status != "paused" else None
        if ended is not None and (ended.node_run_steps or ended.total_tokens or ended.exceptions_count):
            totals = [ended.node_run_steps, ended.total_tokens, ended.exceptions_count]
        held.change_row(
            "workflow_runs",
            "seq",
            self._run,
            status=status,
            outputs=as_json(outputs),
            answer=plain_or_none(answer),
            error=plain_or_none(error),
            steps=self.step,
            elapsed_time=elapsed + (self._span[1] - self._span[0] if self._span else 0.0),
            total_steps=totals[0],
            total_tokens=totals[1],
            exceptions_count=totals[2],
            finished_at=None if status == "paused" else moment(now),
            search=search_text([search, dict(outputs), error, titles]),
        )
        held.run(
            "UPDATE run_segments SET status = ?, last_step = ?, finished_at = ?"
            " WHERE run = ? AND segment = ?",
            status,
            self.step,
            moment(now),
            self._run,
            self._segment,
        )
