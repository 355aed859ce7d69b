"""A gate state that the engine of the resume would not load is an error; heal writes one that it loads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from workbench.core.findings import CODES, explain, unreadable_gate
from workbench.core.findings.unreadable import UNREADABLE
from workbench.verbs.context import Context
from workbench.verbs.heal import heal
from workbench.verbs.why import why

FIELD = "serialized_response_stream_filter_state"
APP = REPOSITORY / "fixtures/shapes/t1-if-else/app.yml"


def changed(folder: Path, **changes: Any) -> Path:
    context = json.loads((REPOSITORY / "fixtures/states/D/t1-if-else.json").read_text())
    context[FIELD] = json.dumps(json.loads(context[FIELD]) | changes)
    path = folder / "saved.json"
    path.write_text(json.dumps(context))
    return path


def ctx(folder: Path) -> Context:
    return Context(folder / "store.duckdb", folder)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"version": "9.9"}, "graphon-0.7 loads no gate of version '9.9'"),
        ({"version": "2.0"}, "graphon-0.7 loads no gate of version '2.0'"),
        ({"type": "ResponseStreamCoordinator"}, "The gate is a 'ResponseStreamCoordinator'"),
        ({"waiting_sessions": 7}, "gate.waiting_sessions is a number"),
        ({"paths_map": None}, "The gate lists no paths"),
    ],
)
def test_why_tells_it_and_heal_mends_it(tmp_path: Path, changes: dict[str, Any], told: str) -> None:
    path = changed(tmp_path, **changes)
    for app in (APP, None):
        first = why(ctx(tmp_path), path, app=app).findings[0]
        assert (first.code, first.severity) == (UNREADABLE, "error")
        assert told in first.message
    assert UNREADABLE not in {each.code for each in why(ctx(tmp_path), path, app=APP, dify="1.15").findings}
    healed = heal(ctx(tmp_path), path, app=APP)
    assert healed.how == "rebuilt"
    assert told in healed.evidence[0]
    mended = tmp_path / "healed.json"
    mended.write_text(healed.text)
    assert UNREADABLE not in {each.code for each in why(ctx(tmp_path), mended, app=APP).findings}


def test_the_engine_of_the_dify_that_resumes_it_counts(tmp_path: Path) -> None:
    path = changed(tmp_path, version="2.0")
    for dify, refused in (("1.16", True), ("1.17", True), ("main", False)):
        codes = {each.code for each in why(ctx(tmp_path), path, app=APP, dify=dify).findings}
        assert (UNREADABLE in codes) is refused


@pytest.mark.parametrize("path", sorted((REPOSITORY / "fixtures/states").glob("?/*.json")), ids=str)
def test_what_dify_wrote_is_readable(path: Path) -> None:
    kernel = {"C": "graphon-0.6", "D": "graphon-0.7", "E": "graphon-0.8"}.get(path.parent.name)
    gate = json.loads(path.read_text()).get(FIELD)
    if kernel is not None and isinstance(gate, str):
        assert list(unreadable_gate(json.loads(gate), kernel)) == []


def test_it_has_a_page() -> None:
    assert UNREADABLE in CODES
    assert "heal" in explain(UNREADABLE)
