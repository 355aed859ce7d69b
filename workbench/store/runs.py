"""Reading runs: lists, one run, its events, segments, pauses and node executions."""

from __future__ import annotations

import json
from typing import Any

from workbench.errors import NotFoundError
from workbench.store.lease import Lease
from workbench.store.rows import NodeRow, PauseRow, RunDetail, RunRow, SegmentRow, Streamed
from workbench.store.texts import from_json, seconds, to_text
from workbench.store.write import NODE_COLUMNS, get_blob

_LIST = (
    "SELECT r.id, r.app_id, r.app_name, r.type, r.status, r.kernel, epoch_us(r.created_at),"
    " epoch_us(r.finished_at), r.steps, r.interrupted, f.parent_run_id, f.step"
)
_FROM = " FROM workflow_runs r LEFT JOIN forks f ON f.run = r.seq"


def list_runs(
    lease: Lease, *, status: str | None, search: str | None, app: str | None, limit: int | None
) -> list[RunRow]:
    """Runs, newest first. `search` is words that must all occur, in any case; `app` an app's id or name."""
    conditions: list[str] = []
    values: list[Any] = []
    if status is not None:
        conditions.append("r.status = ?")
        values.append(status)
    if app is not None:
        conditions.append("(r.app_id = ? OR r.app_name = ?)")
        values += [app, app]
    for word in (search or "").casefold().split():
        conditions.append("(contains(r.search, ?) OR r.status = ?)")
        values += [word, word]
    where = " WHERE " + " AND ".join(conditions) if conditions else ""
    if limit is not None:  # first which, then what of them: half the time of one query
        page = f"SELECT r.seq FROM workflow_runs r{where} ORDER BY r.seq DESC LIMIT {int(limit)}"
        where = f" WHERE r.seq IN ({page})"
    return [_row(row) for row in lease.all(f"{_LIST}{_FROM}{where} ORDER BY r.seq DESC", *values)]


def list_turns(lease: Lease, conversation: str) -> list[RunRow]:
    """The runs of a conversation, the oldest first; forks are other ways to take a turn, not turns."""
    where = (
        " WHERE contains(r.system, ?) AND f.parent_run_id IS NULL"
        " AND try(json_extract_string(r.system, '$.conversation_id')) = ?"
    )
    rows = lease.all(f"{_LIST}{_FROM}{where} ORDER BY r.seq", conversation, conversation)
    return [_row(row) for row in rows]


def _row(row: tuple[Any, ...]) -> RunRow:
    run_id, app_id, app, mode, status, kernel, started, finished, steps, interrupted, parent, step = row
    return RunRow(
        run_id,
        app_id,
        app,
        mode,
        status,
        kernel,
        started / 1e6,
        None if finished is None else finished / 1e6,
        steps,
        interrupted,
        None if parent is None else {"run_id": parent, "step": step},
    )


def run_key(lease: Lease, run_id: str) -> int:
    """The `seq` of a run.

    Raises:
        NotFoundError: there is none by that id.
    """
    row = lease.one("SELECT seq FROM workflow_runs WHERE id = ?", run_id)
    if row is None:
        raise NotFoundError(f"There is no run {run_id}", "", "`workbench runs` lists the runs of this store.")
    return int(row[0])


def run_detail(lease: Lease, run_id: str) -> RunDetail:
    """All about one run.

    Raises:
        NotFoundError
    """
    key = run_key(lease, run_id)
    row = lease.one(
        f"{_LIST}, r.answer, r.outputs, r.error, r.inputs, r.system, r.script, r.options, r.total_steps,"
        f" r.total_tokens, r.exceptions_count, r.segments, r.elapsed_time{_FROM} WHERE r.seq = ?",
        key,
    )
    assert row is not None
    head, rest = _row(row[:12]), row[12:]
    answer, outputs, error, inputs, system, script, options, steps, tokens, exceptions, segments, elapsed = (
        rest
    )
    return RunDetail(
        **{name: getattr(head, name) for name in RunRow.__slots__},
        answer=answer if answer is None else str(from_json(outputs).get("answer", answer)),
        outputs=from_json(outputs) or {},
        error=error,
        inputs=from_json(inputs) or {},
        system=from_json(system) or {},
        script=from_json(script) or {},
        options=from_json(options) or {},
        node_run_steps=steps,
        total_tokens=tokens,
        exceptions_count=exceptions,
        segments=segments,
        elapsed=elapsed,
    )


def read_events(lease: Lease, run: int, first: int, last: int | None) -> list[tuple[int, float, str]]:
    """Events as (step, seconds since 1970, JSON text), in order."""
    until = "" if last is None else f" AND step <= {int(last)}"
    rows = lease.all(
        f"SELECT step, happened_at, event FROM run_events WHERE run = ? AND step >= ?{until} ORDER BY step",
        run,
        first,
    )
    return [(step, at, text) for step, at, text in rows]


def read_streams(lease: Lease, run: int) -> list[Streamed]:
    """What was streamed where the journal alone does not give it, in order."""
    rows = lease.all(
        "SELECT step, kind, fact FROM run_facts WHERE run = ? AND kind IN ('stream', 'stream-error')"
        " ORDER BY segment, step",
        run,
    )
    return [
        Streamed(step, tuple(tuple(chunk) for chunk in json.loads(fact)))
        if kind == "stream"
        else Streamed(step, error=json.loads(fact))
        for step, kind, fact in rows
    ]


def read_segments(lease: Lease, run: int, run_id: str) -> list[SegmentRow]:
    """The segments of a run, in order."""
    rows = lease.all(
        "SELECT segment, kernel, first_step, last_step, gate_mode, gate_object_key, pause_id, forms,"
        " base_object_key, script, options, status, created_at, finished_at"
        " FROM run_segments WHERE run = ? ORDER BY segment",
        run,
    )
    facts = lease.all(
        "SELECT segment, kind, fact FROM run_facts WHERE run = ? AND kind IN ('graph', 'pool', 'note')"
        " ORDER BY segment, step",
        run,
    )
    found: dict[int, dict[str, list[Any]]] = {}
    for segment, kind, fact in facts:
        found.setdefault(segment, {}).setdefault(kind, []).append(json.loads(fact))
    return [_segment(lease, run_id, row, found.get(row[0], {})) for row in rows]


def _segment(lease: Lease, run_id: str, row: tuple[Any, ...], facts: dict[str, list[Any]]) -> SegmentRow:
    index, kernel, first, last, mode, gate, pause_id, forms, base, script, options, status, began, ended = row
    base_text = _blob_text(lease, base)
    return SegmentRow(
        run_id,
        index,
        kernel,
        first,
        last,
        mode,
        _blob_text(lease, gate),
        pause_id,
        from_json(forms) or {},
        None if base_text is None else json.loads(base_text),
        facts.get("graph", [None])[0],
        facts.get("pool", [None])[0],
        tuple(facts.get("note", ())),
        from_json(script) or {},
        from_json(options) or {},
        status,
        seconds(began) or 0.0,
        seconds(ended),
    )


def _blob_text(lease: Lease, key: str | None) -> str | None:
    data = None if key is None else get_blob(lease, key)
    return None if data is None else to_text(data)


_PAUSE = (
    "SELECT id, workflow_run_id, segment, step, state_object_key, gate_object_key, outputs,"
    " created_at, resumed_at FROM workflow_pauses WHERE "
)


def read_pauses(lease: Lease, run: int) -> list[PauseRow]:
    """The pauses of a run, oldest first."""
    return [_pause(lease, row) for row in lease.all(f"{_PAUSE} run = ? ORDER BY step, segment", run)]


def read_pause(lease: Lease, pause_id: str) -> PauseRow:
    """One pause.

    Raises:
        NotFoundError
    """
    row = lease.one(f"{_PAUSE} id = ?", pause_id)
    if row is None:
        raise NotFoundError(
            f"There is no pause {pause_id}", "", "`workbench runs --status paused` lists paused runs."
        )
    return _pause(lease, row)


def _pause(lease: Lease, row: tuple[Any, ...]) -> PauseRow:
    pause_id, run_id, segment, step, state, gate, outputs, created, resumed = row
    reasons = lease.all(
        "SELECT reason FROM workflow_pause_reasons WHERE pause_id = ? ORDER BY position", pause_id
    )
    return PauseRow(
        pause_id,
        run_id,
        segment,
        step,
        _blob_text(lease, state) or "",
        _blob_text(lease, gate),
        tuple(json.loads(reason) for (reason,) in reasons),
        from_json(outputs) or {},
        seconds(created) or 0.0,
        seconds(resumed),
    )


def read_nodes(lease: Lease, run: int, run_id: str) -> list[NodeRow]:
    """The node executions of a run, in the order of their starts."""
    rows = lease.all(
        f"SELECT {', '.join(NODE_COLUMNS)} FROM workflow_node_executions WHERE run = ? ORDER BY index", run
    )
    return [_node(run_id, row) for row in rows]


def _node(run_id: str, row: tuple[Any, ...]) -> NodeRow:
    (
        _, index, segment, predecessor, xid, node, kind, title, container, container_index, inputs,
        process_data, outputs, status, error, error_type, handle, elapsed, metadata, tokens, retries, first,
        last, began, ended,
    ) = row  # fmt: skip
    return NodeRow(
        run_id, index, segment, predecessor, xid, node, kind, title, container, container_index,
        from_json(inputs), from_json(process_data), from_json(outputs), status, error, error_type, handle,
        elapsed, from_json(metadata), tokens, retries, first, last, seconds(began) or 0.0, seconds(ended),
    )  # fmt: skip
