"""Saved pauses: the five eras from the bytes alone, and what contradicts itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.records.saved import ALL, changed, gate_text, name, runtime_text, text
from workbench.errors import BadInputError
from workbench.records.eras import origin_of
from workbench.records.resumption_context import GATE, RUNTIME, read_resumption_context
from workbench.records.runtime_state import read_runtime_state

SENTENCES = {
    "A": "saved by Dify 1.13 or 1.14, its own engine; gate state lies in the runtime state,"
    " where newer versions ignore it",
    "B": "saved by Dify 1.15, graphon 0.5; gate state was not saved",
    "C": "saved by Dify 1.16, graphon 0.6; gate state was saved",
    "D": "saved by Dify 1.17, graphon 0.7; gate state was saved",
    "E": "saved by Dify after 1.17, graphon 0.8; gate state was saved",
}


@pytest.mark.parametrize("path", ALL, ids=name)
def test_tells_who_saved_it(path: Path) -> None:
    saved = path.read_bytes().decode()
    context = read_resumption_context(saved)
    era = path.parent.name
    assert context.era == era
    assert context.origin.sure
    assert context.origin.sentence == SENTENCES[era]
    assert context.notes == ()
    assert context.text == saved
    assert context.dify == {"A": "1.14", "B": "1.15", "C": "1.16", "D": "1.17", "E": "main"}[era]
    assert context.entity_type == "advanced-chat"
    assert context.entity["query"] == "hi"
    assert context.run_id == "5f0c1f3e-3f0a-4a53-9d3c-6d1f3a8f2b10"
    assert (context.gate is None) is (era in "AB")


def test_an_empty_field_for_the_gate_is_dify_116() -> None:
    saved = json.loads(text("B", "t1-if-else")) | {GATE: None}
    context = read_resumption_context(json.dumps(saved))
    assert context.era == "C"
    assert context.origin.sentence == "saved by Dify 1.16, graphon 0.6; gate state was not saved"


def test_scheduled_pauses_of_version_1_can_be_of_two_eras() -> None:
    execution = json.loads(json.loads(runtime_text("B", "t1-if-else"))["graph_execution"])
    execution["pause_reasons"] = [{"TYPE": "scheduled_pause", "message": "unknown reason"}]
    state = changed(runtime_text("B", "t1-if-else"), graph_execution=json.dumps(execution))
    context = read_resumption_context(changed(text("B", "t1-if-else"), **{RUNTIME: state}))
    assert context.era == "B"
    assert not context.origin.sure
    assert context.origin.sentence.startswith("probably saved by Dify 1.15")


def test_a_bare_runtime_state_says_nothing_about_a_gate_beside_it() -> None:
    origin = origin_of(read_runtime_state(runtime_text("D", "t1-if-else")), whole=False)
    assert origin.era == "D"
    assert origin.sentence == "saved by Dify 1.17, graphon 0.7; a gate state would stand beside it"


def test_the_run_of_a_workflow_app_has_another_name() -> None:
    entity = {"type": "workflow", "entity": {"workflow_execution_id": "run-7"}}
    context = read_resumption_context(changed(text("E", "t1-if-else"), generate_entity=entity))
    assert context.run_id == "run-7"


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"version": "2"}, "Its version is 2; only 1 is known."),
        ({"version": None}, "saved pause.version is missing."),
        ({"generate_entity": None}, "saved pause.generate_entity is missing."),
        ({"generate_entity": "x"}, "saved pause.generate_entity is a text, not a mapping."),
        ({GATE: 3}, f"saved pause.{GATE} is a number, not a text."),
        ({GATE: "{"}, f"{GATE} is cut off"),
        ({GATE: "[]"}, f"{GATE} is not a gate state"),
        (
            {GATE: gate_text("C", "t1-if-else")},
            "The gate state is version 1.0, the runtime state 3.0: no graphon writes the two together.",
        ),
    ],
)
def test_damage_is_named_and_the_rest_is_read(changes: dict[str, object], note: str) -> None:
    context = read_resumption_context(changed(text("E", "t1-if-else"), **changes))
    assert any(told.startswith(note) for told in context.notes), context.notes
    assert context.runtime_state.paused_nodes == ("hum",)


def test_two_gates_are_told() -> None:
    saved = json.loads(text("A", "t1-if-else")) | {GATE: gate_text("C", "t1-if-else")}
    context = read_resumption_context(json.dumps(saved))
    assert context.era == "A"
    assert context.notes == (
        "There are two gates: one in the runtime state, one beside it; Dify reads the second.",
    )


def test_a_damaged_gate_keeps_its_text() -> None:
    context = read_resumption_context(changed(text("E", "t1-if-else"), **{GATE: '{"type": 1'}))
    assert context.gate is None
    assert context.gate_text == '{"type": 1'


@pytest.mark.parametrize(
    ("saved", "words"),
    [
        ("{}", f"It has no {RUNTIME}."),
        (json.dumps({RUNTIME: {}}), f"Its {RUNTIME} is a mapping, not a text."),
        ("3", "It holds a number"),
        (json.dumps({RUNTIME: ""}), "There is no text in it."),
        (json.dumps({RUNTIME: "{}"}), "It has no graph_execution"),
    ],
)
def test_says_what_is_no_saved_pause(saved: str, words: str) -> None:
    with pytest.raises(BadInputError) as caught:
        read_resumption_context(saved, "pause.json")
    assert words in str(caught.value)
    assert "pause.json" in caught.value.title
    assert caught.value.next_step


def test_a_byte_order_mark_and_odd_spacing_are_kept() -> None:
    saved = "\ufeff" + json.dumps(json.loads(text("E", "t1-if-else")), indent=3).replace("\n", "\r\n")
    context = read_resumption_context(saved)
    assert context.text == saved
    assert context.notes == ()


def test_lone_surrogates_survive() -> None:
    saved = text("E", "t1-if-else").replace('"query":"hi"', '"query":"\\ud83d hi"')
    assert read_resumption_context(saved).entity["query"] == "\ud83d hi"
