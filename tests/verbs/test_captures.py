"""Recorded streams as files: imported, explained with and without their app, shown; and the public ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.driver import cli
from tests.conftest import CACHE, REPOSITORY
from workbench.errors import UsageError
from workbench.verbs.captures import find_capture, open_capture, why_capture
from workbench.verbs.context import Context
from workbench.verbs.importing import import_file
from workbench.verbs.show import show
from workbench.verbs.why import why

SILENT = REPOSITORY / "fixtures" / "captures" / "refund-silent.txt"
HEALTHY = REPOSITORY / "fixtures" / "captures" / "refund-healthy.txt"
APP = REPOSITORY / "fixtures" / "examples" / "refund-approval" / "app.yml"
EDGE = "large-true-approval-target"
CORPUS = REPOSITORY.parent / "shared" / "corpus" / "sse"


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "store.duckdb", CACHE)


def test_the_edge_is_named_with_the_app_and_the_app_is_found_when_imported(ctx: Context) -> None:
    alone = why(ctx, SILENT)
    assert [finding.code for finding in alone.findings] == ["answer-locked-before-pause"]
    assert alone.partial
    import_file(ctx, APP)
    import_file(ctx, SILENT)
    found = why(ctx, SILENT)
    assert found.findings[0].edges == (EDGE,)
    assert any("was taken" in note for note in found.notes)
    assert [(a.node_id, a.blocking) for a in found.answers if a.node_id == "answer"] == [("answer", (EDGE,))]


def test_a_healthy_recording_has_nothing_to_tell(ctx: Context) -> None:
    assert not why(ctx, HEALTHY, app=APP).troubled
    assert why(ctx, HEALTHY).findings == ()


def test_a_step_of_the_inferred_journal(ctx: Context) -> None:
    shown = show(ctx, SILENT, 9, app=APP)
    assert shown.state.edges[EDGE] == "taken"
    assert shown.state.status["approval"] == "paused"
    with pytest.raises(UsageError, match="needs its app"):
        show(ctx, SILENT, 9)


def test_another_app_is_refused(ctx: Context) -> None:
    with pytest.raises(UsageError, match="is not of the app"):
        why(ctx, SILENT, app=REPOSITORY / "fixtures" / "nodes" / "llm" / "app.yml")


def test_on_the_command_line(tmp_path: Path) -> None:
    store = ["--store", str(tmp_path / "s.duckdb")]
    told = cli("why", SILENT, "--app", APP, "--json", *store)
    assert told.code == 4
    assert told.json["findings"][0]["edges"] == [EDGE]
    shown = cli("show", SILENT, "--app", APP, "--json", *store)
    (run,) = shown.json["runs"]
    assert run["edges"][EDGE] == "taken"
    assert run["gates"] == ["fresh"]
    assert [node["node_id"] for node in run["nodes"]] == ["start", "large", "approval", "answer"]
    assert "secret" not in shown.out
    assert "taken    Above 100? (true)" in cli("show", SILENT, "--app", APP, *store).out


@pytest.mark.skipif(not CORPUS.exists(), reason="the public corpus is not on this machine")
def test_every_public_recording_is_read_and_none_is_accused(ctx: Context) -> None:
    """None of them holds a whole run that went wrong."""
    for path in sorted(CORPUS.iterdir()):
        found = find_capture(ctx, path)
        assert found is not None, path
        opened = open_capture(ctx, found)
        assert opened.runs, path
        assert any(r.nodes or r.pieces or r.forms or r.pauses for r in opened.runs) or opened.notes, path
        assert why_capture(ctx, found).findings == (), path
