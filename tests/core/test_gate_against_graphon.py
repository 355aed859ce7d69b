"""The gate in plain Python against the real ResponseStreamFilter of every engine kernel, on random graphs
and events.

After each event the chunks and the whole saved state must be equal, text for text. The only allowed
difference are the execution ids that the filter invents (random in graphon) for nodes that stream before
they have started.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from tests.core.gate_cases import cases
from tests.core.real_filter_client import RealFilter, as_case
from workbench.core.blocking import scope_of
from workbench.core.gate import Gate, StreamClosedError
from workbench.core.graph import Graph
from workbench.core.pool import Pool

KERNELS = ["graphon-0.8", "graphon-0.7", "graphon-0.6", "graphon-0.5"]
QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]
pytestmark = [pytest.mark.kernel, pytest.mark.timeout(900)]


@pytest.fixture(scope="module", params=KERNELS)
def real(request: pytest.FixtureRequest) -> Iterator[RealFilter]:
    filter_ = RealFilter(request.param)
    yield filter_
    filter_.close()


@pytest.fixture(scope="module")
def newest() -> Iterator[RealFilter]:
    filter_ = RealFilter("graphon-0.8")
    yield filter_
    filter_.close()


FEW = settings(max_examples=100, deadline=None, suppress_health_check=QUIET)
MANY = settings(max_examples=5000, deadline=None, suppress_health_check=QUIET)


@FEW
@given(case=cases())
def test_same_chunks_and_same_state_after_every_event(real: RealFilter, case: Any) -> None:
    compare(real, *case)


@FEW
@given(case=cases(), place=st.floats(0, 1), full=st.booleans())
def test_the_real_filter_goes_on_from_our_saved_state(
    real: RealFilter, case: Any, place: float, full: bool
) -> None:
    compare_from_our_state(real, case, place, full)


@FEW
@given(case=cases(), place=st.floats(0, 1))
def test_a_state_of_an_old_filter_is_migrated_as_graphon_does(
    newest: RealFilter, case: Any, place: float
) -> None:
    compare_migrated(newest, case, place)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@MANY
@given(case=cases())
def test_same_for_thousands_of_graphs(real: RealFilter, case: Any) -> None:
    compare(real, *case)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@MANY
@given(case=cases(), place=st.floats(0, 1), full=st.booleans())
def test_our_saved_state_for_thousands_of_graphs(
    real: RealFilter, case: Any, place: float, full: bool
) -> None:
    compare_from_our_state(real, case, place, full)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@MANY
@given(case=cases(), place=st.floats(0, 1))
def test_migrated_states_for_thousands_of_graphs(newest: RealFilter, case: Any, place: float) -> None:
    compare_migrated(newest, case, place)


def compare(real: RealFilter, graph: Graph, operations: list[dict[str, Any]], pass_unmatched: bool) -> None:
    subject = Subject(graph, real.whole, pass_unmatched)
    results = real.run(as_case(graph, operations, pass_unmatched=pass_unmatched))
    for number, (operation, result) in enumerate(zip(operations, results, strict=True)):
        note(f"{number}: {operation}")
        for gate, ours in subject.do(operation):
            assert ours["error"] == result["error"]
            assert ours["out"] == result["out"]
            assert ours["reasoning"] == result["reasoning"]
            assert text_of(gate) == without_invented(result["state"], gate)


def compare_from_our_state(real: RealFilter, case: Any, place: float, full: bool) -> None:
    """Somewhere in the case the real filter is made anew from a state that our gate has saved."""
    graph, operations, pass_unmatched = case
    here = int(place * len(operations))
    ahead = Subject(graph, real.whole, pass_unmatched)
    for operation in operations[:here]:
        ahead.do(operation)
    dump = ahead.gates[0].dump(full_events=full)
    load = {"do": "load_text", "state": json.dumps(dump), "ours": dump}
    compare(real, graph, [*operations[:here], load, *operations[here:]], pass_unmatched)


def compare_migrated(newest: RealFilter, case: Any, place: float) -> None:
    """graphon 0.8 reads a 1.0 state, which knew the whole graph and positional edge ids."""
    graph, operations, pass_unmatched = case
    here = int(place * len(operations))
    old = Subject(graph, True, pass_unmatched)
    for operation in operations[:here]:
        old.do(operation)
    dump = old.gates[0].dump(full_events=True)
    positions = {edge: f"edge_{number}" for number, edge in enumerate(graph.edges)}
    paths = {r: [[positions[e] for e in path] for path in listed] for r, listed in dump["paths_map"].items()}
    load = {"do": "load_text", "state": json.dumps({**dump, "paths_map": paths}), "ours": dump}
    state = [operation for operation in operations[:here] if operation["do"] in ("set", "forget", "skip")]
    rest = [operation for operation in operations[here:] if operation["do"] not in ("save", "load")]
    compare(newest, graph, [*state, load, *rest], pass_unmatched)


class Subject:
    """Our gate under test: by reachability as long as no saved state was loaded, and by lists after that."""

    def __init__(self, graph: Graph, whole: bool, pass_unmatched: bool) -> None:
        self.scope = scope_of(graph, whole=whole)
        self.pool, self.skipped = Pool(), set[str]()
        self.pass_unmatched = pass_unmatched
        self.gates = [self.gate()]
        self.saved: list[tuple[dict[str, Any], list[Gate]]] = []

    def gate(self, dump: dict[str, Any] | None = None) -> Gate:
        return Gate(
            self.scope, self.pool, skipped=self.skipped, dump=dump, pass_unmatched=self.pass_unmatched
        )

    def do(self, operation: dict[str, Any]) -> list[tuple[Gate, dict[str, Any]]]:
        do = operation["do"]
        if do == "set":
            self.pool.set(*operation["selector"], operation["value"])
        elif do == "forget":
            self.pool.forget(operation["node"])
        elif do == "skip":
            self.skipped.add(operation["node"])
        elif do == "save":
            copies = [gate.clone(self.pool, self.skipped) for gate in self.gates]
            self.saved.append((self.gates[0].dump(full_events=True), copies))
        elif do == "load":
            dump, copies = self.saved[operation["which"]]
            loaded = self.gate(json.loads(json.dumps(dump)))
            loaded.invented = set(copies[0].invented)
            self.gates = [loaded, *(gate.clone(self.pool, self.skipped) for gate in copies)]
        elif do == "load_text":
            invented = self.gates[0].invented
            self.gates = [self.gate(json.loads(json.dumps(operation["ours"])))]
            self.gates[0].invented = set(invented)
        elif do == "fresh":
            self.gates = [self.gate()]
        return [(gate, self.step(gate, operation)) for gate in self.gates]

    def step(self, gate: Gate, operation: dict[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = {"out": [], "reasoning": False, "error": None}
        if operation["do"] == "flush":
            result["out"] = [[c.node, list(c.selector), c.text, c.final] for c in gate.flush()]
        elif operation["do"] == "event":
            event = operation["event"]
            try:
                result["out"] = [[c.node, list(c.selector), c.text, c.final] for c in gate.feed(event)]
            except StreamClosedError:
                result["error"] = "ValueError"
            if event["kind"] == "NodeRunReasoningChunk":
                result["reasoning"] = gate.reasoning_visible(event)
        return result


def text_of(gate: Gate) -> str:
    return without_invented(json.dumps(gate.dump(full_events=True)), gate)


def without_invented(text: str, gate: Gate) -> str:
    dump = json.loads(text)
    for node in gate.invented & dump["node_execution_ids"].keys():
        dump["node_execution_ids"][node] = "invented"
    return json.dumps(dump)
