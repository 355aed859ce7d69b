"""Reading a bundle from a stranger: every record is checked before anything is made of it.

A bundle names no files and is not packed, so that there is nothing to unpack and nowhere to escape to; what
is left to be careful about is its size, its shapes and its order.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from workbench.errors import BadInputError
from workbench.records.bundle import (
    FACTS,
    KEY,
    PAUSE_KEYS,
    RUN_KEYS,
    SEGMENT_KEYS,
    VERSION,
    Bundle,
    CarriedApp,
    CarriedEvent,
    CarriedFact,
    CarriedFile,
    CarriedPause,
    CarriedRun,
    CarriedSegment,
    content_id,
)
from workbench.records.journal_shapes import event_fault
from workbench.records.reading import check_size, json_skeleton, parse_json, too_many, truncated, value_limit

BUNDLE_LIMIT: Final = 60_000_000
"""Bytes of a bundle. A run of 10,000 events has about 7 MB."""
MAX_VALUES: Final = 5_000_000
"""Most values of a whole bundle; one line holds at most `reading.MAX_VALUES`."""

_HEAD: Final = re.compile(rb'\s*\{\s*"' + KEY.encode() + rb'"\s*:')
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,99}")
_CONTENT_ID: Final = re.compile(r"[0-9a-f]{32}")
_KERNEL: Final = re.compile(r"graphon-\d+\.\d+")
_ENDED: Final = ("succeeded", "partial-succeeded", "failed", "paused", "stopped")
_GATES: Final = ("fresh", "restored", "healed")
_encode = json.JSONEncoder(separators=(",", ":")).encode

Check = Callable[[Any], bool]


def is_bundle(data: bytes) -> bool:
    """Does a file begin like a bundle?"""
    return _HEAD.match(data[:4096].removeprefix(b"\xef\xbb\xbf")) is not None


def read_bundle(data: bytes, source: str) -> Bundle:
    """A bundle, whole and consistent.

    Raises:
        BadInputError: it is too large, of another version, cut off, changed, or its records do not fit each
            other.
    """
    check_size(len(data), source, BUNDLE_LIMIT)
    data = data.removeprefix(b"\xef\xbb\xbf")
    header = _header(data, source)
    body = _checked_body(data, source)
    reader = _Reader(source)
    for number, line in enumerate(body[1:], 2):
        reader.line(number, line)
    return reader.finish(header)


def bundle_line(data: bytes, source: str) -> str:
    """A line about a bundle, from its header alone. Raises BadInputError for another version."""
    header = _header(data.removeprefix(b"\xef\xbb\xbf"), source)
    secrets = "nothing masked" if header["masked"] is None else "secrets masked"
    runs = data.count(b'\n{"record":"run"')
    return f"version {header[KEY]}, {runs} run{'' if runs == 1 else 's'}, {secrets}"


def _header(data: bytes, source: str) -> Mapping[str, Any]:
    first = data.lstrip().split(b"\n", 1)[0]
    if not first.rstrip().endswith(b"}"):
        raise truncated(source, "its first line")
    header = parse_json(first, f"{source}, line 1")
    version = header.get(KEY) if isinstance(header, Mapping) else None
    if version != VERSION or isinstance(version, bool):
        newer = isinstance(version, int) and version > VERSION
        raise BadInputError(
            f"{source} is a bundle of version {_short(version)}",
            f"This workbench reads version {VERSION}.",
            "Upgrade the workbench." if newer else "Export it again.",
        )
    masked = header.get("masked")
    names = ("environment", "kept")
    if masked is not None and not (
        isinstance(masked, Mapping) and all(_texts(masked.get(name, [])) for name in names)
    ):
        raise _broken(source, 1, "`masked` is neither null nor a mapping of names")
    if not (isinstance(header.get("subject"), str) and _ID.fullmatch(header["subject"])):
        raise _broken(source, 1, "`subject` is no id")
    return {**header, "masked": masked}


def _checked_body(data: bytes, source: str) -> list[bytes]:
    """The lines between header and end record, after the end record has vouched for them."""
    data = data.lstrip()
    last = data.rstrip(b"\n").rfind(b"\n") + 1
    end = data[last:].strip()
    if not end.startswith(b'{"record":"end"'):
        raise truncated(source, "a line that is not the end record")
    told = parse_json(end, f"{source}, last line")
    body = data[:last]
    if told.get("sha256") != hashlib.sha256(body).hexdigest():
        raise BadInputError(
            f"{source} was changed after it was written",
            "Its checksum does not fit its content.",
            "Export it again; to change something, change the run and export that.",
        )
    skeleton = json_skeleton(body)
    values = skeleton.count(b",") + skeleton.count(b"[") + skeleton.count(b"{")
    if values > (allowed := value_limit(MAX_VALUES)):
        raise too_many(source, values, allowed)
    return body.split(b"\n")[:-1]


@dataclass
class _Run:
    """A run while its records come."""

    head: CarriedRun
    segments: list[CarriedSegment] = field(default_factory=list)
    facts: list[CarriedFact] = field(default_factory=list)
    events: list[CarriedEvent] = field(default_factory=list)
    pauses: list[CarriedPause] = field(default_factory=list)


class _Reader:
    def __init__(self, source: str) -> None:
        self.source = source
        self.apps: dict[str, CarriedApp] = {}
        self.runs: dict[str, CarriedRun] = {}
        self.files: dict[str, CarriedFile] = {}
        self.pause_ids: set[str] = set()
        self.open: _Run | None = None
        self.number = 1

    def line(self, number: int, line: bytes) -> None:
        self.number = number
        record = parse_json(line, f"{self.source}, line {number}")
        take = _RECORDS.get(record.get("record", "")) if isinstance(record, Mapping) else None
        if take is None:
            name = record.get("record") if isinstance(record, Mapping) else record
            raise self.broken(f"{_short(name)} is no record of a bundle")
        take(self, record)

    def finish(self, header: Mapping[str, Any]) -> Bundle:
        self._close()
        subject = header["subject"]
        if subject not in self.runs and subject not in self.files:
            raise self.broken(f"the run or file {subject} that it is about is not in it")
        return Bundle(
            subject,
            header["masked"],
            tuple(self.apps.values()),
            tuple(self.runs.values()),
            tuple(self.files.values()),
        )

    def broken(self, what: str) -> BadInputError:
        return _broken(self.source, self.number, what)

    # ---- records

    def app(self, record: Mapping[str, Any]) -> None:
        self._check(record, _APP)
        data = self._bytes(record)
        self._is_content(record["id"], data)
        self.apps[record["id"]] = CarriedApp(
            record["id"], record["name"], record["mode"], record["dsl_version"], data
        )

    def file(self, record: Mapping[str, Any]) -> None:
        self._close()
        self._check(record, _FILE)
        data = self._bytes(record)
        self._is_content(record["id"], data)
        self.files[record["id"]] = CarriedFile(
            record["id"], record["kind"], record["name"], record["detail"], data
        )

    def run(self, record: Mapping[str, Any]) -> None:
        self._close()
        self._check(record, _RUN)
        head = CarriedRun(**{key: record[key] for key in RUN_KEYS})
        if head.id in self.runs:
            raise self.broken(f"the run {head.id} is in it twice")
        if head.app_id not in self.apps:
            raise self.broken(f"the app {head.app_id} of run {head.id} is not in it")
        self.open = _Run(head)

    def segment(self, record: Mapping[str, Any]) -> None:
        run = self._of_run("segment")
        self._check(record, _SEGMENT)
        self._close_segment(run)
        if record["index"] != len(run.segments) or run.events or run.pauses:
            raise self.broken("the segments are not in order")
        run.segments.append(CarriedSegment(**{key: record[key] for key in SEGMENT_KEYS}))

    def fact(self, record: Mapping[str, Any]) -> None:
        run = self._of_run("fact")
        self._check(record, _FACT)
        if not run.segments or run.events or run.pauses:
            raise self.broken("a fact belongs behind its segment")
        fault = _FACT_VALUES[record["kind"]](record["value"])
        if not fault:
            raise self.broken(f"the fact `{record['kind']}` has the wrong shape")
        run.facts.append(CarriedFact(record["step"], record["kind"], record["value"]))

    def event(self, record: Mapping[str, Any]) -> None:
        run = self._of_run("event")
        self._close_segment(run)
        self._check(record, _EVENT)
        if record["step"] != len(run.events) + 1 or run.pauses:
            raise self.broken(f"step {record['step']} comes after step {len(run.events)}")
        fault = event_fault(record["event"])
        if fault is not None:
            raise self.broken(f"step {record['step']}: {fault}")
        run.events.append(CarriedEvent(record["step"], record["at"], _encode(record["event"])))

    def pause(self, record: Mapping[str, Any]) -> None:
        run = self._of_run("pause")
        self._close_segment(run)
        self._check(record, _PAUSE)
        if record["id"] in self.pause_ids:
            raise self.broken(f"the pause {record['id']} is in it twice")
        if record["segment"] >= len(run.segments) or record["step"] > len(run.events):
            raise self.broken(f"the pause {record['id']} is outside its run")
        self.pause_ids.add(record["id"])
        values = {key: record[key] for key in PAUSE_KEYS}
        run.pauses.append(CarriedPause(**{**values, "reasons": tuple(values["reasons"])}))

    # ---- helpers

    def _close_segment(self, run: _Run) -> None:
        if run.facts:
            run.segments[-1] = replace(run.segments[-1], facts=tuple(run.facts))
            run.facts = []

    def _close(self) -> None:
        run = self.open
        if run is None:
            return
        self._close_segment(run)
        head = run.head
        if not run.segments:
            raise self.broken(f"the run {head.id} has no segment")
        if head.steps != len(run.events):
            raise self.broken(f"the run {head.id} has {len(run.events)} events instead of {head.steps}")
        first = 1
        for segment in run.segments:
            if segment.first_step != first or segment.last_step < first - 1:
                raise self.broken(f"the steps of segment {segment.index} of run {head.id} do not fit")
            first = segment.last_step + 1
        if first != head.steps + 1:
            raise self.broken(f"the segments of run {head.id} do not cover its steps")
        parent = head.forked_from
        if parent is not None and parent["run_id"] == head.id:
            raise self.broken(f"the run {head.id} is forked from itself")
        self.runs[head.id] = replace(
            head, segments=tuple(run.segments), events=tuple(run.events), pauses=tuple(run.pauses)
        )
        self.open = None

    def _of_run(self, what: str) -> _Run:
        if self.open is None:
            raise self.broken(f"a {what} belongs behind its run")
        return self.open

    def _check(self, record: Mapping[str, Any], shape: Mapping[str, Check]) -> None:
        for key, check in shape.items():
            if key not in record:
                raise self.broken(f"`{key}` of the {record['record']} is missing")
            if not check(record[key]):
                raise self.broken(f"`{key}` of the {record['record']} can't be {_short(record[key])}")

    def _bytes(self, record: Mapping[str, Any]) -> bytes:
        text, packed = record.get("text"), record.get("base64")
        try:
            if isinstance(text, str) and packed is None:
                return text.encode("utf-8")
            if isinstance(packed, str) and text is None:
                return base64.b64decode(packed, validate=True)
        except ValueError:
            pass
        raise self.broken(f"the {record['record']} has no readable content")

    def _is_content(self, told: str, data: bytes) -> None:
        if content_id(data) != told:
            raise self.broken(f"the content of {told} is not what its id says")


_RECORDS: Final[Mapping[str, Callable[[_Reader, Mapping[str, Any]], None]]] = {
    "app": _Reader.app,
    "file": _Reader.file,
    "run": _Reader.run,
    "segment": _Reader.segment,
    "fact": _Reader.fact,
    "event": _Reader.event,
    "pause": _Reader.pause,
}


# ---- shapes


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _time(value: Any) -> bool:
    """Seconds since 1970 that a calendar has: up to the year 9999."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and 0 <= value < 253_402_300_000


def _seconds(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _matches(pattern: re.Pattern[str]) -> Check:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def _one_of(names: tuple[str, ...]) -> Check:
    return lambda value: isinstance(value, str) and value in names


def _or_null(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _fork(value: Any) -> bool:
    return isinstance(value, Mapping) and _matches(_ID)(value.get("run_id")) and _count(value.get("step"))


def _base(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("state"), str)


def _pool(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(names, Mapping)
        and all(isinstance(held, Mapping) and "value" in held and "type" in held for held in names.values())
        for names in value.values()
    )


def _chunks(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(chunk, list) and len(chunk) == 4 and isinstance(chunk[2], str) for chunk in value
    )


def _reasons(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(reason, Mapping) for reason in value)


_APP: Final[Mapping[str, Check]] = {
    "id": _matches(_CONTENT_ID), "name": _text, "mode": _text, "dsl_version": _or_null(_text),
}  # fmt: skip
_FILE: Final[Mapping[str, Check]] = {
    "id": _matches(_CONTENT_ID), "kind": _text, "name": _text, "detail": _text,
}  # fmt: skip
_RUN: Final[Mapping[str, Check]] = {
    "id": _matches(_ID), "app_id": _matches(_CONTENT_ID), "app_name": _text, "mode": _text,
    "status": _one_of(_ENDED), "interrupted": lambda value: isinstance(value, bool),
    "kernel": _matches(_KERNEL), "inputs": _mapping, "system": _mapping, "script": _mapping,
    "options": _mapping, "outputs": _mapping, "answer": _or_null(_text), "error": _or_null(_text),
    "elapsed": _seconds, "total_tokens": _count, "total_steps": _count, "exceptions_count": _count,
    "steps": _count, "created_at": _time, "finished_at": _or_null(_time), "forked_from": _or_null(_fork),
}  # fmt: skip
_SEGMENT: Final[Mapping[str, Check]] = {
    "index": _count, "kernel": _matches(_KERNEL), "first_step": _count, "last_step": _count,
    "gate_mode": _one_of(_GATES), "gate": _or_null(_text), "pause_id": _or_null(_matches(_ID)),
    "forms": _mapping, "base": _or_null(_base), "script": _mapping, "options": _mapping,
    "status": _one_of(_ENDED), "started_at": _time, "finished_at": _or_null(_time),
}  # fmt: skip
_FACT: Final[Mapping[str, Check]] = {"step": _count, "kind": _one_of(FACTS), "value": lambda value: True}
_EVENT: Final[Mapping[str, Check]] = {"step": _count, "at": _time, "event": _mapping}
_PAUSE: Final[Mapping[str, Check]] = {
    "id": _matches(_ID), "segment": _count, "step": _count, "state": _text, "gate": _or_null(_text),
    "reasons": _reasons, "outputs": _mapping, "created_at": _time, "resumed_at": _or_null(_time),
}  # fmt: skip
_FACT_VALUES: Final[Mapping[str, Check]] = {
    "graph": _mapping, "pool": _pool, "note": _text, "stream": _chunks, "stream-error": _text,
}  # fmt: skip


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _broken(source: str, number: int, what: str) -> BadInputError:
    return BadInputError(
        f"{source} is no whole bundle",
        f"Line {number}: {what}.",
        "Export it again; a bundle is not meant to be changed by hand.",
    )
