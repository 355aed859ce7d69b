"""Bundles from strangers: what is not whole is refused, with its line and its reason."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from workbench.errors import BadInputError
from workbench.records.bundle import (
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
    write_bundle,
)
from workbench.records.bundle_frame import BUNDLE_LIMIT
from workbench.records.bundle_reading import read_bundle

APP = CarriedApp(content_id(b"app \xff"), "n", "workflow", None, b"app \xff")
EVENTS = (
    CarriedEvent(1, 1.5, '{"kind":"GraphRunStarted"}'),
    CarriedEvent(2, 1.75, '{"kind":"NodeRunStarted","node":"a","xid":"\\ud800"}'),
)
SEGMENT = CarriedSegment(
    0, "graphon-0.8", 1, 2, "fresh", None, None, {}, None, {}, {}, "paused", 1.0, None,
    (CarriedFact(0, "pool", {"sys": {"q": {"type": "string", "value": "x"}}}), CarriedFact(0, "note", "n")),
)  # fmt: skip
PAUSE = CarriedPause("p", 0, 2, "state \ud800", None, ({"type": "scheduled_pause"},), {}, 1.0, None)
RUN = CarriedRun(
    "r", APP.id, "n", "workflow", "paused", False, "graphon-0.8", {}, {}, {}, {}, {}, None, None, 0.5, 0, 1,
    0, 2, 1.0, None, None, (SEGMENT,), EVENTS, (PAUSE,),
)  # fmt: skip
FILES = tuple(CarriedFile(content_id(data), "runtime-state", "f", "d", data) for data in (b"{}", b"{ }"))
FIRST, SECOND = (
    CarriedEdited(
        FILES[0].id,
        "pause",
        "p",
        "r",
        2,
        APP.id,
        "graphon-0.5",
        "n",
        {"name": "", "edits": [{"unset": "a.b"}]},
    ),
    CarriedEdited(
        FILES[1].id, "file", FILES[0].id, "r", 2, None, "graphon-0.5", "n", {"name": "", "edits": []}
    ),
)
BUNDLE = Bundle("r", None, (APP,), (RUN,), FILES, (FIRST, SECOND))


def test_what_is_written_is_read_again() -> None:
    data = write_bundle(BUNDLE)
    assert read_bundle(data, "b") == BUNDLE
    assert write_bundle(read_bundle(data, "b")) == data
    assert read_bundle(b"\xef\xbb\xbf" + data, "b") == BUNDLE


def sealed(lines: list[bytes]) -> bytes:
    """Lines with an end record that vouches for them."""
    body = b"".join(line + b"\n" for line in lines)
    end = {"record": "end", "lines": len(lines), "sha256": hashlib.sha256(body).hexdigest()}
    return body + json.dumps(end, separators=(",", ":")).encode() + b"\n"


def forged(name: str, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The bundle with its first record of a name changed, and a fitting checksum."""
    lines = write_bundle(BUNDLE).splitlines()[:-1]
    for place, line in enumerate(lines):
        record = json.loads(line)
        if record.get("record", "header") == name:
            change(record)
            lines[place] = json.dumps(record).encode()
            break
    return sealed(lines)


@pytest.mark.parametrize(
    ("name", "changes", "told"),
    [
        ("header", {"workbench_bundle": 2}, "is a bundle of version 2"),
        ("header", {"workbench_bundle": "1"}, "is a bundle of version '1'"),
        ("header", {"subject": "../../etc/passwd"}, "`subject` is no id"),
        ("header", {"subject": "other"}, "that it is about is not in it"),
        ("header", {"masked": 7}, "`masked`"),
        ("app", {"id": "0" * 32}, "is not what its id says"),
        ("app", {"base64": "!"}, "no readable content"),
        ("app", {"record": "virus"}, "'virus' is no record"),
        ("run", {"id": "../x"}, "`id` of the run can't be '../x'"),
        ("run", {"app_id": "0" * 32}, "is not in it"),
        ("run", {"status": "running"}, "`status` of the run"),
        ("run", {"steps": 3}, "has 2 events instead of 3"),
        ("run", {"created_at": 1e300}, "`created_at`"),
        ("run", {"created_at": float("nan")}, "`created_at`"),
        ("run", {"total_tokens": -1}, "`total_tokens`"),
        ("run", {"forked_from": {"run_id": "r", "step": 1}}, "forked from itself"),
        ("segment", {"first_step": 2}, "do not fit"),
        ("segment", {"last_step": 1}, "do not cover"),
        ("segment", {"index": 1}, "not in order"),
        ("segment", {"kernel": "rm -rf"}, "`kernel`"),
        ("segment", {"base": {"state": 7}}, "`base`"),
        ("fact", {"value": []}, "wrong shape"),
        ("event", {"step": 9}, "step 9 comes after step 0"),
        ("event", {"event": {"kind": 7}}, "has no kind"),
        ("event", {"event": {"kind": "NodeRunStarted"}}, "`node` of the NodeRunStarted is missing"),
        ("event", {"event": {"kind": "GraphRunPaused", "reasons": 1}}, "`reasons`"),
        ("pause", {"segment": 5}, "outside its run"),
        ("pause", {"state": None}, "`state`"),
        ("file", {"kind": "app"}, "`kind` of the file"),
        ("edited", {"file": "0" * 32}, "is not in it"),
        ("edited", {"file": ["x"]}, "`file` of the edited"),
        ("edited", {"file": FILES[1].id}, "are in it twice"),
        ("edited", {"parent_kind": "url"}, "`parent_kind`"),
        ("edited", {"parent_id": 7}, "`parent_id`"),
        ("edited", {"parent_kind": "file", "parent_id": FILES[0].id}, "is made from itself"),
        ("edited", {"parent_kind": "file", "parent_id": FILES[1].id}, "is made from itself"),
        ("edited", {"run_id": "../x"}, "`run_id`"),
        ("edited", {"app_id": "0" * 32}, "is not in it"),
        ("edited", {"step": -1}, "`step`"),
        ("edited", {"kernel": "graphon"}, "`kernel`"),
        ("edited", {"edits": []}, "`edits`"),
        ("edited", {"edits": {"name": "", "edits": [7]}}, "`edits`"),
        ("edited", {"edits": {"name": None, "edits": []}}, "`edits`"),
    ],
)
def test_hostile_records(name: str, changes: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInputError) as caught:
        read_bundle(forged(name, lambda record: record.update(changes)), "b.jsonl")
    assert told in str(caught.value)
    assert caught.value.next_step


def test_every_cut_is_told() -> None:
    data = write_bundle(BUNDLE)
    for length in range(1, len(data) - 1, 7):
        with pytest.raises(BadInputError):
            read_bundle(data[:length], "b.jsonl")


def test_every_changed_byte_is_told() -> None:
    data = write_bundle(BUNDLE)
    for place in range(20, len(data) - 120, 11):
        other = bytes([data[place] ^ 1])
        with pytest.raises(BadInputError):
            read_bundle(data[:place] + other + data[place + 1 :], "b.jsonl")


def test_the_same_twice() -> None:
    for twice in (
        replace(BUNDLE, runs=(RUN, RUN)),
        replace(BUNDLE, runs=(replace(RUN, pauses=(PAUSE, PAUSE)),)),
    ):
        with pytest.raises(BadInputError, match="twice"):
            read_bundle(write_bundle(twice), "b")


def test_bombs_are_refused_in_time() -> None:
    began = time.perf_counter()
    with pytest.raises(BadInputError, match="too large"):
        read_bundle(b'{"workbench_bundle":1' + b" " * BUNDLE_LIMIT, "b")
    deep = forged("event", lambda record: record.update(event={"kind": "x", "v": 0}))
    lines = deep.splitlines()[:-1]
    place = next(i for i, line in enumerate(lines) if b'"event"' in line and b'"v"' in line)
    lines[place] = lines[place].replace(b'"v": 0', b'"v": ' + b"[" * 100_000 + b"]" * 100_000)
    with pytest.raises(BadInputError, match="nested too deeply"):
        read_bundle(sealed(lines), "b")
    lines[place] = (
        b'{"record":"event","step":1,"at":1,"event":{"kind":"x","v":[' + b"0," * 5_500_000 + b"0]}}"
    )
    with pytest.raises(BadInputError, match="too many values"):
        read_bundle(sealed(lines), "b")
    assert time.perf_counter() - began < 10


def test_runs_that_are_forked_in_a_circle_are_refused() -> None:
    there = {"run_id": "r", "step": 1}, {"run_id": "q", "step": 1}
    circle = replace(RUN, forked_from=there[1]), replace(RUN, id="q", forked_from=there[0], pauses=())
    segments = tuple(replace(segment, pause_id=None) for segment in RUN.segments)
    circle = circle[0], replace(circle[1], segments=segments)
    with pytest.raises(BadInputError, match="is forked from itself"):
        read_bundle(write_bundle(replace(BUNDLE, runs=circle)), "b")
