"""Saved states go up: every older snapshot resumes on every newer generation, with its gate or without.

Backwards they are refused. The shapes and their chunks are those of `fixtures/shapes`.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.kernels.host.conftest import Hosts
from tests.kernels.host.driver import FIXTURES, GENERATIONS, Host, Outcome, fixture

pytestmark = pytest.mark.kernel
SHAPES = sorted(path.name for path in (FIXTURES / "shapes").iterdir())
OLDEST_FIRST = tuple(reversed(GENERATIONS))
UP = [(old, new) for position, old in enumerate(OLDEST_FIRST) for new in OLDEST_FIRST[position + 1 :]]


def _resume(host: Host, given: Any, how: dict[str, Any], last: Outcome) -> Outcome:
    forms = {how["node"]: {"action": how["action"], "fields": how["fields"]}}
    return host.resume(given.app, last.pause, how["gate"], forms=forms, script=given.script)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("old", "new"), UP)
def test_up(hosts: Hosts, shape: str, old: str, new: str) -> None:
    """All steps but the last run on the old generation, the last resume on the new one."""
    given = fixture(f"shapes/{shape}")
    for scenario in given.scenarios:
        *before, final = scenario["steps"]
        last = hosts[old].run(given.app, script=given.script)
        for step in before[1:]:
            last = _resume(hosts[old], given, step["resume"], last)
        outcome = _resume(hosts[new], given, final["resume"], last)
        assert outcome.status == final["expect"]["status"], scenario["name"]
        assert outcome.answer == final["expect"]["answer"], scenario["name"]
        if "chunks" in final["expect"]:
            assert outcome.chunks == final["expect"]["chunks"], scenario["name"]


@pytest.mark.parametrize(("new", "old"), [(new, old) for old, new in UP])
def test_down_is_refused(hosts: Hosts, new: str, old: str) -> None:
    given = fixture("shapes/t1-if-else")
    pause = hosts[new].run(given.app).pause
    forms = {"hum": {"action": "approve", "fields": {"note": "x"}}}
    error = hosts[old].resume(given.app, pause, forms=forms).error
    assert error["title"] == f"graphon {old} can't load this saved state"
    assert error["next_step"]


@pytest.mark.parametrize("name", ["containers/loop-pause", "containers/iteration-pause"])
def test_a_pause_in_a_container_goes_up(hosts: Hosts, name: str) -> None:
    given = fixture(name)
    *before, final = given.scenarios[0]["steps"]
    last = hosts["0.7"].run(given.app, script=given.script)
    for step in before[1:]:
        last = _resume(hosts["0.7"], given, step["resume"], last)
    outcome = _resume(hosts["0.8"], given, final["resume"], last)
    assert outcome.answer == final["expect"]["answer"]


def test_edges_in_another_order_are_told_apart_by_the_newest(hosts: Hosts) -> None:
    """0.8 takes the DSL's ids, so the order in the file means nothing; older generations number the edges."""
    given = fixture("shapes/t1-if-else")
    payload = given.app.payload()
    turned = {**payload, "graph": {**payload["graph"], "edges": payload["graph"]["edges"][::-1]}}
    forms = {"hum": {"action": "approve", "fields": {"note": "x"}}}
    pause = hosts["0.8"].run(given.app).pause
    assert hosts["0.8"].resume(turned, pause, forms=forms).chunks == ["Hello ", "x", "!"]
    pause = hosts["0.7"].run(given.app).pause
    assert hosts["0.7"].resume(turned, pause, forms=forms).chunks != ["Hello ", "x", "!"]


def test_a_graph_that_changed_is_refused_by_the_newest(hosts: Hosts) -> None:
    given = fixture("shapes/t1-if-else")
    pause = hosts["0.8"].run(given.app).pause
    payload = given.app.payload()
    fewer = {**payload, "graph": {**payload["graph"], "edges": payload["graph"]["edges"][:-1]}}
    error = hosts["0.8"].resume(fewer, pause, forms={"hum": {"action": "approve"}}).error
    assert "does not fit the app" in error["title"]


@pytest.mark.parametrize(
    ("state", "words"),
    [("", "can't load"), ("{}", "can't load"), ("[]", "can't load"), ('{"version": "9.0"}', "can't load")],
)
def test_a_state_that_is_none_is_refused(hosts: Hosts, state: str, words: str) -> None:
    given = fixture("shapes/t1-if-else")
    for host in map(hosts.get, GENERATIONS):
        error = host.resume(given.app, {"state": state, "gate": None}, "fresh").error
        assert words in error["title"]
        assert error["cause"]


@pytest.mark.parametrize("gate", ["", '{"type": "Other", "version": "1.0"}', "[1]"])
def test_a_gate_that_is_none_is_refused(hosts: Hosts, gate: str) -> None:
    given = fixture("shapes/t1-if-else")
    for host in map(hosts.get, GENERATIONS):
        pause = host.run(given.app).pause
        error = host.resume(given.app, {**pause, "gate": gate}, forms={"hum": {"action": "approve"}}).error
        assert "can't load this gate" in error["title"]


def test_restoring_no_gate_is_refused(hosts: Hosts) -> None:
    given = fixture("shapes/t1-if-else")
    pause = hosts["0.8"].run(given.app).pause
    assert "no gate to restore" in hosts["0.8"].resume(given.app, {**pause, "gate": None}).error["title"]
