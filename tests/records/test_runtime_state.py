"""Runtime snapshots of all versions: what is read, and how damage is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.records.saved import ALL, changed, name, runtime_text
from workbench.errors import BadInputError
from workbench.records.resumption_context import read_resumption_context
from workbench.records.runtime_state import Task, read_runtime_state

VERSIONS = {"A": "1.0", "B": "1.0", "C": "1.0", "D": "2.0", "E": "3.0"}


@pytest.mark.parametrize("path", ALL, ids=name)
def test_reads_every_saved_state_without_a_complaint(path: Path) -> None:
    context = read_resumption_context(path.read_bytes().decode())
    state = context.runtime_state
    assert state.notes == ()
    assert state.version == VERSIONS[path.parent.name]
    assert state.text == json.loads(path.read_bytes())["serialized_graph_runtime_state"]
    assert state.execution.paused
    assert len(state.paused_nodes) == 1
    assert [reason["node_id"] for reason in state.pause_reasons] == list(state.paused_nodes)
    assert state.variables["sys"]["query"] == "hi"
    assert set(state.node_states.values()) <= {"unknown", "taken", "skipped"}
    assert set(state.edge_states.values()) <= {"unknown", "taken", "skipped"}
    assert state.has_positional_edges is (path.parent.name != "E")


@pytest.mark.parametrize("era", "ABCDE")
def test_node_and_edge_states(era: str) -> None:
    state = read_runtime_state(runtime_text(era, "t1-if-else"))
    assert state.node_states == {
        "start": "taken",
        "check": "taken",
        "other": "skipped",
        "hum": "unknown",
        "answer": "unknown",
        "rejected": "unknown",
    }
    taken = {edge for edge, value in state.edge_states.items() if value == "taken"}
    assert taken == (
        {"start-source-check-target", "check-true-hum-target"} if era == "E" else {"edge_0", "edge_1"}
    )
    assert [node.node for node in state.execution.nodes] == ["check", "hum", "start"]
    assert state.node_run_steps == 3
    assert state.paused_nodes == ("hum",)
    waiting = (Task("start", "root", "hum"),) if era in "DE" else ()
    assert state.deferred == waiting
    assert state.ready == ()
    assert (state.response_coordinator is not None) is (era == "A")


@pytest.mark.parametrize("era", "ABCDE")
def test_variables_of_every_type(era: str) -> None:
    state = read_runtime_state(runtime_text(era, "every-type"))
    assert state.variables["conversation"] == {
        "note": "kept \u00e9 \U0001f642",
        "count": 2.5,
        "flag": False,
        "thing": {"a": [1, {"b": None}]},
        "words": ["x", "y"],
        "numbers": [1, 2.5],
        "things": [{"k": "v"}],
        "flags": [True, False],
        "empty": [],
    }
    assert state.variable_types["conversation"] == {
        "note": "string",
        "count": "float",
        "flag": "boolean",
        "thing": "object",
        "words": "array[string]",
        "numbers": "array[number]",
        "things": "array[object]",
        "flags": "array[boolean]",
        "empty": "array[string]",
    }
    assert state.variables["env"] == {"base": "example.test", "limit": 7, "key": "s3cr3t-value"}
    assert state.variable_types["env"] == {"base": "string", "limit": "integer", "key": "secret"}
    assert state.variables["start"]["paper"]["type"] == "document"
    assert state.variable_types["start"]["paper"] == "file"
    assert state.variable_types["start"]["pictures"] == "array[file]"
    assert state.variables["start"]["pictures"][0]["dify_model_identity"] == "__dify__file__"
    assert state.variables["code"]["o"] == {"a": "inner"}


@pytest.mark.parametrize("era", "DE")
def test_open_containers(era: str) -> None:
    state = read_runtime_state(runtime_text(era, "loop-pause"))
    assert [run["kind"] for run in state.container_runs] == ["loop"]
    frame = state.container_frames[0]
    assert frame["index"] == 0
    assert state.deferred == (Task("start", frame["frame_id"], "ask"),)
    assert state.paused_nodes == ("ask",)


def test_tokens_are_counted_in_every_version() -> None:
    totals = {read_runtime_state(runtime_text(era, "t5-parallel-llm")).total_tokens for era in "ABCDE"}
    assert len(totals) == 1
    assert totals.pop() > 0


def variable(kind: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"value_type": kind, "value": value, "selector": ["n", "v"], "name": "v", **more}


def with_variables(**variables: Any) -> str:
    pool = {"variable_dictionary": {"n": variables}}
    return changed(runtime_text("E", "t1-if-else"), variable_pool=pool)


def test_values_stay_what_they_are() -> None:
    wrapped = {"value_type": "string", "value": "x"}  # a mapping for the engine too
    state = read_runtime_state(
        with_variables(
            o=variable("object", wrapped),
            l=variable("array[any]", [wrapped, 1]),
            none=variable("none", None),
            future=variable("array[tensor]", [1]),
            unheard=variable("quaternion", [1, 2]),
            g=variable("group", [variable("string", "a"), variable("group", [variable("integer", 1)])]),
        )
    )
    assert state.notes == ()
    assert state.variables["n"] == {
        "o": wrapped,
        "l": [wrapped, 1],
        "none": None,
        "future": [1],
        "unheard": [1, 2],
        "g": ["a", [1]],
    }


def test_early_pools_keyed_by_hashes_get_their_names_back() -> None:
    state = read_runtime_state(with_variables(**{"-1287391": variable("string", "x")}))
    assert state.variables["n"] == {"v": "x"}


@pytest.mark.parametrize(
    ("variables", "note"),
    [
        ({"a": "x"}, "Variable n.a has no value_type: it is a text."),
        ({"a": {"value": 1}}, "Variable n.a has no value_type: it is a mapping."),
        ({"a": {"value_type": "string"}}, "Variable n.a has no value."),
        ({"a": variable("string", 1)}, "Variable n.a is of type string, but its value is a number."),
        (
            {"a": variable("boolean", "yes")},
            "Variable n.a is of type boolean, but its value is a text.",
        ),
        (
            {"a": variable("integer", True)},
            "Variable n.a is of type integer, but its value is true or false.",
        ),
        (
            {"a": variable("array[file]", {})},
            "Variable n.a is of type array[file], but its value is a mapping.",
        ),
    ],
)
def test_damaged_variables_are_named_and_kept(variables: dict[str, Any], note: str) -> None:
    state = read_runtime_state(with_variables(**variables, ok=variable("string", "fine")))
    assert state.notes == (note,)
    assert state.variables["n"]["ok"] == "fine"
    assert "a" in state.variables["n"]


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"outputs": None}, "runtime state.outputs is missing."),
        ({"outputs": [1]}, "runtime state.outputs is a list, not a mapping."),
        ({"variable_pool": {}}, "variable_pool.variable_dictionary is missing."),
        (
            {"variable_pool": {"variable_dictionary": {"n": 3}}},
            "variable_pool: the variables of n are a number, not a mapping.",
        ),
        ({"graph_execution": "{"}, "runtime state.graph_execution is cut off"),
        ({"graph_execution": "[]"}, "runtime state.graph_execution holds a list, not a mapping."),
        ({"graph_execution": 3}, "runtime state.graph_execution is a number, not JSON in a text."),
        ({"graph_edge_states": {"e": 1}}, "runtime state.graph_edge_states holds 1 values that are no text."),
        ({"start_at": "noon"}, "runtime state.start_at is a text, not a number."),
        ({"start_at": 10**400}, "runtime state.start_at is larger than any floating-point number."),
        ({"container_runs": [1]}, "container_runs holds 1 items that are no mapping."),
        ({"version": "4.0"}, "Version 4.0 is not known; it is read like 3.0."),
        ({"version": None}, "runtime state.version is missing."),
        ({"version": 3}, "runtime state.version is a number, not a text."),
    ],
)
def test_damage_is_named_and_the_rest_is_read(changes: dict[str, Any], note: str) -> None:
    state = read_runtime_state(changed(runtime_text("E", "t1-if-else"), **changes))
    assert any(told.startswith(note) for told in state.notes), state.notes
    assert state.node_states["check"] == "taken"


def test_unknown_keys_are_no_complaint() -> None:
    state = read_runtime_state(changed(runtime_text("E", "t1-if-else"), something_new={"a": 1}))
    assert state.notes == ()


def test_a_flood_of_damage_is_counted() -> None:
    state = read_runtime_state(with_variables(**{f"v{n}": "x" for n in range(500)}))
    assert len(state.notes) == 201
    assert state.notes[-1] == "And 300 more."


def test_says_what_is_no_runtime_state() -> None:
    with pytest.raises(BadInputError) as caught:
        read_runtime_state('{"answer": 1, "x": 2}', "state.json")
    assert caught.value.title == "state.json is not a runtime state (graphon's RuntimeState)"
    assert "graph_execution" in caught.value.cause
    assert "answer, x" in caught.value.cause
    with pytest.raises(BadInputError, match="is not a runtime state"):
        read_runtime_state("[1]")
