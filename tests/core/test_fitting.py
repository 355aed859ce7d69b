"""A saved state with another app, or with this one after an edit, is told apart from one that fits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.core.little_engine import BRANCH, HUMAN, START, Run, graph, node
from workbench.core.findings import diagnose_saved
from workbench.core.fitting import misfits
from workbench.core.graph_of import graph_of
from workbench.core.state import Base
from workbench.records.app import read_app
from workbench.records.gate_state import edge_names
from workbench.records.resumption_context import read_resumption_context
from workbench.verbs.history import base_of

FIXTURES = Path(__file__).parents[2] / "fixtures"
APPS = {"t2-second-pause": "shapes/t2-two-pauses", "every-type": "states/every-type"}
ERAS = "ABCDE"


def app_file(name: str) -> Path:
    folder = APPS.get(name) or next(p for p in FIXTURES.glob(f"*/{name}")).relative_to(FIXTURES)
    return FIXTURES / folder / "app.yml"


def clauses(saved: Path, app_path: Path, *, reverse: bool = False) -> tuple[str, ...]:
    app = read_app(app_path.read_bytes(), app_path.name)
    runtime = read_resumption_context(saved.read_text("utf-8"), saved.name).runtime_state
    edges = list(app.graph["edges"])[:: -1 if reverse else 1]
    names = edge_names(edges) if runtime.has_positional_edges else {}
    return misfits(graph_of(app.graph, app.root), base_of(runtime, names))


@pytest.mark.parametrize(
    "saved", sorted((FIXTURES / "states").glob("[A-E]/*.json")), ids=lambda p: f"{p.parent.name}-{p.stem}"
)
def test_every_saved_pause_fits_its_own_app(saved: Path) -> None:
    assert clauses(saved, app_file(saved.stem)) == ()


@pytest.mark.parametrize("era", ERAS)
def test_the_app_of_another_shape_does_not_fit(era: str) -> None:
    (nodes, *_) = clauses(FIXTURES / "states" / era / "t1-if-else.json", app_file("t5-parallel-llm"))
    assert nodes == "the state knows nodes that the app does not have (check, other)"


@pytest.mark.parametrize("era", ERAS)
def test_reordered_edges_are_noticed_where_edges_go_by_position(era: str) -> None:
    told = clauses(FIXTURES / "states" / era / "t1-if-else.json", app_file("t1-if-else"), reverse=True)
    assert bool(told) == (era != "E")


def test_why_tells_it_first_even_where_no_gate_was_saved() -> None:
    answer = node("answer", "response", text="Hi")
    app = graph([START, BRANCH, HUMAN, answer], "start>branch", "branch:true>human", "human:ok>answer")
    base = Run(app).complete("start").complete("branch", "true", result=True).pause("human").base()
    findings, _ = diagnose_saved(app, base, None, "1.15.0")
    assert "graph-changed-while-paused" not in {finding.code for finding in findings}
    strange = replace(base, node_states={**base.node_states, "gone": "taken"})
    findings, _ = diagnose_saved(app, strange, None, "1.15.0")
    assert findings[0].code == "graph-changed-while-paused"
    assert "nodes that the app does not have (gone)" in findings[0].message


def test_a_state_that_tells_nothing_of_the_graph_is_not_judged() -> None:
    assert misfits(graph([START, HUMAN], "start>human"), Base({})) == ()
