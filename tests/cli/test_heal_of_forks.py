"""A fork goes on with its parent's message: healing its pause repeats nothing and owes all the rest."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.cli.driver import cli
from workbench.store import Store

pytestmark = [pytest.mark.kernel, pytest.mark.usefixtures("home", "warm_kernels")]
WHOLE = "First. Mid n. Last n."


def node(name: str, kind: str, **data: Any) -> dict[str, Any]:
    return {"id": name, "type": "custom", "data": {"type": kind, "title": name, **data}}


def form(name: str) -> dict[str, Any]:
    return node(
        name,
        "human-input",
        form_content="{{#$output.note#}}",
        inputs=[{"type": "paragraph", "output_variable_name": "note"}],
        user_actions=[{"id": "approve", "title": "Approve"}],
        delivery_methods=[{"type": "webapp", "enabled": True, "id": "3b0f7c5e-0000-4000-8000-000000000001"}],
        timeout=3,
        timeout_unit="day",
    )


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """start, Answer "First. ", a form, Answer "Mid n. ", a second form, Answer "Last n."."""
    nodes = [
        node("start", "start", variables=[]),
        node("first", "answer", answer="First. "),
        form("hum1"),
        node("mid", "answer", answer="Mid {{#hum1.note#}}. "),
        form("hum2"),
        node("last", "answer", answer="Last {{#hum2.note#}}."),
    ]
    pairs = list(pairwise(nodes))
    edges = [
        {
            "id": f"{a['id']}-{b['id']}",
            "source": a["id"],
            "sourceHandle": "approve" if a["id"].startswith("hum") else "source",
            "target": b["id"],
            "targetHandle": "target",
        }
        for a, b in pairs
    ]
    workflow = {
        "graph": {"nodes": nodes, "edges": edges},
        "environment_variables": [],
        "conversation_variables": [],
        "features": {},
    }
    file = tmp_path / "app.yml"
    file.write_text(
        json.dumps(
            {
                "kind": "app",
                "version": "0.6.0",
                "app": {"name": "three Answers", "mode": "advanced-chat"},
                "workflow": workflow,
            }
        )
    )
    return file


class Runs:
    """The command line on one store."""

    def __init__(self, store: Path, kernel: str) -> None:
        self.store, self.kernel = store, kernel

    def __call__(self, *arguments: object) -> dict[str, Any]:
        done = cli(*map(str, arguments), "--json", "--store", self.store)
        assert done.code in (0, 3), done.err
        found: dict[str, Any] = done.json
        return found

    def start(self, app: Path) -> str:
        """The first pause's id."""
        self("run", app, "-q", "--run-id", "one", "--kernel", self.kernel)
        return self.pause("one")

    def submit(self, target: str, *options: object) -> dict[str, Any]:
        return self("resume", target, "-q", "--action", "approve", "--field", "note=n", *options)

    def pause(self, run: str) -> str:
        return Store(self.store).pauses(run)[-1].pause_id

    def streamed(self, run: str) -> str:
        found: str = self("show", run)["streamed"]
        return found


@pytest.fixture(params=["graphon-0.6", "graphon-0.7", "graphon-0.8"])
def runs(request: pytest.FixtureRequest, tmp_path: Path) -> Runs:
    return Runs(tmp_path / "store.duckdb", request.param)


@pytest.mark.parametrize(
    ("gate", "streams", "rest"), [("restored", "Mid n. ", "Last n."), ("fresh", "First. ", "Mid n. Last n.")]
)
def test_the_pause_of_a_fork(gate: str, streams: str, rest: str, app: Path, runs: Runs) -> None:
    first = runs.start(app)
    runs.submit("one")
    runs.submit("one")
    assert runs.streamed("one") == WHOLE
    runs.submit(first, "--gate", gate, "--run-id", "two")
    assert runs.streamed("two") == streams
    healed = runs("heal", runs.pause("two"))
    assert (healed["shown"], healed["doubts"]) == (f"First. {streams}", [])
    runs.submit("two", "--gate", "healed")
    assert runs.streamed("two") == streams + rest  # a lost gate has shown "First. " again; nothing is since


def test_a_fork_of_a_fork_between_two_nodes(app: Path, runs: Runs) -> None:
    first = runs.start(app)
    runs.submit(first, "--gate", "restored")
    runs.submit(first, "--gate", "restored", "--run-id", "two")
    steps = runs("show", "two")["steps"]
    made = runs("fork", "two", "--step", steps - 3, "--run-id", "three", "-q", "--gate", "healed")
    assert made["forked_from"]["run_id"] == "two"
    at = made["forked_from"]["step"]
    before = "First. " + runs("show", "two", "--step", at)["streamed"]
    assert runs("heal", runs.pause("three"))["shown"] == "First. Mid n. "
    runs.submit("three", "--gate", "healed")
    assert before + runs.streamed("three") == WHOLE


def test_a_run_that_goes_on_from_a_saved_file(app: Path, runs: Runs, tmp_path: Path) -> None:
    first, saved = runs.start(app), tmp_path / "saved.json"
    assert cli("export", first, "--format", "dify", "-o", saved, "--store", runs.store).code == 0
    runs.submit(str(saved), "--app", app, "--run-id", "two")
    assert runs.streamed("two") == "Mid n. "
    healed = runs("heal", runs.pause("two"))
    assert (healed["shown"], healed["doubts"]) == ("First. Mid n. ", [])
    runs.submit("two", "--gate", "healed")
    assert "First. " + runs.streamed("two") == WHOLE
