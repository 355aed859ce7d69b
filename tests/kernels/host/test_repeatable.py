"""Lock-step makes a run repeatable: the same events, chunks and pauses every time, ids and times aside."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kernels.host.driver import Host, Outcome, fixture

pytestmark = pytest.mark.kernel
TIMES = 20
RACY = [
    "odd/reassigned-variable",
    "odd/parallel-answers",
    "containers/iteration-parallel",
    "containers/parallel-forms",
    "containers/loop",
    "shapes/t5-parallel-llm",
]


def shape(outcome: Outcome) -> str:
    """What must be the same: everything but execution ids, clocks and what is counted in seconds."""
    told = []
    for message in outcome.messages:
        if message["msg"] == "event":
            told.append(_without(message["event"]))
        elif message["msg"] in ("stream", "graph", "pool", "note"):
            told.append(message)
        elif message["msg"] == "end":
            told.append({**message, "pause": message["pause"] and message["pause"]["reasons"]})
    return json.dumps(told, sort_keys=True)


def _without(event: Any) -> Any:
    if isinstance(event, dict):
        dropped = ("xid", "elapsed", "latency", "metadata", "usage", "process_data")
        return {key: _without(value) for key, value in event.items() if key not in dropped}
    return [_without(item) for item in event] if isinstance(event, list) else event


@pytest.mark.parametrize("name", RACY)
def test_twenty_runs_are_one(host: Host, name: str) -> None:
    given = fixture(name)
    query = given.scenarios[0]["steps"][0]["run"].get("query", "Hello")
    shapes = {shape(host.run(given.app, query, script=given.script)) for _ in range(TIMES)}
    assert len(shapes) == 1


def test_twenty_resumes_are_one(host: Host) -> None:
    """Two forms answered at once: graphon 0.5 and 0.6 keep what waits in a set, whose order changes."""
    given = fixture("containers/parallel-forms")
    shapes = set()
    for _ in range(TIMES):
        pause = host.run(given.app).pause
        forms = {name: {"action": "approve", "fields": {"note": name}} for name in ("left", "right")}
        shapes.add(shape(host.resume(given.app, pause, forms=forms)))
    assert len(shapes) == 1


def test_resumes_in_other_processes_are_the_same(generation: str) -> None:
    """A set's order depends on the process's hash seed, too."""
    given = fixture("containers/parallel-forms")
    forms = {name: {"action": "approve", "fields": {"note": name}} for name in ("left", "right")}
    shapes = set()
    for _ in range(4):
        with Host(generation) as host:
            pause = host.run(given.app).pause
            shapes.add(shape(host.resume(given.app, pause, forms=forms)))
    assert len(shapes) == 1
