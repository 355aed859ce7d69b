"""Saved gates of all versions, and the two spellings of edge ids."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.records.saved import ALL, changed, gate_text, name, runtime_text
from workbench.errors import BadInputError
from workbench.records.gate_state import KEYS, edge_names, read_gate_state, translate_edges, unknown_edges

SAVED = [path for path in ALL if path.parent.name != "B"]


@pytest.mark.parametrize("path", SAVED, ids=name)
def test_reads_every_saved_gate_unchanged(path: Any) -> None:
    text = gate_text(path.parent.name, path.stem)
    gate = read_gate_state(text)
    assert gate.notes == ()
    assert gate.text == text
    assert gate.data == json.loads(text)
    assert gate.version == ("2.0" if path.parent.name == "E" else "1.0")
    assert gate.type == ("ResponseStreamCoordinator" if path.parent.name == "A" else "ResponseStreamFilter")


def test_missing_keys_take_graphons_defaults() -> None:
    gate = read_gate_state('{"type": "ResponseStreamFilter", "version": "1.0"}')
    assert gate.notes == ()
    assert {key: gate.data[key] for key in KEYS} == {
        "response_nodes": [],
        "active_session": None,
        "waiting_sessions": [],
        "pending_sessions": [],
        "node_execution_ids": {},
        "paths_map": {},
        "stream_buffers": [],
        "stream_positions": [],
        "closed_streams": [],
    }


@pytest.mark.parametrize(
    ("changes", "key", "value", "note"),
    [
        ({"response_nodes": "a"}, "response_nodes", [], "gate.response_nodes is a text, not a list."),
        ({"response_nodes": ["a", 1]}, "response_nodes", ["a"], "gate.response_nodes holds 1 items"),
        ({"active_session": [1]}, "active_session", None, "gate.active_session is a list, not a mapping."),
        ({"active_session": {"index": 1}}, "active_session", None, "active_session.node_id is missing."),
        (
            {"active_session": {"node_id": "a", "index": -2}},
            "active_session",
            {"node_id": "a", "index": 0},
            "active_session: the index of a is negative",
        ),
        ({"waiting_sessions": [3]}, "waiting_sessions", [], "gate.waiting_sessions holds 1 items"),
        (
            {"node_execution_ids": {"a": 1}},
            "node_execution_ids",
            {},
            "gate.node_execution_ids holds 1 values",
        ),
        ({"paths_map": {"a": {}}}, "paths_map", {}, "gate.paths_map: the paths of a are a mapping"),
        ({"paths_map": {"a": [1, ["e", 2]]}}, "paths_map", {"a": [["e"]]}, "gate.paths_map: 1 paths of a"),
        ({"stream_buffers": [{"events": []}]}, "stream_buffers", [], "gate.stream_buffers holds entries"),
        (
            {"stream_positions": [{"selector": ["a", "b"], "position": "x"}]},
            "stream_positions",
            [{"selector": ["a", "b"], "position": 0}],
            "stream_positions.position is a text",
        ),
        ({"version": "9.9"}, "paths_map", None, "Version 9.9 is not known; it is read like 2.0."),
    ],
)
def test_damage_is_named_and_put_in_shape(changes: dict[str, Any], key: str, value: Any, note: str) -> None:
    gate = read_gate_state(changed(gate_text("E", "t1-if-else"), **changes))
    assert any(told.startswith(note) for told in gate.notes), gate.notes
    if value is not None:
        assert gate.data[key] == value


def test_paths_too_many_to_list_are_no_damage() -> None:
    gate = read_gate_state(
        '{"type": "ResponseStreamFilter", "version": "2.0", "paths_map": null, "paths_count": 9}'
    )
    assert gate.data["paths_map"] is None
    assert gate.notes == ()
    assert translate_edges(gate.data, {"edge_0": "a"})["paths_map"] is None
    assert unknown_edges(gate.data, {}) == ()


def test_edge_names_follow_graphons_rule() -> None:
    edges = [
        {"id": "one", "source": "a", "target": "b"},
        {"id": "broken", "source": "a", "target": None},
        {"id": "two", "source": "b", "target": "c", "sourceHandle": None},  # left out, but counted
        "nonsense",
        {"source": "c", "target": "d"},
    ]
    assert edge_names(edges) == {"edge_0": "one", "edge_1": "two", "edge_2": "edge_2"}


def test_positional_edges_are_translated_anywhere_in_the_paths() -> None:
    old, new = (read_gate_state(gate_text(era, "t1-if-else")) for era in "CE")
    states = json.loads(runtime_text("E", "t1-if-else"))["graph_edge_states"]
    names = {f"edge_{n}": edge for n, edge in enumerate(states)}  # 3.0 lists them in the DSL's order
    translated = translate_edges(old.data, names)
    assert translated["paths_map"] == new.data["paths_map"]
    assert old.data["paths_map"]["answer"] == [["edge_3"]]  # the original is untouched
    assert old.has_positional_edges
    assert not new.has_positional_edges
    assert translate_edges(old.data, {})["paths_map"] == old.data["paths_map"]
    assert unknown_edges(translated, states) == ()
    assert unknown_edges(old.data, states) == ("edge_3", "edge_2", "edge_4")


def test_says_what_is_no_gate() -> None:
    with pytest.raises(BadInputError) as caught:
        read_gate_state('{"type": "GraphExecution"}', "gate.json")
    assert caught.value.title == "gate.json is not a gate state (graphon's ResponseStreamFilter)"
    assert "'GraphExecution'" in caught.value.cause
