"""Every tour, from its first step to its last, on the real engine: a text that went stale fails here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import CACHE
from workbench.verbs.context import Context
from workbench.verbs.tour import Progress, Tour, play_step, tours
from workbench.verbs.why import why

ALL = tours()


@pytest.mark.kernel
@pytest.mark.parametrize("tour", ALL, ids=[tour.name for tour in ALL])
def test_what_the_tour_says_is_so(tour: Tour, tmp_path: Path) -> None:
    ctx = Context(tmp_path / "store.duckdb", CACHE)
    progress = Progress()
    checked = 0
    for number, step in enumerate(tour.steps):
        progress = play_step(ctx, tour, number, progress)
        if step.expect is None:
            continue
        checked += 1
        found = {"status": progress.status, "streamed": progress.streamed}
        found["problems"] = sorted(  # type: ignore[assignment]
            {f.code for f in why(ctx, progress.run_id or "").findings if f.severity != "info"}
        )
        assert {key: found[key] for key in step.expect} == dict(step.expect), step.title
        for problem in step.expect.get("problems", ()):
            assert problem not in step.say or problem in found["problems"]
    assert checked


def test_every_tour_asks_before_it_answers_and_names_panels_that_there_are() -> None:
    assert len(ALL) >= 6
    assert len({tour.name for tour in ALL}) == len(ALL)
    for tour in ALL:
        assert tour.app.is_file()
        assert tour.steps[0].run is not None
        for step in tour.steps:
            assert bool(step.ask) == bool(step.answer), (tour.name, step.title)
