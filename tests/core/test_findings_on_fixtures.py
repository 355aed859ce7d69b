"""`why` on every fixture and engine kernel: after each step exactly the problems that expected.yml names."""

from __future__ import annotations

import pytest

from tests.core.recording import expectations, fixtures, play, scenarios
from workbench.core.findings import diagnose
from workbench.core.replay import Timeline

KERNELS = ["graphon-0.8", "graphon-0.7", "graphon-0.6", "graphon-0.5"]
ALL = fixtures("shapes", "odd", "containers", "nodes", "examples")
pytestmark = [pytest.mark.kernel, pytest.mark.timeout(600)]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("fixture", ALL)
def test_problems_are_the_expected_ones(fixture: str, kernel: str) -> None:
    if kernel not in expectations(fixture).get("kernels", [kernel]):
        pytest.skip(expectations(fixture)["kernels_reason"])
    for _, steps in scenarios(fixture, kernel):
        for step, played in zip(steps, play(fixture, kernel, steps, every_gate=False), strict=True):
            findings = diagnose(played.graph, Timeline(played.graph, played.journal))
            troubled = [finding for finding in findings if finding.severity != "info"]
            expected = step["expect"]
            if "problems" in expected:
                assert sorted({finding.code for finding in troubled}) == sorted(expected["problems"])
            if "lost_edges" in expected:
                lost = {edge for finding in troubled for edge in finding.edges}
                assert sorted(lost) == sorted(expected["lost_edges"])
