"""Everything a saved pause says can be read, in every era."""

from __future__ import annotations

import pytest

from tests.core.edits.states import document, state_files
from workbench.core.edits import open_document
from workbench.core.inspect import inspect
from workbench.core.writers import written_at

NAMES = [f"{path.parent.name}/{path.stem}" for path in state_files()]


@pytest.mark.parametrize("name", NAMES)
def test_every_state_is_laid_open(name: str) -> None:
    found = inspect(document(name))
    assert {each.node for each in found.variables} >= {"sys", "start"}
    assert all(each.writer and each.type != "unknown" for each in found.variables)
    assert [each.title for each in found.tasks if each.list in ("paused", "deferred")]
    assert not any(edge.startswith("edge_") for edge in found.edges)
    assert found.entity["user_id"]
    assert found.app_config["app_mode"]
    assert found.reasons
    assert bool(found.sessions) == (name[0] != "B")


def test_the_cursor_in_a_template_and_the_read_position_of_a_buffer() -> None:
    found = inspect(document("E/t5-parallel-llm"))
    answer = next(each for each in found.sessions if each.node == "answer")
    assert (answer.phase, answer.index) == ("active", 3)
    assert answer.parts == ("llm said ", "{{#llm.text#}}", "; note ", "{{#hum.note#}}")
    assert found.buffers[0].stream == "llm.text"
    assert (found.buffers[0].position, len(found.buffers[0].pieces), found.buffers[0].closed) == (4, 4, True)


def test_open_containers_and_who_wrote_a_conversation_variable() -> None:
    loop = inspect(document("E/loop-pause")).containers[0]
    assert (loop.kind, loop.done, loop.total, loop.rounds) == ("loop", 0, 2, (0,))
    held = {(each.node, each.name): each for each in inspect(document("C/t4-assigned-variable")).variables}
    assert {each.writer for key, each in held.items() if key[0] == "conversation"} != {
        "the conversation before this run"
    }


def test_a_journal_tells_when() -> None:
    events = [
        {"kind": "NodeRunStarted", "node": "llm"},
        {"kind": "NodeRunSucceeded", "node": "llm", "outputs": {"text": "x"}},
        {"kind": "NodeRunVariableUpdated", "node": "a", "selector": ["conversation", "v"], "value": 1},
    ]
    assert written_at(events) == {("llm", "text"): 2, ("conversation", "v"): 3}


def test_damage_hides_nothing_else() -> None:
    text = '{"variable_pool": {"variable_dictionary": {"a": {"b": 4}, "c": 5}}, "container_runs": [1, {}],'
    text += '"ready_queue": "{\\"items\\": [3]}", "graph_execution": "{\\"pause_reasons\\": 1}",'
    text += '"version": "3.0"}'
    found = inspect(open_document(text, "runtime-state", kernel="graphon-0.8"))
    assert [(each.node, each.value) for each in found.variables] == [("a", 4)]
    assert [each.node for each in found.tasks] == ["3"]
