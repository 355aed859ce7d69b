"""Real exported apps, run with default scripts: the replay says what the real filter said, at each step."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.core.recording import Played, client_of, collect, resume, start
from tests.core.test_replay_against_engine import KERNELS, compare, compare_pauses, follow
from workbench.core.findings import diagnose
from workbench.core.graph_of import graph_of
from workbench.core.paths import search_cost
from workbench.core.replay import Segment, Timeline
from workbench.errors import WorkbenchError
from workbench.records.app import App, read_app

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "dsl"
PAUSES = 3
pytestmark = [pytest.mark.kernel, pytest.mark.soak, pytest.mark.timeout(3600)]


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of exported apps is not on this machine")
@pytest.mark.parametrize("kernel", KERNELS)
def test_every_app_of_the_corpus(kernel: str) -> None:
    played = 0
    for path in sorted(file for file in CORPUS.rglob("*") if file.is_file()):
        try:
            app = read_app(path.read_bytes(), path.name)
        except WorkbenchError:
            continue
        run = play_app(app, kernel)
        if run is None:
            continue
        played += 1
        compare(run)
        follow(run)
        compare_pauses(run)
        diagnose(run.graph, Timeline(run.graph, run.journal))
    assert played > 200


def play_app(app: App, kernel: str) -> Played | None:
    """Run to the end, approving forms by their first action; None when the engine refuses the app."""
    graph = graph_of(app.graph, app.root)
    assert search_cost(graph).calls < 100_000
    options = {"gate_every_event": True}
    order = {"run_id": "run-1", "app": app.payload(), "script": {}, "options": options}
    played = Played(app, kernel, graph, segments=[Segment(1)])
    client = client_of(kernel)
    command = order | start(app, {})
    for _ in range(PAUSES + 1):
        client.send(json.loads(json.dumps(command, default=dict)))
        if not collect(client, played):
            return None
        actions = played.end["pause"]["reasons"][0].get("actions") if played.end["pause"] else None
        if not actions:
            break
        command, segment = resume(order, {"action": actions[0]["id"], "gate": "restored"}, played)
        played.segments.append(segment)
    return played
