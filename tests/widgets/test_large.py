"""100 nodes and 10,000 events: quick, and bounded on the wire whatever the run's length."""

from __future__ import annotations

import json
from typing import Any

from tests.widgets.large import EVENTS, NODES, large_run, measure
from tests.widgets.page import new_page
from workbench import widgets

# Limits of a busy machine; what is promised is measured by `make bench ONLY=widgets`.
DRAW, STEP = 4.0, 0.4


def test_a_step_is_bounded_on_the_wire() -> None:
    run = large_run()
    assert (len(run.loaded.graph.nodes), run.loaded.timeline.steps) == (NODES, EVENTS)
    player = widgets.player(run)
    sizes = [
        len(json.dumps(player.answer({"ask": "frames", "steps": [step]}))) for step in range(0, EVENTS, 997)
    ]
    assert max(sizes) < 8_000
    assert len(json.dumps(player.get_state(["_kinds", "_picture", "_first", "_pauses"]))) < 120_000


def test_a_step_is_quick(chrome: Any) -> None:
    with new_page(chrome) as page:
        found = measure(page, 20)
    assert found.first_draw < DRAW
    assert found.step < STEP
