"""Node executions derived from the events of a run as they come: Dify's table workflow_node_executions.

Rules, from kernels/PROTOCOL.md and Dify's persistence layer (facts: dify-pause-resume.md, 2 and 7): a row
begins at NodeRunStarted, its predecessor is the source of the edge taken into it last, `index` counts the
starts of the run; a human-input node that pauses keeps its row when it runs again after the resume; a retry
keeps the row and counts; when a run ends badly, what still ran is `failed`, as in Dify.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_ENDS = {"NodeRunSucceeded": "succeeded", "NodeRunFailed": "failed", "NodeRunException": "exception"}
_BAD_ENDS = {"GraphRunFailed", "GraphRunAborted"}


@dataclass(slots=True)
class Execution:
    """One node execution while it is built."""

    index: int
    segment: int
    xid: str
    node: str
    first_step: int
    started_at: float
    last_step: int
    predecessor: str | None = None
    type: str = ""
    title: str = ""
    container: str | None = None
    container_index: int | None = None
    inputs: Any = None
    process_data: Any = None
    outputs: Any = None
    status: str = "running"
    error: str | None = None
    error_type: str | None = None
    handle: str | None = None
    elapsed: float | None = None
    metadata: Any = None
    total_tokens: int = 0
    retries: int = 0
    finished_at: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether later events may still change it."""
        return self.status in {"running", "retry", "paused"}


@dataclass(slots=True)
class Executions:
    """Feeds on the events of a run; `changed` since the last `take()` is what has to be written.

    Args:
        open_rows: executions of earlier segments that are not over (the paused ones).
        count: how many executions the run has so far.
    """

    open_rows: Iterable[Execution] = ()
    count: int = 0
    segment: int = 0
    _open: dict[str, Execution] = field(default_factory=dict)
    _changed: dict[int, Execution] = field(default_factory=dict)
    _came_from: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._open = {row.xid: row for row in self.open_rows}

    def feed(self, step: int, at: float, event: Mapping[str, Any]) -> None:
        """Take one EVENT of the protocol."""
        kind = str(event.get("kind", ""))
        if not kind.startswith("NodeRun"):
            if kind == "GraphEdgeTaken":
                self._came_from[str(event.get("target"))] = str(event.get("source"))
            elif kind in _BAD_ENDS:
                self.break_off(step, at, str(event.get("error") or event.get("reason") or ""))
            return
        xid = str(event.get("xid") or event.get("node") or "")
        if kind == "NodeRunStarted":
            self._start(step, at, xid, event)
        elif kind in _ENDS:
            self._end(step, at, self._row(step, at, xid, event), _ENDS[kind], event)
        elif kind == "NodeRunPauseRequested":
            self._set(step, self._row(step, at, xid, event), status="paused")
        elif kind == "NodeRunRetry":
            row = self._row(step, at, xid, event)
            self._set(step, row, status="retry", retries=row.retries + 1, error=_text(event.get("error")))

    def break_off(self, step: int, at: float, reason: str) -> None:
        """The run ended badly: what still runs has failed."""
        for row in self._open.values():
            if row.status in {"running", "retry"}:
                self._set(step, row, status="failed", error=row.error or _text(reason), finished_at=at)

    def take(self) -> list[Execution]:
        """The executions that changed since the last time, in order; those that are over are forgotten."""
        rows = [self._changed[index] for index in sorted(self._changed)]
        self._changed.clear()
        self._open = {xid: row for xid, row in self._open.items() if row.is_open}
        return rows

    def _start(self, step: int, at: float, xid: str, event: Mapping[str, Any]) -> None:
        row = self._open.get(xid)
        if row is not None and row.is_open:
            self._set(step, row, status="running")
            return
        self.count += 1
        row = Execution(self.count, self.segment, xid, str(event.get("node", "")), step, at, step)
        row.predecessor = _text(event.get("predecessor")) or self._came_from.get(row.node)
        row.type, row.title = str(event.get("type", "")), str(event.get("title", ""))
        row.container = _text(event.get("container"))
        index = event.get("index")
        row.container_index = index if isinstance(index, int) else None
        self._open[xid] = row
        self._changed[row.index] = row

    def _row(self, step: int, at: float, xid: str, event: Mapping[str, Any]) -> Execution:
        """The open row; one is begun for a node whose start was never told."""
        if xid not in self._open:
            self._start(step, at, xid, event)
        return self._open[xid]

    def _end(self, step: int, at: float, row: Execution, status: str, event: Mapping[str, Any]) -> None:
        usage = event.get("usage")
        tokens = usage.get("total_tokens") if isinstance(usage, Mapping) else None
        elapsed = event.get("elapsed")
        self._set(
            step,
            row,
            status=status,
            finished_at=at,
            inputs=event.get("inputs"),
            process_data=event.get("process_data"),
            outputs=event.get("outputs"),
            metadata=event.get("metadata"),
            error=_text(event.get("error")),
            error_type=_text(event.get("error_type")),
            handle=_text(event.get("handle")),
            elapsed=float(elapsed) if isinstance(elapsed, int | float) else at - row.started_at,
            total_tokens=tokens if isinstance(tokens, int) else 0,
            type=row.type or str(event.get("type", "")),
        )

    def _set(self, step: int, row: Execution, **changes: Any) -> None:
        row.last_step = step
        for name, value in changes.items():
            setattr(row, name, value)
        self._changed[row.index] = row


def _text(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)
