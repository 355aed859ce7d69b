"""Who wrote a variable, and when: by the journal, else by graph and states."""

from __future__ import annotations

from tests.cli.driver import fixture
from workbench.core.graph_of import graph_of
from workbench.core.writers import Written, written
from workbench.records.app import read_app

APP = read_app(fixture("shapes/t4-assigned-variable").read_bytes(), "app.yml")
GRAPH = graph_of(APP.graph, APP.root)
HELD = {
    "sys": {"query": "q"},
    "conversation": {"c": 1},
    "start": {"name": "n", "sys.query": "q"},
    "gone": {"x": 1},
}
UPDATE = {"kind": "NodeRunVariableUpdated", "node": "assign", "selector": ["conversation", "c"]}
START = {"kind": "NodeRunSucceeded", "node": "start", "outputs": {"name": "n"}}


def test_a_variable_names_the_node_of_its_last_event() -> None:
    found = written(GRAPH, {"assign": "taken"}, HELD, [START, UPDATE, UPDATE])
    assert found["conversation"]["c"] == Written("Remember", 3)
    assert found["start"] == {"name": Written("the start form", 1), "sys.query": Written("Dify")}
    assert found["sys"]["query"] == Written("Dify")
    assert found["gone"]["x"] == Written("gone")


def test_before_its_assigner_wrote_it_a_variable_is_from_before_the_run() -> None:
    found = written(GRAPH, {"assign": "taken"}, HELD, [START])
    assert found["conversation"]["c"] == Written("the conversation before this run")
