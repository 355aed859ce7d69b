"""What is told of a saved pause comes true: with a fresh gate exactly the named Answers suffer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.core.recording import Played, expectations, fixtures, play, scenarios
from workbench.core.finding import Finding
from workbench.core.findings import diagnose, diagnose_saved
from workbench.core.replay import Timeline

KERNELS = ["graphon-0.8", "graphon-0.7", "graphon-0.6", "graphon-0.5"]
HARM = ("answer-locked-before-pause", "answer-replayed")
PAUSING = [
    fixture
    for fixture in fixtures("shapes", "containers", "nodes", "examples")
    if any("resume" in step for scenario in expectations(fixture)["scenarios"] for step in scenario["steps"])
]
pytestmark = [pytest.mark.kernel, pytest.mark.timeout(600)]


def harm(findings: tuple[Finding, ...]) -> set[tuple[str, str | None, tuple[str, ...]]]:
    return {(f.code, f.node_id, f.edges) for f in findings if f.code in HARM}


def came_to(played: Played, response: str | None) -> bool:
    """Did the run come to the Answer after all, or may it still?"""
    return played.end["status"] == "paused" or any(
        event["kind"] == "NodeRunSucceeded" and event["node"] == response for event in played.events
    )


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("fixture", PAUSING)
def test_a_saved_pause_does_what_was_told(fixture: str, kernel: str) -> None:
    if kernel not in expectations(fixture).get("kernels", [kernel]):
        pytest.skip(expectations(fixture)["kernels_reason"])
    name, steps = list(scenarios(fixture, kernel))[-1]
    assert name
    for place, step in enumerate(steps):
        if "resume" not in step:
            continue
        fresh: dict[str, Any] = {**step, "resume": {**step["resume"], "gate": "fresh"}}
        played = list(play(fixture, kernel, [*steps[:place], fresh], every_gate=False))[-1]
        pause = place - 1
        base, gate = played.base(pause), played.saved_gate(pause)
        told, _ = diagnose_saved(played.graph, base, None)
        came = diagnose(played.graph, Timeline(played.graph, played.journal))
        assert {each for each in harm(told) if came_to(played, each[1])} == harm(came)
        healthy, _ = diagnose_saved(played.graph, base, gate)
        assert [finding for finding in healthy if finding.severity != "info"] == []
