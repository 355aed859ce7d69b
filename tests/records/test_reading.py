"""Capped reads and JSON from strangers: what is read, and the message for what is not."""

from __future__ import annotations

import contextlib
import json
import math
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import BadInputError, NotFoundError, WorkbenchError
from workbench.records import reading
from workbench.records.reading import json_skeleton, nearest, parse_json, read_file, shorten


def test_reads_a_file_within_its_limit(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_bytes(b"x" * 100)
    assert read_file(tmp_path / "a.yml", limit=100) == b"x" * 100


def test_refuses_a_gigabyte_before_reading(tmp_path: Path) -> None:
    path = tmp_path / "huge.yml"
    with path.open("wb") as file:
        file.truncate(1_000_000_000)  # sparse: takes no room
    with pytest.raises(BadInputError) as caught:
        read_file(path)
    assert caught.value.title == "huge.yml is too large"
    assert "1.0 GB" in caught.value.cause
    assert "20.0 MB" in caught.value.cause


def test_the_user_can_raise_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"x" * 2_000)
    monkeypatch.setenv("WORKBENCH_MAX_MB", "0.001")
    with pytest.raises(BadInputError):
        read_file(tmp_path / "a")
    monkeypatch.setenv("WORKBENCH_MAX_MB", "1")
    assert len(read_file(tmp_path / "a", limit=10)) == 2_000
    assert len(parse_json(b"[" + b"0," * 9_999 + b"0]", "x", max_values=10)) == 10_000
    monkeypatch.setenv("WORKBENCH_MAX_MB", "much")  # nonsense is ignored
    with pytest.raises(BadInputError):
        read_file(tmp_path / "a", limit=10)


def test_names_what_is_no_readable_file(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="does not exist"):
        read_file(tmp_path / "none.yml")
    with pytest.raises(BadInputError, match="is a folder"):
        read_file(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInputError, match="no regular file"):
        read_file(tmp_path / "pipe")
    with pytest.raises(BadInputError, match="no regular file"):
        read_file("/dev/zero")
    with pytest.raises(BadInputError, match="can't be read"):
        read_file("a\0b")


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'{"a": [1, 2.5, "x"]}', {"a": [1, 2.5, "x"]}),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        ('{"a": "\u225b\u5b22"}'.encode("utf-16"), {"a": "\u225b\u5b22"}),
        ('\ufeff{"a": 1}'.encode("utf-32-be"), {"a": 1}),
        (b'"\\ud800"', "\ud800"),
        (b'{"a": 1, "a": 2}', {"a": 2}),
        ("[1e400]", [math.inf]),
    ],
)
def test_reads_json(data: bytes | str, value: object) -> None:
    assert parse_json(data, "x") == value


def test_reads_nan() -> None:
    assert math.isnan(parse_json("[NaN]", "x")[0])


@pytest.mark.parametrize(
    ("data", "title", "cause"),
    [
        (b"", "x is empty", "no text"),
        (b" \n\t", "x is empty", "no text"),
        (b'{"a": tru}', "x is not valid JSON", "line 1, column 7"),
        (b'{"a": 1,\n "b": [1, 2', "x is cut off", "line 2"),
        (b'{"a": "never closed', "x is cut off", "line 1"),
        ('{"a": "\u4e2d'.encode()[:-1], "x is cut off", "in the middle of a character"),
        (b'{"a": 1} {"b": 2}', "x is not valid JSON", "extra data"),
        (b'{"a": "b\nc"}', "x is not valid JSON", "invalid control character"),
        (b"<!doctype html>", "x is not valid JSON", "'<!doctype html>'"),
        ("中文".encode("gb18030"), "x is not UTF-8 text", "line 1, byte 1"),
        (b'{"a":\n "caf\xe9"}', "x is not UTF-8 text", "line 2"),
        ('{"a": 1}'.encode("utf-16-le"), "x is no UTF-8 text", "NUL bytes"),
        (b"PK\x03\x04...", "x is a ZIP archive", "text file"),
        (b"[" + b"1" * 5000 + b"]", "x is not valid JSON", "4300 digits"),
        (b"[" * 100_000 + b"]" * 100_000, "x is nested too deeply", "100,000"),
        (b'{"a":' * 100_000, "x is nested too deeply", "100,000"),
        (b"[" + b"[]," * 2_000_000, "x holds too many values", "4,000,001"),
    ],
)
def test_says_what_is_wrong_with_json(data: bytes, title: str, cause: str) -> None:
    with pytest.raises(BadInputError) as caught:
        parse_json(data, "x")
    assert caught.value.title == title
    assert cause in caught.value.cause
    assert caught.value.next_step


def test_depth_and_bulk_do_not_count_what_stands_in_strings() -> None:
    inner = json.dumps(["[" * 1000, {"a": '"{[\\'}] * 50)
    assert parse_json(json.dumps({"state": inner}), "x", max_values=3)["state"] == inner
    with pytest.raises(BadInputError, match="too many values"):
        parse_json(json.dumps({"state": [1, 2, 3, 4]}), "x", max_values=3)


@given(
    st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)
def test_skeleton_is_the_structure(value: object) -> None:
    def structure(part: object) -> str:
        if isinstance(part, list):
            return f"[{','.join(map(structure, part))}]"
        return f"{{{','.join(map(structure, part.values()))}}}" if isinstance(part, dict) else ""

    for ascii_only in (True, False):
        data = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
        assert json_skeleton(data).decode() == structure(value)


@given(st.binary(max_size=300))
def test_any_bytes_give_a_value_or_a_message(data: bytes) -> None:
    for parse in (parse_json, reading.parse_yaml):
        with contextlib.suppress(WorkbenchError):
            parse(data, "x")


def test_foreign_text_in_a_message_is_one_plain_line() -> None:
    assert shorten("a\x1b[31m\nb\tc") == "a [31m b c"
    assert shorten("x" * 100, 10) == "x" * 9 + "\u2026"
    assert shorten("\u202eabc") == "abc"


def test_nearest_names() -> None:
    assert nearest("qerry", ["query", "files", "quarry"])[0] in ("query", "quarry")
    assert nearest("zzz", ["query"]) == []
