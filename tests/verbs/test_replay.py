"""Recorded streams played again on the real engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.driver import cli
from tests.conftest import CACHE, REPOSITORY
from tests.core.captures.writing import sse
from tests.core.recording import play, scenarios
from workbench.core.captures import findings
from workbench.core.captures.played import explain
from workbench.core.captures.reading import runs_of
from workbench.core.findings import diagnose
from workbench.core.replay import Timeline
from workbench.errors import UsageError
from workbench.records.sse import read_capture
from workbench.verbs.context import Context
from workbench.verbs.replay import replay

KERNEL = "graphon-0.8"
CAPTURES = REPOSITORY / "fixtures" / "captures"
APP = REPOSITORY / "fixtures" / "examples" / "refund-approval" / "app.yml"
HARMED = [
    "shapes/t2-two-pauses",
    "shapes/t3-answer-before",
    "shapes/t4-assigned-variable",
    "shapes/t5-parallel-llm",
    "odd/answer-in-loop",
    "odd/default-value-silences",
    "odd/parallel-answers",
    "odd/retry-repeats",
    "odd/stream-closed-twice",
    "odd/variable-in-two-answers",
    "containers/parallel-forms",
]
pytestmark = [pytest.mark.kernel, pytest.mark.timeout(120)]


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(tmp_path / "store.duckdb", CACHE)


def timelines(fixture: str) -> list[Timeline]:
    """The last state of each scenario, played on the engine."""
    ends = [
        list(play(fixture, KERNEL, steps, every_gate=False))[-1] for _, steps in scenarios(fixture, KERNEL)
    ]
    return [Timeline(end.graph, end.journal) for end in ends]


@pytest.mark.parametrize("fixture", HARMED)
def test_the_stream_of_a_run_tells_what_the_run_itself_tells(fixture: str) -> None:
    for timeline in timelines(fixture):
        own = {(f.code, f.node_id) for f in diagnose(timeline.graph, timeline) if f.severity != "info"}
        (run,) = runs_of(read_capture(sse(timeline), "talk.txt").events)
        pool = {"conversation": timeline.journal.variables.get("conversation", {})}
        told = explain(timeline.graph, run, pool).findings
        assert {(f.code, f.node_id) for f in told if f.severity != "info"} == own
        assert own or not list(findings.of_run(run))


@pytest.mark.parametrize(
    ("name", "kernel", "gate"),
    [("refund-silent", "graphon-0.5", "fresh"), ("refund-healthy", KERNEL, "restored")],
)
def test_the_replay_of_our_recordings_is_the_same(ctx: Context, name: str, kernel: str, gate: str) -> None:
    result = replay(ctx, CAPTURES / f"{name}.txt", app=APP)
    assert result.partings == ()
    assert (result.result.kernel, result.gates) == (kernel, (gate,))


def test_models_that_break_off_and_retries_are_played_as_recorded(ctx: Context, tmp_path: Path) -> None:
    for fixture in ("odd/retry-repeats", "odd/default-value-silences"):
        (timeline,) = timelines(fixture)
        capture = tmp_path / "talk.txt"
        capture.write_text(sse(timeline))
        assert replay(ctx, capture, app=REPOSITORY / "fixtures" / fixture / "app.yml").partings == ()


def test_where_they_part_and_why(ctx: Context, tmp_path: Path) -> None:
    text = (CAPTURES / "refund-healthy.txt").read_text()
    capture = tmp_path / "talk.txt"
    capture.write_text(text.replace('"answer": "Your refund of "', '"answer": "Your money of "'))
    result = replay(ctx, capture, app=APP)
    assert [(parting.what, parting.segment) for parting in result.partings] == [("text", 1)]
    assert result.partings[0].message == (
        'From character 6 of the text in segment 2 the recording shows "money of 250 is approved. with our '
        'apologies", the replay "refund of 250 is approved. with our apologies".'
    )
    assert not result.equal


def test_what_can_not_be_played_again_is_refused(tmp_path: Path, ctx: Context) -> None:
    done = cli("replay", CAPTURES / "refund-silent.txt", "--store", tmp_path / "s.duckdb")
    assert done.code == 2
    assert "needs its app" in done.err
    with pytest.raises(UsageError, match="is no recorded stream"):
        replay(ctx, APP)
    text = (CAPTURES / "refund-silent.txt").read_text()
    half = tmp_path / "half.txt"
    half.write_text(text[text.index('data: {"event": "workflow_started"', text.index("workflow_paused")) :])
    with pytest.raises(UsageError, match="has no steps"):
        replay(ctx, half, app=APP)
