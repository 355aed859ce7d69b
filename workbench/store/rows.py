"""What the store gives back: frozen rows. Times are seconds since 1970, texts from outside are unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

RunStatus = Literal["running", "succeeded", "partial-succeeded", "failed", "paused", "stopped"]
RefKind = Literal["run", "pause", "file", "app"]


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run, as lists show it.

    Attributes:
        app, mode: name and mode of the app.
        steps: events recorded so far.
        interrupted: its process was killed; `status` is then "stopped".
        forked_from: {"run_id", "step"} or None.
    """

    run_id: str
    app_id: str
    app: str
    mode: str
    status: RunStatus
    kernel: str
    started_at: float
    finished_at: float | None
    steps: int
    interrupted: bool
    forked_from: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class RunDetail(RunRow):
    """One run with all that is recorded about it as a whole.

    Attributes:
        answer: the final answer text of a chatflow, None in workflow apps and before the end.
        elapsed: seconds that the engine worked, pauses not counted.
    """

    answer: str | None
    outputs: Mapping[str, Any]
    error: str | None
    inputs: Mapping[str, Any]
    system: Mapping[str, Any]
    script: Mapping[str, Any]
    options: Mapping[str, Any]
    node_run_steps: int
    total_tokens: int
    exceptions_count: int
    segments: int
    elapsed: float


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """One segment of a run: from its start or a resume to its pause or end.

    Attributes:
        index: 0 for the first.
        first_step, last_step: steps of the run; `last_step` is `first_step - 1` while nothing happened.
        gate_mode: "fresh" for a start; "fresh", "restored", "healed" for a resume.
        gate: the filter dump that the resume was given, as text.
        pause_id: the pause that this segment resumed.
        base: what a fork started from, as `begin_run` was given it.
        graph: the host's `graph` message; `pool`: the variable pool before the first event.
        status: "running" while it is alive.
    """

    run_id: str
    index: int
    kernel: str
    first_step: int
    last_step: int
    gate_mode: str
    gate: str | None
    pause_id: str | None
    forms: Mapping[str, Any]
    base: Mapping[str, Any] | None
    graph: Mapping[str, Any] | None
    pool: Mapping[str, Any] | None
    notes: tuple[str, ...]
    script: Mapping[str, Any]
    options: Mapping[str, Any]
    status: RunStatus
    started_at: float
    finished_at: float | None


@dataclass(frozen=True, slots=True)
class PauseRow:
    """One pause with all that a resume needs.

    Attributes:
        step: the step of the run at which it paused.
        state, gate: the dumps, byte for byte as the engine gave them.
        resumed_at: when it was consumed; None while it waits.
    """

    pause_id: str
    run_id: str
    segment: int
    step: int
    state: str
    gate: str | None
    reasons: tuple[Mapping[str, Any], ...]
    outputs: Mapping[str, Any]
    created_at: float
    resumed_at: float | None


@dataclass(frozen=True, slots=True)
class NodeRow:
    """One node execution; columns as Dify's workflow_node_executions has them.

    `index` counts from 1 in the order of the starts; `status` is running, succeeded, failed, exception,
    paused, retry or stopped; `first_step` and `last_step` are the events of its start and of its last change.
    """

    run_id: str
    index: int
    segment: int
    predecessor_node_id: str | None
    node_execution_id: str
    node_id: str
    node_type: str
    title: str
    container_id: str | None
    container_index: int | None
    inputs: Any
    process_data: Any
    outputs: Any
    status: str
    error: str | None
    error_type: str | None
    handle: str | None
    elapsed: float | None
    metadata: Any
    total_tokens: int
    retries: int
    first_step: int
    last_step: int
    started_at: float
    finished_at: float | None


@dataclass(frozen=True, slots=True)
class Streamed:
    """What the gate let through after a step, where the journal alone does not give it; or why it died."""

    step: int
    chunks: tuple[tuple[Any, ...], ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class AppRow:
    """One imported app, without its bytes."""

    app_id: str
    name: str
    mode: str
    dsl_version: str | None
    imported_at: float


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One imported file; `data` are its bytes.

    Attributes:
        kernel: the engine kernel whose rules an edited pause keeps, None for other files.
    """

    id: str
    kind: str
    name: str
    detail: str
    imported_at: float
    data: bytes = field(repr=False)
    kernel: str | None = None


@dataclass(frozen=True, slots=True)
class EditedFile:
    """Where an edited saved pause comes from.

    Attributes:
        parent_kind, parent_id: "pause" or "file" and its id, or "path" and the path of a file on disk.
        run_id, step: of the run whose pause it was, else None and 0.
        app_id: the app it belongs to, None when none was given.
        kernel: the engine kernel whose rules it keeps.
        edits: as an edits file has them (records.edit_file).
    """

    file_id: str
    parent_kind: str
    parent_id: str
    run_id: str | None
    step: int
    app_id: str | None
    kernel: str
    name: str
    edits: str


@dataclass(frozen=True, slots=True)
class Ref:
    """What an id or the beginning of one stands for."""

    kind: RefKind
    id: str
