"""Forms after which a Dify that loses the gate's state at a pause leaves Answers silent, or repeats them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from workbench.core.blocking import Scope
from workbench.core.finding import Finding
from workbench.core.findings.dify import gate_fate
from workbench.core.findings.foretelling import FORM, Budget, Harm, Remedy, harms, remedy_for, unjudged, walks
from workbench.core.findings.lost_gate import MISSING
from workbench.core.findings.naming import edge_names, listing, node_name, node_names
from workbench.core.graph import Graph

LOSES: Final = "1.15"
"""The Dify that keeps the gate's state nowhere (facts: dify-pause-resume, 0)."""
MAKES_IT: Final = "`workbench check APP --fix -o FILE` makes that change in a copy, and proves it."
_UPGRADE: Final = "Run it on Dify 1.16 or newer."


def of_app(graph: Graph, scope: Scope, dify: str | None) -> Iterator[Finding]:
    """One finding for each form that does harm."""
    for finding, _ in advised(graph, scope, dify):
        yield finding


def advised(graph: Graph, scope: Scope, dify: str | None) -> Iterator[tuple[Finding, Remedy | None]]:
    """One finding for each form that does harm, with the change that takes the harm away, if there is one."""
    if dify is not None and gate_fate(dify) != "lost":
        return
    if not any(node.type == FORM for node in scope.nodes.values()):
        return
    walked, budget = list(walks(graph, scope)), Budget()
    found = harms(graph, scope, walked)
    for harm in found.values():
        if harm:
            remedy = remedy_for(graph, scope, harm, walked, budget)
            yield _finding(graph, harm, remedy, dify), remedy
    if left := unjudged(scope, found):
        yield _not_judged(graph, left), None


def _finding(graph: Graph, harm: Harm, remedy: Remedy | None, dify: str | None) -> Finding:
    effects = [
        *_told(graph, harm, list(harm.silent), ("stays silent", "stay silent"), " after a resume"),
        *_told(graph, harm, list(harm.again), ("is", "are"), " streamed twice"),
    ]
    edges = tuple(dict.fromkeys(edge for lost in harm.silent.values() for edge in lost))
    lost = f" Lost: {edge_names(graph, edges)}." if edges else ""
    instead = f" Or change the app: {remedy.words} {MAKES_IT}" if remedy else ""
    return Finding(
        code=MISSING,
        severity="info" if dify is None else "warning",
        node_id=harm.form,
        message=(
            f"Dify {dify or LOSES} loses the gate's state when the run pauses at "
            f"{node_name(graph, harm.form)}: {' and '.join(effects)}.{lost}"
        ),
        advice=_UPGRADE + instead,
        edges=edges,
        versions=(LOSES, LOSES),
    )


def _not_judged(graph: Graph, forms: list[str]) -> Finding:
    several = "s, the first of them" if len(forms) > 1 else ""
    return Finding(
        code=MISSING,
        severity="info",
        node_id=forms[0],
        message=(
            f"The app has more pauses than are played through: what a lost gate state does was not judged "
            f"for {len(forms)} form{several} {node_name(graph, forms[0])}."
        ),
        advice="Run the app to such a form, and `why` on its pause tells it.",
        versions=(LOSES, LOSES),
    )


def _told(
    graph: Graph, harm: Harm, responses: list[str], verbs: tuple[str, str], effect: str
) -> Iterator[str]:
    """The Answers that suffer in the same way, together."""
    by_way: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for response in responses:
        way = tuple((node, handle) for node, handle in harm.ways[response].items() if node != harm.form)
        by_way.setdefault(way, []).append(response)
    for way, found in by_way.items():
        when = f" (when {_when(graph, dict(way))})" if way else ""
        yield f"{node_names(graph, found)} {verbs[len(found) > 1]}{effect}{when}"


def _when(graph: Graph, way: Mapping[str, str]) -> str:
    names = [
        f"{node_name(graph, node)} goes [{handle}]"
        if node
        else f"{node_name(graph, handle)} is answered first"
        for node, handle in way.items()
    ]
    return listing(names)
