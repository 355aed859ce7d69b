"""Why a run streamed what it streamed."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.core.finding import Finding
from workbench.core.findings import (
    branch,
    container,
    difference,
    explosion,
    lost_gate,
    queue,
    references,
    unreachable,
)
from workbench.core.findings.evidence import gather
from workbench.core.graph import Graph
from workbench.core.replay import Timeline

_ORDER = {"error": 0, "warning": 1, "info": 2}


def diagnose(graph: Graph, timeline: Timeline, mode: str | None = None) -> tuple[Finding, ...]:
    """All that is to be said about a run, the gravest first; `mode` is the app's."""
    evidence = gather(graph, timeline)
    lost = list(lost_gate.of_run(evidence))
    explained = {finding.node_id for finding in lost if finding.node_id is not None}
    declared = {
        space: names
        for space, names in timeline.journal.variables.items()
        if space in ("env", "conversation")
    }
    return by_severity(
        [
            *lost,
            *container.of_run(evidence),
            *queue.of_run(evidence),
            *difference.of_run(evidence, explained),
            *references.of_app(
                graph, {"env": (), "conversation": (), **declared} if timeline.journal.variables else {}
            ),
            *branch.of_gate(graph, evidence.gate, evidence.state.edges, evidence.taken_at),
            *unreachable.of_app(graph, mode, ran=evidence.executions),
            *explosion.of_app(graph, in_run=True),
        ]
    )


def by_severity(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Errors first, then warnings, then information; otherwise in the order they were found."""
    return tuple(sorted(findings, key=lambda finding: _ORDER[finding.severity]))
