"""Pause reasons as Dify saved them, in the words of the protocol."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from workbench.core.graph import Graph, Node
from workbench.records.resumption_context import GATE
from workbench.verbs.saved import open_saved, reason_of
from workbench.verbs.target import FileTarget

DATA = {
    "form_content": "Please check.",
    "inputs": [
        {
            "type": "paragraph",
            "output_variable_name": "note",
            "default": {"type": "constant", "value": "as is"},
        },
        {
            "type": "select",
            "output_variable_name": "colour",
            "option_source": {"type": "constant", "value": ["red", "blue"]},
        },
        {
            "type": "paragraph",
            "output_variable_name": "bound",
            "default": {"type": "variable", "selector": ["a", "b"]},
        },
        "damaged",
    ],
    "user_actions": [{"id": "approve", "title": "Approve", "button_style": "primary"}, None],
}
GRAPH = Graph({"hum": Node("hum", "human-input", "Ask", "branch", data=DATA)}, {}, "start")


def test_a_new_reason_takes_its_form_from_the_app() -> None:
    found = reason_of(
        {"TYPE": "hitl_required", "session_id": "s1", "node_id": "hum", "node_title": "Ask"}, GRAPH
    )
    assert found["type"] == "human_input_required"
    assert (found["form_id"], found["node_title"], found["content"]) == ("s1", "Ask", "Please check.")
    assert found["actions"] == [{"id": "approve", "title": "Approve", "style": "primary"}]
    assert found["fields"] == [
        {"name": "note", "type": "paragraph", "default": "as is"},
        {"name": "colour", "type": "select", "default": None, "options": ["red", "blue"]},
        {"name": "bound", "type": "paragraph", "default": None},
    ]


def test_an_old_reason_has_its_own_form() -> None:
    raw: dict[str, Any] = {
        "TYPE": "human_input_required",
        "form_id": "f1",
        "form_content": "Then: check.",
        "node_id": "hum",
        "node_title": "Asked",
        "inputs": [{"type": "paragraph", "output_variable_name": "bound"}],
        "actions": [{"id": "yes", "title": "Yes"}],
        "resolved_default_values": {"bound": "resolved"},
    }
    found = reason_of(raw, GRAPH)
    assert (found["form_id"], found["content"], found["node_title"]) == ("f1", "Then: check.", "Asked")
    assert [action["id"] for action in found["actions"]] == ["yes"]
    assert found["fields"] == [{"name": "bound", "type": "paragraph", "default": "resolved"}]


def test_a_node_that_the_app_lacks_still_waits() -> None:
    found = reason_of({"TYPE": "hitl_required", "session_id": "s1", "node_id": "gone"}, GRAPH)
    assert (found["node_id"], found["node_title"], found["actions"], found["fields"]) == (
        "gone",
        "gone",
        [],
        [],
    )


def test_a_time_slice_has_no_form() -> None:
    found = reason_of({"TYPE": "scheduled_pause", "message": "RESOURCE_LIMIT_REACHED"}, GRAPH)
    assert found == {"type": "scheduled_pause", "node_id": None, "message": "RESOURCE_LIMIT_REACHED"}


def test_what_is_broken_in_the_gate_of_a_saved_pause_is_told() -> None:
    path = Path(__file__).parents[2] / "fixtures" / "states" / "C" / "t1-if-else.json"
    context = json.loads(path.read_bytes())
    gate = json.loads(context[GATE])
    broken = {**context, GATE: json.dumps({**gate, "paths_map": {"answer": "x"}})}
    data = json.dumps(broken).encode()
    saved = open_saved(FileTarget("saved.json", data, "resumption-context", ""))
    assert "gate.paths_map: the paths of answer are a text, not a list." in saved.notes
