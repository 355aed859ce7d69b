"""Every code has a page, is raised by a fixture or a small app here, and says what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import REPOSITORY
from tests.core.captures.samples import SIGNS, STARTED_TWICE
from tests.core.little_engine import START, graph, node
from workbench.core.captures import signs
from workbench.core.captures.reading import runs_of
from workbench.core.finding import Finding
from workbench.core.findings import CODES, check, diagnose_bare, diagnose_saved, explain, unreadable_gate
from workbench.core.graph import Graph
from workbench.core.graph_of import graph_of
from workbench.records.app import read_app
from workbench.records.eras import origin_of
from workbench.records.gate_state import edge_names, translate_edges
from workbench.records.resumption_context import read_resumption_context
from workbench.records.sse import read_capture
from workbench.verbs.history import base_of

FIXTURES = sorted(REPOSITORY.glob("fixtures/*/*/app.yml"))
STATES = sorted((REPOSITORY / "fixtures" / "states").glob("[A-E]/*.json"))
ACTS = ("What to do.", "That is how it should be", "Nothing is wrong")


def opened(path: Path) -> Graph:
    app = read_app(path.read_bytes(), path.parent.name)
    return graph_of(app.graph, app.root)


def of_states() -> Iterator[tuple[Finding, Graph]]:
    """Every saved pause with every app: its own, and those that it does not fit."""
    for path in STATES:
        context = read_resumption_context(path.read_text(), path.name)
        for app in (
            *REPOSITORY.glob("fixtures/shapes/*/app.yml"),
            *REPOSITORY.glob("fixtures/containers/*/app.yml"),
        ):
            whole = graph_of((read := read_app(app.read_bytes())).graph, read.root)
            names = (
                edge_names(list(read.graph["edges"])) if context.runtime_state.has_positional_edges else {}
            )
            gate = None if context.gate is None else translate_edges(context.gate.data, names)
            for dify in (origin_of(context.runtime_state).saver.dify, "1.15.0", None):
                found, _ = diagnose_saved(whole, base_of(context.runtime_state, names), gate, dify)
                yield from ((each, whole) for each in found)
        yield from ((each, Graph({}, {}, "")) for each in diagnose_bare(None, "1.15")[0])


def of_apps() -> Iterator[tuple[Finding, Graph]]:
    for path in FIXTURES:
        whole = opened(path)
        for dify in (None, "1.15.0", "main"):
            yield from ((each, whole) for each in check(whole, dify)[0])
    from tests.bench.bench_core import diamonds

    for app in (diamonds(13), graph([START, node("answer", "response", text="x")])):
        yield from ((each, app) for each in check(app)[0])
    yield from ((each, Graph({}, {}, "")) for each in unreadable_gate({"version": "9.9"}, "graphon-0.7"))


def of_captures() -> Iterator[tuple[Finding, Graph]]:
    for text in (*(text for text, _ in SIGNS), STARTED_TWICE):
        runs = runs_of(read_capture(text, "talk.txt").events)
        for finding in (*signs.of_runs(runs), *(each for run in runs for each in signs.of_run(run))):
            yield finding, Graph({}, {}, "")


def told_by_fixtures() -> set[str]:
    """What the fixtures' expectations name: each is asserted on the engine kernels that it runs on."""
    found: set[str] = set()
    todo: list[Any] = [
        yaml.safe_load(path.read_text()) for path in REPOSITORY.glob("fixtures/*/*/expected.yml")
    ]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            found.update(value.get("problems") or ())
            todo += value.values()
        elif isinstance(value, list):
            todo += value
    return found


@pytest.fixture(scope="module")
def everything() -> list[tuple[Finding, Graph]]:
    return [*of_apps(), *of_states(), *of_captures()]


def test_every_code_is_raised_somewhere(everything: list[tuple[Finding, Graph]]) -> None:
    raised = {finding.code for finding, _ in everything} | told_by_fixtures()
    assert raised == set(CODES)


def test_every_finding_can_be_read_and_acted_on(everything: list[tuple[Finding, Graph]]) -> None:
    for finding, app in everything:
        where = f"{finding.code}: {finding.message}"
        assert finding.message.endswith((".", '."')), where
        assert not finding.message[0].islower(), where
        assert len(finding.message) < 900, where
        assert bool(finding.advice) or finding.severity == "info", where
        assert not finding.advice or finding.advice.endswith("."), finding.advice
        assert finding.node_id is None or not app.nodes or finding.node_id in app.nodes, where
        assert "None" not in finding.message.split(), where


@pytest.mark.parametrize("code", CODES)
def test_the_page_says_what_to_do(code: str) -> None:
    assert any(word in explain(code) for word in ACTS)
