"""Reading a bundle from a stranger: every record is checked before anything is made of it.

A bundle names no files and is not packed, so that there is nothing to unpack and nowhere to escape to; what
is left to be careful about is its size, its shapes and its order.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from workbench.errors import BadInputError
from workbench.records import bundle_shapes as shapes
from workbench.records.bundle import (
    EDITED_KEYS,
    PAUSE_KEYS,
    RUN_KEYS,
    SEGMENT_KEYS,
    Bundle,
    CarriedApp,
    CarriedEdited,
    CarriedEvent,
    CarriedFact,
    CarriedFile,
    CarriedPause,
    CarriedRun,
    CarriedSegment,
    content_id,
)
from workbench.records.bundle_frame import BUNDLE_LIMIT, checked_body, header_of
from workbench.records.bundle_shapes import Check, broken, short
from workbench.records.journal_shapes import event_fault
from workbench.records.reading import check_size, parse_json

_encode = json.JSONEncoder(separators=(",", ":")).encode


def read_bundle(data: bytes, source: str) -> Bundle:
    """A bundle, whole and consistent.

    Raises:
        BadInputError: it is too large, of another version, cut off, changed, or its records do not fit each
            other.
    """
    check_size(len(data), source, BUNDLE_LIMIT)
    data = data.removeprefix(b"\xef\xbb\xbf")
    header = header_of(data, source)
    body = checked_body(data, source)
    reader = _Reader(source)
    for number, line in enumerate(body[1:], 2):
        reader.line(number, line)
    return reader.finish(header)


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
        self.edited: dict[str, CarriedEdited] = {}
        self.pause_ids: set[str] = set()
        self.open: _Run | None = None
        self.number = 1

    def line(self, number: int, line: bytes) -> None:
        self.number = number
        record = parse_json(line, f"{self.source}, line {number}")
        take = _RECORDS.get(record.get("record", "")) if isinstance(record, Mapping) else None
        if take is None:
            name = record.get("record") if isinstance(record, Mapping) else record
            raise self.broken(f"{short(name)} is no record of a bundle")
        take(self, record)

    def finish(self, header: Mapping[str, Any]) -> Bundle:
        self._close()
        subject = header["subject"]
        if subject not in self.runs and subject not in self.files:
            raise self.broken(f"the run or file {subject} that it is about is not in it")
        self._check_edits()
        return Bundle(
            subject,
            header["masked"],
            tuple(self.apps.values()),
            tuple(self.runs.values()),
            tuple(self.files.values()),
            tuple(self.edited.values()),
        )

    def broken(self, what: str) -> BadInputError:
        return broken(self.source, self.number, what)

    # ---- records

    def app(self, record: Mapping[str, Any]) -> None:
        self._check(record, shapes.APP)
        data = self._bytes(record)
        self._is_content(record["id"], data)
        self.apps[record["id"]] = CarriedApp(
            record["id"], record["name"], record["mode"], record["dsl_version"], data
        )

    def file(self, record: Mapping[str, Any]) -> None:
        self._close()
        self._check(record, shapes.FILE)
        data = self._bytes(record)
        self._is_content(record["id"], data)
        self.files[record["id"]] = CarriedFile(
            record["id"], record["kind"], record["name"], record["detail"], data
        )

    def run(self, record: Mapping[str, Any]) -> None:
        self._close()
        self._check(record, shapes.RUN)
        head = CarriedRun(**{key: record[key] for key in RUN_KEYS})
        if head.id in self.runs:
            raise self.broken(f"the run {head.id} is in it twice")
        if head.app_id not in self.apps:
            raise self.broken(f"the app {head.app_id} of run {head.id} is not in it")
        self.open = _Run(head)

    def segment(self, record: Mapping[str, Any]) -> None:
        run = self._of_run("segment")
        self._check(record, shapes.SEGMENT)
        self._close_segment(run)
        if record["index"] != len(run.segments) or run.events or run.pauses:
            raise self.broken("the segments are not in order")
        run.segments.append(CarriedSegment(**{key: record[key] for key in SEGMENT_KEYS}))

    def fact(self, record: Mapping[str, Any]) -> None:
        run = self._of_run("fact")
        self._check(record, shapes.FACT)
        if not run.segments or run.events or run.pauses:
            raise self.broken("a fact belongs behind its segment")
        fault = shapes.FACT_VALUES[record["kind"]](record["value"])
        if not fault:
            raise self.broken(f"the fact `{record['kind']}` has the wrong shape")
        run.facts.append(CarriedFact(record["step"], record["kind"], record["value"]))

    def event(self, record: Mapping[str, Any]) -> None:
        run = self._of_run("event")
        self._close_segment(run)
        self._check(record, shapes.EVENT)
        if record["step"] != len(run.events) + 1 or run.pauses:
            raise self.broken(f"step {record['step']} comes after step {len(run.events)}")
        fault = event_fault(record["event"])
        if fault is not None:
            raise self.broken(f"step {record['step']}: {fault}")
        run.events.append(CarriedEvent(record["step"], record["at"], _encode(record["event"])))

    def pause(self, record: Mapping[str, Any]) -> None:
        run = self._of_run("pause")
        self._close_segment(run)
        self._check(record, shapes.PAUSE)
        if record["id"] in self.pause_ids:
            raise self.broken(f"the pause {record['id']} is in it twice")
        if record["segment"] >= len(run.segments) or record["step"] > len(run.events):
            raise self.broken(f"the pause {record['id']} is outside its run")
        self.pause_ids.add(record["id"])
        values = {key: record[key] for key in PAUSE_KEYS}
        run.pauses.append(CarriedPause(**{**values, "reasons": tuple(values["reasons"])}))

    def edited_file(self, record: Mapping[str, Any]) -> None:
        self._close()
        self._check(record, shapes.EDITED)
        edited = CarriedEdited(record["file"], **{key: record[key] for key in EDITED_KEYS})
        if edited.file_id in self.edited:
            raise self.broken(f"the edits of {edited.file_id} are in it twice")
        if edited.file_id not in self.files:
            raise self.broken(f"the edited file {edited.file_id} is not in it")
        if edited.app_id is not None and edited.app_id not in self.apps:
            raise self.broken(f"the app {edited.app_id} of the edited file {edited.file_id} is not in it")
        self.edited[edited.file_id] = edited

    # ---- helpers

    def _check_edits(self) -> None:
        """No file may come from itself by way of others."""
        sound: set[str] = set()
        for start in self.edited:
            line: list[str] = []
            at = start
            while at in self.edited and at not in sound:
                if at in line:
                    raise self.broken(f"the edited file {at} is made from itself")
                line.append(at)
                at = self.edited[at].parent_id if self.edited[at].parent_kind == "file" else ""
            sound.update(line)

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
        self._no_circle(head.id, head.forked_from)
        self.runs[head.id] = replace(
            head, segments=tuple(run.segments), events=tuple(run.events), pauses=tuple(run.pauses)
        )
        self.open = None

    def _no_circle(self, run_id: str, parent: Mapping[str, Any] | None) -> None:
        """Whoever follows the parents of a run must come to an end."""
        while parent is not None and parent["run_id"] in self.runs:
            parent = self.runs[parent["run_id"]].forked_from
        if parent is not None and parent["run_id"] == run_id:
            raise self.broken(f"the run {run_id} is forked from itself")

    def _of_run(self, what: str) -> _Run:
        if self.open is None:
            raise self.broken(f"a {what} belongs behind its run")
        return self.open

    def _check(self, record: Mapping[str, Any], shape: Mapping[str, Check]) -> None:
        for key, check in shape.items():
            if key not in record:
                raise self.broken(f"`{key}` of the {record['record']} is missing")
            if not check(record[key]):
                raise self.broken(f"`{key}` of the {record['record']} can't be {short(record[key])}")

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
    "edited": _Reader.edited_file,
    "run": _Reader.run,
    "segment": _Reader.segment,
    "fact": _Reader.fact,
    "event": _Reader.event,
    "pause": _Reader.pause,
}
