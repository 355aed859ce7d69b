"""Real exports, where they are at hand: four engines tell the same of each, and tell it twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tests.kernels.host.conftest import Hosts
from tests.kernels.host.driver import GENERATIONS, Outcome
from workbench.errors import WorkbenchError
from workbench.records.app import App, read_app

CORPUS = REPOSITORY.parent / "shared" / "corpus" / "dsl"
FILES = sorted(CORPUS.rglob("*.y*ml"))
pytestmark = [
    pytest.mark.kernel,
    pytest.mark.soak,
    pytest.mark.skipif(not FILES, reason="the corpus of exported apps is not here"),
]
TOLD = ("kind", "node", "edge", "container", "index", "text", "handle", "error")


def told(outcome: Outcome) -> list[str]:
    events = [event for event in outcome.events if event["kind"] != "NodeRunLoopNext"]
    return [
        json.dumps(outcome.chunks),
        json.dumps(outcome.messages[-1].get("outputs")),
        json.dumps({key: outcome.messages[-1].get(key) for key in ("msg", "status", "title")}),
        *(json.dumps({key: event.get(key) for key in TOLD}) for event in events),
    ]


def readable() -> list[tuple[Path, App]]:
    apps: list[Any] = []
    for path in FILES:
        try:
            apps.append((path, read_app(path.read_bytes(), path.name)))
        except WorkbenchError:
            continue
    return apps


@pytest.mark.timeout(3600)
def test_real_exports_are_told_alike(hosts: Hosts) -> None:
    different = []
    for path, app in readable():
        seen = {}
        for name in GENERATIONS:
            first, second = (told(hosts[name].run(app, limits={"max_seconds": 30})) for _ in range(2))
            if first != second:
                different.append(f"{path.name} varies on {name}")
            seen[name] = first
        if not any(node["data"].get("is_parallel") for node in app.graph["nodes"]):
            # Values may differ: what an iteration assigns reaches the root on 0.5 and 0.6 only.
            different += [
                f"{path.name} on {name}" for name in GENERATIONS if seen[name][2:] != seen["0.8"][2:]
            ]
    assert different == []
