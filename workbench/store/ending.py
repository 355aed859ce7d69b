"""The last transaction of a segment: a pause with all that a resume needs, or an end."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from workbench.store.lease import Lease
from workbench.store.texts import as_json, moment, search_text, to_bytes
from workbench.store.write import put_blob


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


@dataclass(frozen=True, slots=True)
class Place:
    """Where a segment ends: run (id, `seq`), index, last step, seconds from its first event to its last."""

    run_id: str
    run: int
    segment: int
    step: int
    seconds: float


def put_pause(held: Lease, place: Place, saved: PauseLike, outputs: Mapping[str, Any]) -> str:
    """Keep a pause; returns its id."""
    pause_id = str(uuid.uuid4())
    held.insert(
        "workflow_pauses",
        id=pause_id,
        run=place.run,
        workflow_run_id=place.run_id,
        segment=place.segment,
        step=place.step,
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
    return pause_id


def put_end(
    held: Lease,
    place: Place,
    status: str,
    outputs: Mapping[str, Any],
    *,
    error: str | None = None,
    totals: EndedLike | None = None,
    also: str = "",
) -> None:
    """Bring the run and its segment to their end. `totals` are the run's; `also` is found by a search."""
    now = time.time()
    row = held.one(
        "SELECT search, type, elapsed_time, total_steps, total_tokens, exceptions_count"
        " FROM workflow_runs WHERE seq = ?",
        place.run,
    )
    assert row is not None
    search, mode, elapsed, *counts = row
    if totals is not None and (totals.node_run_steps or totals.total_tokens or totals.exceptions_count):
        counts = [totals.node_run_steps, totals.total_tokens, totals.exceptions_count]
    titles = held.all(
        "SELECT DISTINCT title FROM workflow_node_executions WHERE run = ? LIMIT 100", place.run
    )
    answer = outputs.get("answer") if mode == "advanced-chat" and status != "paused" else None
    held.change_row(
        "workflow_runs",
        "seq",
        place.run,
        status=status,
        outputs=as_json(outputs),
        answer=None if answer is None else str(answer),
        error=error,
        steps=place.step,
        elapsed_time=elapsed + place.seconds,
        total_steps=counts[0],
        total_tokens=counts[1],
        exceptions_count=counts[2],
        finished_at=None if status == "paused" else moment(now),
        search=search_text([search, also, dict(outputs), error, titles]),
    )
    held.run(
        "UPDATE run_segments SET status = ?, last_step = ?, finished_at = ? WHERE run = ? AND segment = ?",
        status,
        place.step,
        moment(now),
        place.run,
        place.segment,
    )
