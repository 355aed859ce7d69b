"""What an app would do wrong, told before it runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from workbench.core.answers import answer_states, cheapest
from workbench.core.blocking import Scope, scope_of
from workbench.core.finding import AnswerState, Finding
from workbench.core.findings import container, explosion, pausing, references, unreachable
from workbench.core.findings.difference import ORDER, TWICE
from workbench.core.findings.dify import version_of
from workbench.core.findings.naming import node_names, reference
from workbench.core.findings.references import Declared
from workbench.core.findings.running import by_severity
from workbench.core.findings.streaming import is_streamed
from workbench.core.gate import Gate
from workbench.core.graph import Graph, Selector, Variable
from workbench.core.pool import Pool
from workbench.core.reachable import Reachable

_PAIRS_TOLD: Final = 5
MOST_PAIRED: Final = 400
"""Answers that are looked at two by two; the largest public app has a tenth of that."""


def check(
    graph: Graph, dify: str | None = None, *, declared: Declared | None = None, mode: str | None = None
) -> tuple[tuple[Finding, ...], tuple[AnswerState, ...]]:
    """Findings about an app, and where its Answers stand when a run begins.

    Args:
        dify: the Dify version it is for ("1.15.0", "main"); None: what differs between versions is
            information.
        declared: names of the app's variables by "env" and "conversation", where known.
        mode: the app's ("advanced-chat" must have an Answer), where known.
    """
    scope = scope_of(graph)
    gate = Gate(scope, Pool())
    reachable = Reachable(scope)
    paired = len(scope.responses) <= MOST_PAIRED
    pairs = reachable.parallel_pairs() if paired else set()
    found = [
        *explosion.of_app(graph),
        *unreachable.of_app(graph, mode, scope=scope),
        *references.of_app(graph, declared),
        *container.of_app(graph),
        *_same_variable(graph, scope, reachable, pairs),
        *(_parallel(graph, scope, pairs) if paired else _not_paired(scope)),
        *pausing.of_app(graph, scope, dify),
    ]
    return by_severity(finding for finding in found if _bites(finding, dify)), _at_start(gate)


def _bites(finding: Finding, dify: str | None) -> bool:
    """Does it bite on this Dify?"""
    if dify is None:
        return True
    first, last = finding.versions
    here = version_of(dify)
    return (first is None or version_of(first) <= here) and (last is None or here <= version_of(last))


def _at_start(gate: Gate) -> tuple[AnswerState, ...]:
    """Answers that nothing holds back open when the run begins: the first has its turn, the others queue."""
    states = []
    turn: Literal["active", "queued"] = "active"
    reached = cheapest(gate.scope, lambda edge: 0)
    for answer in answer_states(gate):
        open_at_once = (
            answer.node_id in gate.scope.nodes and not answer.blocking and answer.node_id in reached
        )
        states.append(AnswerState(answer.node_id, turn) if open_at_once else answer)
        turn = "queued" if open_at_once else turn
    return tuple(states)


def _same_variable(
    graph: Graph, scope: Scope, reachable: Reachable, pairs: set[tuple[str, str]]
) -> Iterator[Finding]:
    readers: dict[Selector, list[str]] = {}
    for response in scope.responses:
        for part in scope.nodes[response].template:
            if isinstance(part, Variable) and is_streamed(graph, part.selector):
                readers.setdefault(part.selector, []).append(response)
    for selector, responses in sorted(readers.items()):
        twice = sorted({r for r in responses if responses.count(r) > 1})
        several = sorted(set(responses))
        together = next(
            (
                (one, other)
                for place, one in enumerate(several)
                for other in several[place + 1 :]
                if reachable.in_sequence(one, other) or (one, other) in pairs
            ),
            None,
        )
        if not twice and not together:
            continue
        nodes = twice or list(together or ())
        yield Finding(
            code=TWICE,
            severity="warning",
            node_id=nodes[-1],
            message=(
                f"{reference(selector)} is named at several places in {node_names(graph, nodes)}. It is "
                "streamed in pieces, which are shown once, at the first place; the final answer holds it at "
                "each."
            ),
            advice="Name it at one place, and a template or variable aggregator that holds it at the others.",
        )


def _parallel(graph: Graph, scope: Scope, pairs: set[tuple[str, str]]) -> Iterator[Finding]:
    answers = sorted(pair for pair in pairs if all(scope.nodes[node].type == "answer" for node in pair))
    for one, other in answers[:_PAIRS_TOLD]:
        yield Finding(
            code=ORDER,
            severity="info",
            node_id=one,
            message=(
                f"{node_names(graph, [one, other])} can run in parallel: the stream shows them in the order "
                "in which they open, the final answer in the order in which they run."
            ),
            advice="",
        )


def _not_paired(scope: Scope) -> Iterator[Finding]:
    yield Finding(
        code=ORDER,
        severity="info",
        node_id=None,
        message=(
            f"The app has {len(scope.responses):,} Answers; up to {MOST_PAIRED} are looked at two by two. "
            "Which of these can run in parallel, in another order than the final answer's, is not told."
        ),
        advice="Run the app: `why` compares what was streamed with the final answer.",
    )
