"""A recorded run explained with its app: the inferred journal is replayed, the findings are those of a run.

Whether the gate survived a pause is not in a stream. Both are replayed, and the one that is silent where the
stream is silent, and repeats where it repeats, is what happened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

from workbench.core.blocking import scope_of
from workbench.core.captures import findings
from workbench.core.captures.findings import LOCK_ADVICE, LOSES, REPLAY_ADVICE
from workbench.core.captures.journal import Inferred, infer
from workbench.core.captures.run import CapturedRun
from workbench.core.captures.texts import Facts, facts_of
from workbench.core.finding import Finding
from workbench.core.findings.branch import NOT_TAKEN
from workbench.core.findings.container import INSIDE
from workbench.core.findings.difference import DIFFERS, ORDER, TWICE
from workbench.core.findings.foretelling import FORM, harms
from workbench.core.findings.lost_gate import LOCKED, MISSING, REPLAYED
from workbench.core.findings.naming import edge_names
from workbench.core.findings.queue import STARVED
from workbench.core.findings.running import by_severity, diagnose
from workbench.core.graph import Graph
from workbench.core.replay import Timeline

_MOST_RESUMES: Final = 4
"""Up to so many resumes every mixture of lost and kept gates is tried; beyond, all lost or all kept."""
_OF_TEXT: Final = frozenset({DIFFERS, TWICE, INSIDE, STARVED})
"""Findings that hold only where the recorded text shows them too."""


@dataclass(frozen=True, slots=True)
class Explained:
    """A recorded run with its app.

    Attributes:
        timeline: the inferred journal, replayed.
        gates: "fresh" or "restored" for each resume: which of them fits the stream.
    """

    findings: tuple[Finding, ...]
    timeline: Timeline
    inferred: Inferred
    gates: tuple[str, ...]


def explain(
    graph: Graph, run: CapturedRun, variables: Mapping[str, Mapping[str, Any]], mode: str | None = None
) -> Explained:
    """Findings about a run that is recorded from its start (`run.begins` is "start").

    Args:
        variables: what is known of the pool before the first event.
    """
    facts, inferred = facts_of(run), infer(graph, run)
    best: tuple[int, Explained] | None = None
    for gates in _mixtures(len(inferred.starts) - 1):
        timeline = Timeline(graph, inferred.journal(variables, gates))
        found = diagnose(graph, timeline, mode)
        harmed = {f.node_id for f in found if f.code in (LOCKED, REPLAYED) and _seen(f, run)}
        misfit = len(harmed ^ facts.nodes)
        if best is None or misfit < best[0]:
            best = (misfit, Explained(found, timeline, inferred, gates))
        if not misfit:
            break
    assert best is not None
    kept = by_severity(_kept(run, facts, best[1].findings))
    return replace(best[1], findings=kept)


def _mixtures(resumes: int) -> Iterator[tuple[str, ...]]:
    if resumes <= _MOST_RESUMES:
        yield from product(("restored", "fresh"), repeat=resumes)
    else:
        yield from (("restored",) * resumes, ("fresh",) * resumes)


def _seen(finding: Finding, run: CapturedRun) -> bool:
    """Has the node run? An Answer that is only going to be silent is not in the stream."""
    return finding.code == REPLAYED or any(node.node == finding.node_id for node in run.answers)


def _kept(run: CapturedRun, facts: Facts, found: tuple[Finding, ...]) -> Iterator[Finding]:
    """Those of a replay that the stream bears out, and what the stream shows beyond them."""
    nodes, codes = set(), set()
    for finding in found:
        if not _borne_out(finding, run, facts):
            continue
        if finding.code in (LOCKED, REPLAYED):
            advice = LOCK_ADVICE if finding.code == LOCKED else REPLAY_ADVICE
            finding = replace(finding, advice=advice, versions=LOSES)
        if finding.code != NOT_TAKEN:
            nodes.add(finding.node_id)
            codes.add(finding.code)
        yield finding
    for finding in findings.of_run(run):
        told = finding.code in codes if finding.node_id is None else finding.node_id in nodes
        if not told:
            yield finding


def _borne_out(finding: Finding, run: CapturedRun, facts: Facts) -> bool:
    """Does the recorded text show what the replay says?"""
    harmed = facts.nodes | {node.node for node in facts.differing}
    if finding.code in (LOCKED, REPLAYED):
        return bool(facts.nodes) and (finding.node_id in facts.nodes or not _seen(finding, run))
    if finding.code == MISSING:
        return bool(facts.nodes)
    if finding.code == ORDER:
        return facts.disordered
    if finding.code == STARVED and any(n.outputs is None for n in run.nodes if n.status == "succeeded"):
        return False  # a variable whose value the stream does not tell looks like one that never came
    return finding.code not in _OF_TEXT or finding.node_id in harmed


def explain_rest(graph: Graph, run: CapturedRun) -> tuple[Finding, ...]:
    """Findings about a run whose beginning is not in the recording: what was lost is foretold from the "
    "app."""
    found = list(findings.of_run(run))
    if all(finding.code != LOCKED for finding in found):
        return by_severity(found)
    forms = {node.node for node in run.nodes if node.type == FORM}
    harmed = {
        answer: edges
        for form, harm in harms(graph, scope_of(graph)).items()
        if form in forms or not forms
        for answer, edges in harm.silent.items()
    }
    told = []
    for finding in found:
        edges = harmed.get(finding.node_id or "", ()) if finding.code == LOCKED else ()
        if edges:
            words = f" In the app that is {edge_names(graph, edges)}."
            finding = replace(finding, edges=edges, message=finding.message + words, advice=LOCK_ADVICE)
        told.append(finding)
    return by_severity(told)
