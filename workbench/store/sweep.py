"""Takes over what dead recorders left: their spool goes into the database, their run is interrupted."""

from __future__ import annotations

import json
import time
from pathlib import Path

from workbench.store.lease import Lease
from workbench.store.nodes import Executions
from workbench.store.spool import Said, drop_spool, is_alive, left_behind, read_spool
from workbench.store.texts import moment
from workbench.store.write import node_values, open_executions, put_said, without_known


def sweep(lease: Lease, store: Path) -> list[str]:
    """Bring the database up to date with the dead. Returns the spool files to drop once this is committed.

    Events that a batch had already brought in are not added again: steps only count upwards.
    """
    open_segments = lease.all(
        "SELECT run, segment, liveness, first_step FROM run_segments WHERE status = 'running'"
    )
    dead = [row for row in open_segments if not is_alive(store, row[2])]
    for run, segment, liveness, first_step in dead:
        _take_over(lease, run, segment, first_step, read_spool(store, liveness))
    known = {row[2] for row in open_segments}
    return [row[2] for row in dead] + [name for name in left_behind(store) if name not in known]


def drop(store: Path, names: list[str]) -> None:
    """Delete spool files whose content is committed (or that belong to no run: it was never reported)."""
    for name in names:
        drop_spool(store, name)


def _take_over(lease: Lease, run: int, segment: int, first_step: int, said: Said) -> None:
    rest = without_known(lease, run, segment, first_step, said)
    rows, count = open_executions(lease, run)
    executions = Executions(rows, count, segment)
    for line in rest.events:
        executions.feed(line.step, line.at, json.loads(line.text))
    last = lease.one("SELECT coalesce(max(step), 0) FROM run_events WHERE run = ?", run)
    step = rest.events[-1].step if rest.events else int(last[0]) if last else 0
    now = time.time()
    reason = (
        f"The process that ran it ended without a word after step {step} (killed, or the machine stopped)."
    )
    executions.break_off(step, now, reason)
    put_said(lease, run, segment, rest, node_values(run, executions.take()))
    finished = moment(rest.events[-1].at if rest.events else now)
    lease.change_row(
        "workflow_runs",
        "seq",
        run,
        status="stopped",
        interrupted=True,
        error=reason,
        steps=step,
        finished_at=finished,
    )
    lease.run(
        "UPDATE run_segments SET status = 'stopped', last_step = ?, finished_at = ?"
        " WHERE run = ? AND segment = ?",
        step,
        finished,
        run,
        segment,
    )
