"""A timeline that grows is the timeline of the whole journal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.tui import journals
from workbench.core.replay import CHECKPOINT, Timeline
from workbench.core.state import Journal
from workbench.views.journey import Journey


def long_run() -> tuple[Any, Journal]:
    """Two models that write in turns, over several checkpoints, with gate changes at both ends."""
    graph, timeline = journals.parallel()
    events = list(timeline.journal.events)
    at = next(i for i, e in enumerate(events) if e["kind"] == "NodeRunStreamChunk")
    chunks = [journals.chunk("slow", f"{n} ") for n in range(3 * CHECKPOINT)]
    return graph, replace(timeline.journal, events=(*events[:at], *chunks, *events[at:]))


@pytest.mark.parametrize(
    "made", [long_run, lambda: _of(journals.refund("fresh")), lambda: _of(journals.looped())]
)
@pytest.mark.parametrize("stride", [1, 7, 240])
def test_any_cut_gives_the_same_states_chunks_and_changes(made: Any, stride: int) -> None:
    graph, whole = made()
    stride = max(stride, len(whole.events) // 40)
    expected = Timeline(graph, whole)
    grown = Timeline(graph, _cut(whole, stride))
    walk = Journey(graph, grown, grown.journal.events)
    _ = walk.marks
    for steps in range(2 * stride, len(whole.events) + stride, stride):
        grown = grown.extended(_cut(whole, min(steps, len(whole.events))))
        walk = walk.followed(grown, grown.journal.events, grown.kept)
    assert grown.steps == expected.steps
    assert grown.gate_changes() == expected.gate_changes()
    assert grown.stream_deaths == expected.stream_deaths
    for step in range(0, expected.steps + 1, max(1, expected.steps // 50)):
        assert grown.at(step) == expected.at(step)
        assert grown.chunks_at(step) == expected.chunks_at(step)
    assert walk.marks == Journey(graph, expected, whole.events).marks


def test_only_the_steps_since_the_last_checkpoint_are_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, whole = long_run()
    timeline = Timeline(graph, _cut(whole, 2 * CHECKPOINT + 20))
    seen: list[int] = []
    advance = Timeline._advance
    monkeypatch.setattr(
        Timeline, "_advance", lambda self, m, step: (seen.append(step), advance(self, m, step))[1]
    )
    grown = timeline.extended(_cut(whole, 2 * CHECKPOINT + 30))
    assert grown.kept == 2 * CHECKPOINT
    assert min(seen) > 2 * CHECKPOINT


def test_another_beginning_is_replayed_anew() -> None:
    graph, whole = long_run()
    timeline = Timeline(graph, whole)
    assert timeline.extended(replace(whole, variables={"sys": {"query": "else"}})).kept == 0
    assert timeline.extended(_cut(whole, 3)).kept == 0


def _of(made: Any) -> tuple[Any, Journal]:
    graph, timeline = made
    return graph, timeline.journal


def _cut(journal: Journal, steps: int) -> Journal:
    kept = [s for s in journal.segments if s.first_step <= steps] or list(journal.segments[:1])
    return replace(journal, events=journal.events[:steps], segments=tuple(kept))
