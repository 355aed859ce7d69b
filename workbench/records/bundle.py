"""A bundle: runs with all that belongs to them in one text file, to be opened by another workbench.

JSON lines: a header, then one record a line, then an end record with the count and the SHA-256 of all bytes
before it. docs/bundle.md describes every record. The same content gives the same bytes. There are no file
names and no compression in it: it can be read before it is sent, and neither unpacks nor points anywhere.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

VERSION: Final = 1
KEY: Final = "workbench_bundle"
"""Marks the header; its value is the version of the format."""

FACTS: Final = ("graph", "pool", "note", "stream", "stream-error")
"""What is kept of a segment beside its events; see `workbench.store.schema`."""
STATES: Final = ("resumption-context", "runtime-state", "stream-filter")
"""Kinds of files that a bundle carries: saved pauses."""


@dataclass(frozen=True, slots=True)
class CarriedApp:
    """An exported app; `id` is the one its bytes give it in any store."""

    id: str
    name: str
    mode: str
    dsl_version: str | None
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class CarriedFact:
    """`kind` is one of `FACTS`."""

    step: int
    kind: str
    value: Any


@dataclass(frozen=True, slots=True)
class CarriedSegment:
    """One segment; see `workbench.store.rows.SegmentRow`. Times are seconds since 1970."""

    index: int
    kernel: str
    first_step: int
    last_step: int
    gate_mode: str
    gate: str | None
    pause_id: str | None
    forms: Any
    base: Mapping[str, Any] | None
    script: Any
    options: Any
    status: str
    started_at: float
    finished_at: float | None
    facts: tuple[CarriedFact, ...] = ()


@dataclass(frozen=True, slots=True)
class CarriedEvent:
    """One raw engine event (EVENT of kernels/PROTOCOL.md) as JSON text."""

    step: int
    at: float
    text: str


@dataclass(frozen=True, slots=True)
class CarriedPause:
    """One pause; `state` and `gate` are the engine's own dumps as text."""

    id: str
    segment: int
    step: int
    state: str = field(repr=False)
    gate: str | None = field(repr=False)
    reasons: tuple[Any, ...]
    outputs: Any
    created_at: float
    resumed_at: float | None


@dataclass(frozen=True, slots=True)
class CarriedRun:
    """A run with its segments, journal and pauses. Values are plain JSON."""

    id: str
    app_id: str
    app_name: str
    mode: str
    status: str
    interrupted: bool
    kernel: str
    inputs: Any
    system: Any
    script: Any
    options: Any
    outputs: Any
    answer: str | None
    error: str | None
    elapsed: float
    total_tokens: int
    total_steps: int
    exceptions_count: int
    steps: int
    created_at: float
    finished_at: float | None
    forked_from: Mapping[str, Any] | None
    segments: tuple[CarriedSegment, ...] = ()
    events: tuple[CarriedEvent, ...] = field(default=(), repr=False)
    pauses: tuple[CarriedPause, ...] = ()


@dataclass(frozen=True, slots=True)
class CarriedFile:
    """A file that belongs to the bundle: a saved pause, perhaps an edited one."""

    id: str
    kind: str
    name: str
    detail: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class CarriedEdited:
    """Where an edited pause of the bundle comes from; see `workbench.store.rows.EditedFile`.

    Attributes:
        edits: {"name", "edits"}, as an edits file has them (records.edit_file).
    """

    file_id: str
    parent_kind: str
    parent_id: str
    run_id: str | None
    step: int
    app_id: str | None
    kernel: str
    name: str
    edits: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Bundle:
    """What one file holds.

    Attributes:
        subject: the id of the run or file that it was made for.
        masked: what was hidden: {"environment": [names], "kept": [names]}; None when nothing was masked.
        runs: ancestors come before the runs that were forked from them.
        edited: which of the files were made by editing, and how.
    """

    subject: str
    masked: Mapping[str, Any] | None
    apps: tuple[CarriedApp, ...] = ()
    runs: tuple[CarriedRun, ...] = ()
    files: tuple[CarriedFile, ...] = ()
    edited: tuple[CarriedEdited, ...] = ()


RUN_KEYS: Final = (
    "id", "app_id", "app_name", "mode", "status", "interrupted", "kernel", "inputs", "system", "script",
    "options", "outputs", "answer", "error", "elapsed", "total_tokens", "total_steps", "exceptions_count",
    "steps", "created_at", "finished_at", "forked_from",
)  # fmt: skip
SEGMENT_KEYS: Final = (
    "index", "kernel", "first_step", "last_step", "gate_mode", "gate", "pause_id", "forms", "base", "script",
    "options", "status", "started_at", "finished_at",
)  # fmt: skip
PAUSE_KEYS: Final = (
    "id", "segment", "step", "state", "gate", "reasons", "outputs", "created_at", "resumed_at",
)  # fmt: skip
EDITED_KEYS: Final = ("parent_kind", "parent_id", "run_id", "step", "app_id", "kernel", "name", "edits")


def content_id(data: bytes) -> str:
    """The id that some bytes have in any store."""
    return hashlib.sha256(data).hexdigest()[:32]


def write_bundle(bundle: Bundle) -> bytes:
    """The file. The same bundle gives the same bytes."""
    lines = [_line({KEY: VERSION, "subject": bundle.subject, "masked": bundle.masked})]
    for app in bundle.apps:
        about = {"id": app.id, "name": app.name, "mode": app.mode, "dsl_version": app.dsl_version}
        lines.append(_line({"record": "app", **about, **_spelt(app.data)}))
    for run in bundle.runs:
        lines += run_lines(run)
    for file in bundle.files:
        about = {"id": file.id, "kind": file.kind, "name": file.name, "detail": file.detail}
        lines.append(_line({"record": "file", **about, **_spelt(file.data)}))
    for edited in bundle.edited:
        values = {key: getattr(edited, key) for key in EDITED_KEYS}
        lines.append(_line({"record": "edited", "file": edited.file_id, **values}))
    body = b"".join(lines)
    end = {"record": "end", "lines": len(lines), "sha256": hashlib.sha256(body).hexdigest()}
    return body + _line(end)


def run_lines(run: CarriedRun) -> list[bytes]:
    """The lines of one run: two runs are the same when these are."""
    lines = [_line(_record("run", run, RUN_KEYS))]
    for segment in run.segments:
        lines.append(_line(_record("segment", segment, SEGMENT_KEYS)))
        for fact in segment.facts:
            lines.append(_line({"record": "fact", "step": fact.step, "kind": fact.kind, "value": fact.value}))
    lines += _event_lines(run.events)
    lines += [_line(_record("pause", pause, PAUSE_KEYS)) for pause in run.pauses]
    return lines


def _event_lines(events: Sequence[CarriedEvent]) -> Iterator[bytes]:
    for event in events:
        head = f'{{"record":"event","step":{event.step},"at":{json.dumps(event.at)},"event":'
        yield f"{head}{event.text}}}\n".encode("utf-8", "surrogatepass")


def _record(name: str, value: Any, keys: Sequence[str]) -> dict[str, Any]:
    return {"record": name, **{key: getattr(value, key) for key in keys}}


_ENCODE = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True).encode


def _line(value: Any) -> bytes:
    return _ENCODE(value).encode() + b"\n"


def _spelt(data: bytes) -> dict[str, str]:
    """Bytes as text where they are UTF-8, else in base64."""
    try:
        return {"text": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}
