"""Recorded streams in the shapes in which people keep them."""

from __future__ import annotations

import json

import pytest

from workbench.errors import BadInputError
from workbench.records.sse import read_capture
from workbench.records.sse_text import streamed_text

START = {"event": "workflow_started", "workflow_run_id": "r", "data": {"id": "r"}}
HELLO = {"event": "message", "answer": 'say "hi"\n', "from_variable_selector": ["llm", "text"]}
END = {"event": "workflow_finished", "workflow_run_id": "r", "data": {"status": "succeeded"}}
LINES = [json.dumps(each) for each in (START, HELLO, END)]
NAMES = ["workflow_started", "message", "workflow_finished"]
MANY_LINES = ["data: " + json.dumps(e, indent=1).replace("\n", "\ndata: ") for e in (START, HELLO, END)]
CURL = 'curl -X POST \'http://x/v1\' --data-raw \'{ "inputs": {}, "query": "q" }\'\n\n'


@pytest.mark.parametrize(
    "text",
    [
        "event: ping\n\n" + "".join(f"data: {line}\n\n" for line in LINES),
        "".join(f"id: {n}-0\nevent: {NAMES[n]}\ndata: {line}\n\n" for n, line in enumerate(LINES)),
        " ".join(f"data: {line}" for line in LINES),
        "".join(f"data: {json.dumps(each, indent=2)}\n\n" for each in (START, HELLO, END)),
        "\n\n".join(MANY_LINES),
        LINES[0][1:] + " | 11:59:16.487 |  \n-- | --\n" + " | 11:59\n".join(LINES[1:]),
        CURL + "".join(f"data: {line}\r\n\r\n" for line in LINES),
        "[" + ",".join(LINES) + "]",
        "\n".join(LINES),
    ],
)
def test_every_shape_gives_the_same_events(text: str) -> None:
    capture = read_capture(text, "talk.txt")
    assert [event.name for event in capture.events] == NAMES
    assert [event.frame.get("answer") for event in capture.events] == [None, 'say "hi"\n', None]
    assert capture.notes == ()
    assert streamed_text(text, "talk.txt") == 'say "hi"\n'


def test_what_is_cut_off_or_no_json_is_read_as_far_as_it_goes() -> None:
    cut = json.dumps(
        {"event": "node_finished", "data": {"node_id": "a", "outputs": {"answer": "x"}, "more": 1}}
    )
    unescaped = (
        'data: {"event": "message", "answer": "<a class="b">\u4f60</a>", '
        '"from_variable_selector": ["a", "b"]}'
    )
    capture = read_capture(f"{unescaped}\n\ndata: {LINES[0]}\n\ndata: {cut[:-6]}", "talk.txt")
    assert [(event.name, event.broken) for event in capture.events] == [
        ("message", True),
        ("workflow_started", False),
        ("node_finished", True),
    ]
    assert capture.events[0].frame["answer"] == '<a class="b">\u4f60</a>'
    assert capture.events[2].data == {"node_id": "a", "outputs": {"answer": "x"}}
    assert [note.split(":")[0] for note in capture.notes] == ["Line 1", "Line 5"]


def test_an_answer_that_ends_within_an_escape_keeps_its_beginning() -> None:
    capture = read_capture('data: {"event": "message", "answer": "ab\\u00', "talk.txt")
    assert capture.events[0].frame["answer"] == "ab"


def test_pings_alone_are_no_recording() -> None:
    with pytest.raises(BadInputError, match="no SSE events"):
        read_capture("event: ping\n\nevent: ping\n\n", "talk.txt")


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ('data: {"event":"message"\n' * 20_000, 20_000),
        ('{"event":"message","a":[\n' * 20_000, 20_000),
        ('{"event":"message","a":[' * 100_000, 1),
        ('data: {"event":"message",\ndata: "x":\n' * 20_000, 20_000),
    ],
)
def test_a_text_made_of_broken_frames_is_read_in_linear_time(text: str, events: int) -> None:
    """Without the bound each of these takes minutes."""
    capture = read_capture(text, "talk.txt")
    assert len(capture.events) == events
    assert len(capture.notes) == (4 if events > 1 else 1)
