"""One app on four engines: the same events in the same order, as far as graphon itself allows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kernels.host import apps
from tests.kernels.host.conftest import Hosts
from tests.kernels.host.driver import FIXTURES, GENERATIONS, Host, Outcome, fixture

pytestmark = pytest.mark.kernel
NAMES = sorted(str(path.parent.relative_to(FIXTURES)) for path in FIXTURES.glob("*/*/expected.yml"))
TOLD = (
    "kind",
    "node",
    "edge",
    "container",
    "index",
    "text",
    "final",
    "handle",
    "selector",
    "error",
    "outputs",
)


def brief(outcome: Outcome) -> list[Any]:
    """Without clocks, and without the one round more that 0.5 and 0.6 announce at the end of a loop."""
    told = []
    for event in outcome.events:
        if event["kind"] != "NodeRunLoopNext":
            kept = {key: event.get(key) for key in TOLD}
            outputs = dict(kept["outputs"] or {})
            outputs.pop("usage", None)
            told.append({**kept, "outputs": outputs})
    return [*told, outcome.chunks]


@pytest.mark.parametrize("name", NAMES)
def test_the_same_everywhere(hosts: Hosts, name: str) -> None:
    given = fixture(name)
    if name == "containers/iteration-parallel":
        pytest.skip("0.5 and 0.6 run the rounds of a parallel iteration in threads: one by one in lock-step")
    how = given.scenarios[0]["steps"][0]["run"]
    query, inputs = how.get("query", "Hello"), how.get("inputs", {})
    told = {
        generation: brief(host.run(given.app, query, script=given.script, given=inputs))
        for generation, host in ((name, hosts[name]) for name in GENERATIONS)
        if f"graphon-{generation}" in given.kernels
    }
    for generation, events in told.items():
        newest = told["0.8"]
        if name == "containers/iteration-continue" and generation in ("0.6", "0.5"):
            # A failure in a child engine is not the run's: it ends succeeded, not partial-succeeded.
            events, newest = [*events[:-2], events[-1]], [*newest[:-2], newest[-1]]
        if name.endswith("/stream-closed-twice"):
            # A root Answer names a node in a loop: only 0.8 keeps the loop's variables to itself.
            events, newest = (
                [event if isinstance(event, list) else {**event, "outputs": {}} for event in side]
                for side in (events, newest)
            )
        assert events == newest, generation


def diamonds(count: int) -> dict[str, Any]:
    """2 to the power of `count` paths lead to the Answer."""
    nodes: list[Any] = []
    edges = [apps.edge("start", "if0")]
    for i in range(count):
        case = {
            "case_id": "true",
            "logical_operator": "and",
            "conditions": [
                {"variable_selector": ["sys", "query"], "comparison_operator": "contains", "value": "h"}
            ],
        }
        nodes += [apps.node(f"if{i}", "if-else", cases=[case])]
        nodes += [apps.template(f"a{i}", "a"), apps.template(f"b{i}", "b")]
        after = f"if{i + 1}" if i + 1 < count else "answer"
        edges += [apps.edge(f"if{i}", f"a{i}", "true"), apps.edge(f"if{i}", f"b{i}", "false")]
        edges += [apps.edge(f"a{i}", after), apps.edge(f"b{i}", after)]
    return apps.app([*nodes, apps.answer("answer", "through")], edges)


def test_paths_that_explode_run_without_the_filter(hosts: Hosts) -> None:
    for host in map(hosts.get, GENERATIONS):
        outcome = host.run(diamonds(40), options={"filter": False})
        assert outcome.answer == "through"


def test_a_gate_that_takes_forever_can_be_aborted(generation: str) -> None:
    with Host(generation) as host:
        host.begin(diamonds(40))
        host.send(cmd="abort", reason="too long")
        outcome = host.until()
        assert (outcome.status, outcome.end["error"]) == ("stopped", "too long")
        assert host.ended()


def test_a_gate_that_takes_forever_hits_the_limit_of_seconds() -> None:
    with Host("0.8") as host:
        outcome = host.run(diamonds(40), limits={"max_seconds": 0.2})
        assert outcome.status == "failed"
        assert "max_seconds" in outcome.end["error"]
