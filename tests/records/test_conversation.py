"""Conversations in every form in which somebody has them."""

from __future__ import annotations

import json

import pytest

from workbench.errors import BadInputError
from workbench.records.conversation import NIL, read_conversation

ROW = {
    "id": "m1",
    "parent_message_id": None,
    "created_at": 1,
    "query": "q",
    "answer": "a",
    "answer_tokens": 3,
}


def read(value: object) -> list[str]:
    return [row.id for row in read_conversation(json.dumps(value).encode()).rows]


def test_lines() -> None:
    lines = [json.dumps(ROW | {"id": f"m{n}", "created_at": 10 - n}) for n in range(3)]
    found = read_conversation("\n\n".join(lines).encode())
    assert found.form == "jsonl"
    assert [row.id for row in found.rows] == ["m2", "m1", "m0"]
    assert found.rows[0].answer_tokens == 3


def test_one_line_is_one_row() -> None:
    assert read(ROW) == ["m1"]


def test_a_list_and_the_service_api_newest_first() -> None:
    rows = [
        ROW | {"id": "new", "created_at": "2026-01-02T00:00:00"},
        ROW | {"id": "old", "created_at": "2026-01-01"},
    ]
    assert read(rows) == ["old", "new"]
    assert read({"data": rows, "has_more": False, "limit": 20}) == ["old", "new"]


def test_equal_times_keep_the_order_of_the_source() -> None:
    rows = [ROW | {"id": name, "created_at": at} for name, at in (("d", 2), ("c", 1), ("b", 1), ("a", 0))]
    found = read_conversation(json.dumps({"data": rows}).encode())
    assert [row.id for row in found.rows] == ["a", "b", "c", "d"]
    assert "same created_at" in found.notes[0]


def test_a_message_list_becomes_turns() -> None:
    messages = [
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [{"type": "text", "text": "hello"}]},
        {"role": "user", "content": "unanswered"},
        {"role": "user", "content": "now"},
    ]
    found = read_conversation(json.dumps(messages).encode())
    assert [(row.query, row.answer, row.answer_tokens) for row in found.rows] == [
        ("hi", "hello", None),
        ("unanswered", "", 0),
        ("now", "", 0),
    ]
    assert {row.parent_message_id for row in found.rows} == {NIL}
    assert found.notes == ("1 system message left out: memory has none.",)


def test_files_and_a_run_that_is_gone() -> None:
    row = ROW | {"files": [{"kind": "image", "belongs_to": "assistant", "size": 5}], "workflow_run_id": None}
    found = read_conversation(json.dumps([row]).encode()).rows[0]
    assert found.files[0].belongs_to == "assistant"
    assert found.file_config_missing


def test_nothing_at_all() -> None:
    assert read_conversation(b"\n").rows == ()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (json.dumps(ROW) + "\n{broken\n" + json.dumps(ROW), "line 2"),
        (json.dumps(ROW) + "\n" + json.dumps(ROW), "is there twice"),
        ('[{"id": 1}]', "row 1 has neither query nor answer"),
        ("[1]", "row 1 is no object"),
        ('[{"query": "q", "created_at": "yesterday"}]', "is no time"),
        ('[{"query": "q", "answer_tokens": "three"}]', "answer_tokens is no whole number"),
        ('[{"query": "q", "files": "x"}]', "files is no list"),
        ("7", "no list of rows"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(data: str, words: str) -> None:
    with pytest.raises(BadInputError) as caught:
        read_conversation(data.encode())
    assert words.lower() in f"{caught.value} {caught.value.cause}".lower()


def test_a_message_of_a_megabyte() -> None:
    rows = [ROW | {"id": "big", "answer": "word " * 200_000}]
    assert len(read_conversation(json.dumps(rows).encode()).rows[0].answer) == 1_000_000
