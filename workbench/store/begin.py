"""The first transaction of a segment: a run or a resume is in the store before its engine starts."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.errors import NotFoundError, PauseConsumedError, UsageError
from workbench.store.lease import Lease
from workbench.store.nodes import Executions
from workbench.store.runs import run_key
from workbench.store.texts import as_json, moment, search_text, to_bytes
from workbench.store.write import open_executions, put_blob

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}")


@dataclass(frozen=True, slots=True)
class Start:
    """How a segment starts; see `SegmentRow`. `base` is what a fork starts from."""

    kernel: str
    script: Mapping[str, Any]
    options: Mapping[str, Any]
    gate_mode: str = "fresh"
    gate: str | None = None
    forms: Mapping[str, Any] = field(default_factory=dict)
    base: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run that begins."""

    run_id: str
    app_id: str
    app_name: str
    mode: str
    inputs: Mapping[str, Any]
    system: Mapping[str, Any]
    forked_from: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    """Where the recorder goes on; `run` is the run's `seq`, `executions` holds those that are not over."""

    run_id: str
    run: int
    segment: int
    first_step: int
    executions: Executions


def begin_run(held: Lease, new: NewRun, start: Start, liveness: str) -> Begun:
    """Put a new run and its first segment into the store.

    Raises:
        UsageError: the id is taken, or no id.
    """
    _check_id(held, new.run_id)
    row = held.one("SELECT coalesce(max(seq), 0) + 1 FROM workflow_runs")
    key = int(row[0]) if row else 1
    now = moment(time.time())
    held.insert(
        "workflow_runs",
        seq=key,
        id=new.run_id,
        app_id=new.app_id,
        app_name=new.app_name,
        type=new.mode,
        triggered_from="workbench",
        status="running",
        interrupted=False,
        kernel=start.kernel,
        inputs=as_json(new.inputs),
        system=as_json(new.system),
        script=as_json(start.script),
        options=as_json(start.options),
        elapsed_time=0.0,
        total_tokens=0,
        total_steps=0,
        exceptions_count=0,
        steps=0,
        segments=1,
        created_at=now,
        search=search_text(
            [new.app_name, new.run_id, new.app_id, start.kernel, new.inputs, new.system.get("query")]
        ),
    )
    if new.forked_from is not None:
        held.insert(
            "forks",
            run=key,
            run_id=new.run_id,
            parent_run_id=new.forked_from["run_id"],
            step=new.forked_from["step"],
            created_at=now,
        )
    _begin_segment(held, key, 0, 1, None, start, liveness)
    return Begun(new.run_id, key, 0, 1, Executions())


def begin_resume(held: Lease, run_id: str, pause_id: str, start: Start, liveness: str) -> Begun:
    """Consume a pause and put the run's next segment into the store.

    Raises:
        PauseConsumedError: it was consumed before.
        NotFoundError: no such run, or no such pause of it.
    """
    key = run_key(held, run_id)
    row = held.one("SELECT workflow_run_id, resumed_at FROM workflow_pauses WHERE id = ?", pause_id)
    if row is None or row[0] != run_id:
        raise NotFoundError(
            f"Run {run_id} has no pause {pause_id}", "", "`workbench runs --status paused` lists paused runs."
        )
    if row[1] is not None:
        raise PauseConsumedError(
            f"Pause {pause_id} was resumed already",
            f"Run {run_id} went on from it.",
            "Resume it as a fork, with a new run id.",
        )
    held.run("UPDATE workflow_pauses SET resumed_at = ? WHERE id = ?", moment(time.time()), pause_id)
    counts = held.one("SELECT segments, steps FROM workflow_runs WHERE seq = ?", key)
    assert counts is not None
    segment, steps = int(counts[0]), int(counts[1])
    held.run(
        "UPDATE workflow_runs SET status = 'running', segments = ?, kernel = ? WHERE seq = ?",
        segment + 1,
        start.kernel,
        key,
    )
    _begin_segment(held, key, segment, steps + 1, pause_id, start, liveness)
    return Begun(run_id, key, segment, steps + 1, Executions(*open_executions(held, key), segment))


def _check_id(held: Lease, run_id: str) -> None:
    if not _RUN_ID.fullmatch(run_id):
        raise UsageError(
            f"{run_id!r} can't be a run id",
            "Letters, digits and . _ : - are allowed, at most 100 of them, a letter or digit first.",
            "Leave --run-id out to get one.",
        )
    if held.one("SELECT 1 FROM workflow_runs WHERE id = ?", run_id) is not None:
        raise UsageError(
            f"There is a run {run_id} already", "", "Choose another --run-id, or leave it out to get one."
        )


def _begin_segment(
    held: Lease, run: int, segment: int, first_step: int, pause_id: str | None, start: Start, liveness: str
) -> None:
    base = start.base
    held.insert(
        "run_segments",
        run=run,
        segment=segment,
        kernel=start.kernel,
        first_step=first_step,
        last_step=first_step - 1,
        gate_mode=start.gate_mode,
        gate_object_key=None if start.gate is None else put_blob(held, to_bytes(start.gate)),
        pause_id=pause_id,
        forms=as_json(start.forms),
        base_object_key=None if base is None else put_blob(held, to_bytes(as_json(base))),
        script=as_json(start.script),
        options=as_json(start.options),
        liveness=liveness,
        status="running",
        created_at=moment(time.time()),
    )
