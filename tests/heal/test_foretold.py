"""What `check --dify 1.15` plays through is what graphon 0.5 does with a fresh gate, to the letter."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.conftest import CACHE, REPOSITORY
from tests.heal.playing import MOST_PAUSES, command
from tests.heal.random_apps import random_app
from workbench.core.blocking import scope_of
from workbench.core.findings.foretelling import Remedy, changed, harms, remedy_for
from workbench.core.findings.foretelling.remedy import edge_id_of
from workbench.core.findings.foretelling.walk import Walk, Walker
from workbench.core.graph_of import graph_of
from workbench.engine.client import Client
from workbench.engine.kernels import ensure
from workbench.records.app import App, read_app
from workbench.records.inputs import fill_inputs, system_variables
from workbench.records.script import read_script

pytestmark = pytest.mark.kernel
KERNEL = "graphon-0.5"
SEEDS = 100
MANY = 1000


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Client(ensure(KERNEL, CACHE, lambda _: None)) as made:
        yield made


class Played:
    """A run on the real engine: every form approved, and each pause also resumed once with a fresh gate."""

    def __init__(self, client: Client, app: App, script: Mapping[str, Any]) -> None:
        self.client = client
        self.order = {"run_id": "run-1", "app": app.payload(), "script": script, "options": {}}
        system = system_variables(app, query="hi", run_id="run-1")
        start = {**self.order, "cmd": "run", "inputs": fill_inputs(app, {}), "system": system}
        text, end = command(client, start)
        self.kept, self.fresh, self.forms = text, [], []
        self.before: list[str] = []
        while (pause := end["pause"]) is not None and len(self.forms) < MOST_PAUSES:
            self.forms.append(pause["reasons"][0]["node_id"])
            self.before.append(self.kept)
            self.fresh.append(self._to_the_end(pause, "fresh"))
            text, end = self._resume(pause, "restored")
            self.kept += text

    def _resume(self, pause: Mapping[str, Any], gate: str) -> tuple[str, dict[str, Any]]:
        node = pause["reasons"][0]["node_id"]
        form = {node: {"action": "approve", "fields": {"note": f"note of {node}"}}}
        resume = {**self.order, "cmd": "resume", "state": pause["state"], "forms": form}
        kept = pause["gate"] if gate == "restored" else None
        return command(self.client, {**resume, "gate": {"mode": gate, "state": kept}})

    def _to_the_end(self, pause: Mapping[str, Any], gate: str) -> str:
        text, end = self._resume(pause, gate)
        for _ in range(MOST_PAUSES):
            if end["pause"] is None:
                break
            more, end = self._resume(end["pause"], "restored")
            text += more
        return text


def same_way(app: App) -> Walk:
    graph = graph_of(app.graph, app.root)
    scope = scope_of(graph)

    def decide(node: str, options: tuple[str, ...]) -> str:
        if not node:
            return options[0]
        wanted = "approve" if graph.nodes[node].type == "human-input" else "true"
        return wanted if wanted in options else ""

    return Walker(graph, scope).walk(decide)


def real(text: str) -> str:
    """The values that the random apps give, for those of a walk."""
    text = re.sub(r"<conversation\.c by (\w+)>", r"NEW-\1", text).replace("<conversation.c>", "OLD")
    text = re.sub(r"<(l\d+)\.text>", r"\1a \1b ", text)
    text = re.sub(r"<(t\d+)\.output>", r"<\1>", text)
    return re.sub(r"<(h\d+)\.note>", r"note of \1", text)


def told_and_done(client: Client, seed: int) -> tuple[list[str], list[str], str]:
    data, script = random_app(seed)
    app = read_app(data, f"random {seed}")
    played, walk = Played(client, app, script), same_way(app)
    told = [real("".join(walk.stream)), *(real("".join(pause.stream)) for pause in walk.pauses)]
    assert [pause.answered for pause in walk.pauses] == played.forms, seed
    return told, [played.kept, *played.fresh], f"seed {seed}"


def test_walks_stream_what_the_engine_streams(client: Client) -> None:
    for seed in range(SEEDS):
        told, done, where = told_and_done(client, seed)
        assert told == done, where


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_many_walks_stream_what_the_engine_streams(client: Client) -> None:
    for seed in range(SEEDS, MANY):
        told, done, where = told_and_done(client, seed)
        assert told == done, where


def fixed(app: App, remedy: Remedy) -> App:
    """The app with the advised change made in its DSL."""
    graph = {"nodes": list(app.graph["nodes"]), "edges": list(app.graph["edges"])}
    graph["edges"] = [edge for edge in graph["edges"] if edge["id"] not in remedy.removed]
    for node in remedy.nodes:
        data = {"type": node.type, "title": node.title, "desc": "", **node.data}
        graph["nodes"].append({"id": node.id, "type": "custom", "data": data})
    for edge in remedy.edges:
        ends = {"source": edge.source, "sourceHandle": edge.handle, "target": edge.target}
        graph["edges"].append({"id": edge_id_of(edge), "type": "custom", "targetHandle": "target", **ends})
    workflow = {
        "graph": graph,
        "environment_variables": list(app.environment_variables),
        "conversation_variables": list(app.conversation_variables),
        "features": {},
    }
    document = {"kind": "app", "version": "0.6.0", "app": {"name": app.name, "mode": app.mode}}
    return read_app(json.dumps({**document, "workflow": workflow}).encode(), app.name)


def check_remedies(client: Client, app: App, script: Mapping[str, Any]) -> int:
    """Each advised change keeps what the run streams, and takes the harm of its form away."""
    graph = graph_of(app.graph, app.root)
    scope = scope_of(graph)
    before = Played(client, app, script)
    proved = 0
    for form, harm in harms(graph, scope).items():
        remedy = remedy_for(graph, scope, harm) if harm else None
        if remedy is None:
            continue
        after = Played(client, fixed(app, remedy), script)
        assert changed(graph, remedy).nodes.keys() >= graph.nodes.keys()
        assert after.kept == before.kept, (app.name, form, remedy.words)
        assert after.forms == before.forms, (app.name, form)
        for place, answered in enumerate(after.forms):
            if answered == form:
                assert after.before[place] + after.fresh[place] == after.kept, (app.name, form, remedy.words)
                proved += 1
    return proved


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("shapes/t1-if-else", 1),
        ("shapes/t2-two-pauses", 1),
        ("shapes/t3-answer-before", 1),
        ("shapes/t4-assigned-variable", 1),
        ("examples/refund-approval", 1),
    ],
)
def test_advised_changes_help_the_fixtures(client: Client, name: str, forms: int) -> None:
    folder = REPOSITORY / "fixtures" / name
    app = read_app((folder / "app.yml").read_bytes(), name)
    written = folder / "script.yml"
    script = read_script(written.read_bytes(), app, name) if written.exists() else {}
    assert check_remedies(client, app, script) == forms


def test_advised_changes_help_on_the_real_engine(client: Client) -> None:
    proved = 0
    for seed in range(SEEDS // 2):
        data, script = random_app(seed)
        proved += check_remedies(client, read_app(data, f"random {seed}"), script)
    assert proved > 10
