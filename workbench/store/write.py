"""Writing what runs say into the tables; used by living recorders and by the sweep after dead ones."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

from workbench.store.lease import Lease
from workbench.store.nodes import Execution
from workbench.store.spool import Said
from workbench.store.texts import (
    as_json,
    content_id,
    from_json,
    moment,
    plain,
    plain_or_none,
    search_text,
    seconds,
)

EVENT_COLUMNS = ("run", "step", "happened_at", "kind", "node_id", "event")
FACT_COLUMNS = ("run", "segment", "step", "kind", "fact")
NODE_COLUMNS = (
    "run", "index", "segment", "predecessor_node_id", "node_execution_id", "node_id", "node_type", "title",
    "container_id", "container_index", "inputs", "process_data", "outputs", "status", "error", "error_type",
    "edge_source_handle", "elapsed_time", "execution_metadata", "total_tokens", "retries", "first_step",
    "last_step", "created_at", "finished_at",
)  # fmt: skip

NodeValues = tuple[Any, ...]


def put_blob(lease: Lease, data: bytes) -> str:
    """Keep some bytes; the same bytes are kept once. Returns their id."""
    key = content_id(data)
    if lease.one("SELECT 1 FROM blobs WHERE id = ?", key) is None:
        lease.insert("blobs", id=key, size=len(data), data=data)
    return key


def get_blob(lease: Lease, key: str) -> bytes | None:
    """The bytes with that id."""
    row = lease.one("SELECT data FROM blobs WHERE id = ?", key)
    return None if row is None else bytes(row[0])


def put_app(lease: Lease, data: bytes, name: str, mode: str, dsl_version: str | None) -> tuple[str, bool]:
    """Keep an app; returns its id and whether it is new. The same bytes get the same id."""
    app_id = put_blob(lease, data)
    if lease.one("SELECT 1 FROM apps WHERE id = ?", app_id) is not None:
        return app_id, False
    lease.insert(
        "apps",
        id=app_id,
        name=name,
        mode=mode,
        dsl_version=dsl_version,
        search=search_text([name, mode, app_id]),
        imported_at=moment(time.time()),
    )
    return app_id, True


def put_file(lease: Lease, kind: str, data: bytes, name: str, detail: str) -> str:
    """Keep a file that is no app; the same bytes get the same id."""
    file_id = put_blob(lease, data)
    if lease.one("SELECT 1 FROM files WHERE id = ?", file_id) is None:
        lease.insert(
            "files",
            id=file_id,
            kind=kind,
            name=name,
            detail=detail,
            size=len(data),
            imported_at=moment(time.time()),
        )
    return file_id


def put_said(lease: Lease, run: int, segment: int, said: Said, nodes: Sequence[NodeValues]) -> None:
    """Add events and facts, and write the node executions that they changed anew."""
    lease.insert_rows(
        "run_events",
        EVENT_COLUMNS,
        [(run, line.step, line.at, line.kind, line.node, line.text) for line in said.events],
    )
    lease.insert_rows("run_facts", FACT_COLUMNS, [(run, segment, *fact) for fact in said.facts])
    if nodes:
        indexes = [values[1] for values in nodes]
        lease.run(
            "DELETE FROM workflow_node_executions WHERE run = ? AND index IN (SELECT unnest(?))", run, indexes
        )
        lease.insert_rows("workflow_node_executions", NODE_COLUMNS, nodes)


def without_known(
    lease: Lease, run: int, segment: int, first_step: int, said: Said, facts_before: int = 0
) -> Said:
    """What of it the database does not have: steps only count upwards, facts only grow in number.

    `facts_before`: how many facts of the segment came before those in `said`.
    """
    last = lease.one("SELECT coalesce(max(step), 0) FROM run_events WHERE run = ?", run)
    facts = lease.one("SELECT count(*) FROM run_facts WHERE run = ? AND segment = ?", run, segment)
    done = max(int(last[0]) if last else 0, first_step - 1)
    known = max(0, (int(facts[0]) if facts else 0) - facts_before)
    return Said(tuple(line for line in said.events if line.step > done), said.facts[known:])


def node_values(run: int, rows: Iterable[Execution]) -> list[NodeValues]:
    """Executions as rows of workflow_node_executions."""
    return [
        (
            run, row.index, row.segment, plain_or_none(row.predecessor), plain(row.xid), plain(row.node),
            plain(row.type), plain(row.title), plain_or_none(row.container), row.container_index,
            _json(row.inputs), _json(row.process_data), _json(row.outputs), row.status,
            plain_or_none(row.error), plain_or_none(row.error_type), plain_or_none(row.handle), row.elapsed,
            _json(row.metadata), row.total_tokens, row.retries, row.first_step, row.last_step,
            moment(row.started_at), None if row.finished_at is None else moment(row.finished_at),
        )
        for row in rows
    ]  # fmt: skip


def open_executions(lease: Lease, run: int) -> tuple[list[Execution], int]:
    """The executions of a run that are not over, and how many it has at all."""
    rows = lease.all(
        "SELECT index, segment, node_execution_id, node_id, first_step, created_at, last_step,"
        " predecessor_node_id, node_type, title, container_id, container_index, inputs, status, retries"
        " FROM workflow_node_executions"
        " WHERE run = ? AND status IN ('running', 'retry', 'paused') ORDER BY index",
        run,
    )
    count = lease.one("SELECT coalesce(max(index), 0) FROM workflow_node_executions WHERE run = ?", run)
    return [
        Execution(
            index, segment, xid, node, first, seconds(began) or 0.0, last, predecessor, kind, title,
            container, container_index, from_json(inputs), status=status, retries=retries,
        )
        for (
            index, segment, xid, node, first, began, last, predecessor, kind, title, container,
            container_index, inputs, status, retries,
        ) in rows
    ], int(count[0]) if count else 0  # fmt: skip


def _json(value: Any) -> str | None:
    return None if value is None else as_json(value)
