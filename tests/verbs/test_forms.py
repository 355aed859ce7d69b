"""What a pause asks for, and which answers fit."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.errors import UsageError
from workbench.verbs.forms import submission

NOTE = {"name": "note", "type": "paragraph", "default": None}
COLOUR = {"name": "colour", "type": "select", "default": None, "options": ["red", "blue"]}
FILE = {"name": "doc", "type": "file", "default": None}


def form(node: str = "hum", *fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "human_input_required",
        "node_id": node,
        "node_title": node.title(),
        "actions": [{"id": "approve", "title": "Approve"}, {"id": "reject", "title": "Reject"}],
        "fields": list(fields),
    }


BREAK = {"type": "scheduled_pause", "node_id": "llm", "message": "before llm"}


def submit(*reasons: dict[str, Any], **given: Any) -> dict[str, Any]:
    return submission(reasons, **({"action": None, "node": None, "fields": {}} | given))


def test_the_only_form_is_taken() -> None:
    assert submit(form("hum", NOTE), action="approve", fields={"note": "hi"}) == {
        "hum": {"action": "approve", "fields": {"note": "hi"}}
    }


def test_untouched_fields_submit_what_an_untouched_form_does() -> None:
    prefilled = {**NOTE, "name": "other", "default": "as before"}
    found = submit(form("hum", NOTE, COLOUR, FILE, prefilled), action="reject")
    assert found["hum"]["fields"] == {"note": "", "colour": "red", "doc": None, "other": "as before"}


@pytest.mark.parametrize(
    ("given", "valid", "near"),
    [
        ({"action": "aprove"}, "approve, reject", "approve"),
        ({"action": "approve", "fields": {"nota": "x"}}, "note, colour", "note"),
        ({"action": "approve", "fields": {"colour": "green"}}, "red, blue", ""),
        ({"action": "approve", "node": "hun"}, "hum", "hum"),
        ({}, "approve (Approve), reject (Reject), __timeout", "approve"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_valid_names(given: Any, valid: str, near: str) -> None:
    with pytest.raises(UsageError) as caught:
        submit(form("hum", NOTE, COLOUR), **given)
    assert caught.value.exit_code == 2
    assert valid in caught.value.cause
    assert near in caught.value.next_step


def test_one_of_several_forms_must_be_named() -> None:
    with pytest.raises(UsageError) as caught:
        submit(form("left"), form("right"), action="approve")
    assert "left" in caught.value.cause
    assert "right" in caught.value.cause
    assert submit(form("left"), form("right"), action="approve", node="right") == {
        "right": {"action": "approve", "fields": {}}
    }


def test_the_timeout_is_an_action_without_fields() -> None:
    assert submit(form("hum", NOTE), action="__timeout") == {"hum": {"action": "__timeout", "fields": {}}}


def test_a_breakpoint_asks_nothing() -> None:
    assert submit(BREAK) == {}
    with pytest.raises(UsageError):
        submit(BREAK, action="approve")


def test_a_breakpoint_beside_a_form_can_be_passed_without_an_answer() -> None:
    assert submit(BREAK, form("hum")) == {}
    assert submit(BREAK, form("hum"), action="approve") == {"hum": {"action": "approve", "fields": {}}}


def test_files_are_given_as_json() -> None:
    found = submit(form("hum", FILE), action="approve", fields={"doc": '{"type": "image"}'})
    assert found["hum"]["fields"] == {"doc": {"type": "image"}}
    with pytest.raises(UsageError):
        submit(form("hum", FILE), action="approve", fields={"doc": "image.png"})


def test_a_pause_without_readable_reasons_is_not_told_as_a_breakpoint() -> None:
    with pytest.raises(UsageError) as caught:
        submission((), action="approve", node=None, fields={})
    assert caught.value.title == "No form is known of this pause."
    assert "damaged" in str(caught.value)
    with pytest.raises(UsageError, match="breakpoint"):
        submission(({"type": "scheduled_pause"},), action="approve", node=None, fields={})
