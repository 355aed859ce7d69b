"""What an app would do wrong, told before it runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from workbench.core.answers import answer_states, cheapest
from workbench.core.blocking import Scope, scope_of
from workbench.core.finding import AnswerState, Finding
from workbench.core.findings import container, explosion, references
from workbench.core.findings.difference import ORDER, TWICE
from workbench.core.findings.dify import gate_fate
from workbench.core.findings.lost_gate import MISSING
from workbench.core.findings.naming import edge_names, node_name, node_names, reference
from workbench.core.findings.references import Declared
from workbench.core.findings.running import by_severity
from workbench.core.findings.streaming import is_streamed
from workbench.core.gate import Gate
from workbench.core.graph import Edge, Graph, Selector, Text, Variable
from workbench.core.pool import Pool
from workbench.core.reachable import Reachable

_PAIRS_TOLD: Final = 5


def check(
    graph: Graph, dify: str | None = None, *, declared: Declared | None = None
) -> tuple[tuple[Finding, ...], tuple[AnswerState, ...]]:
    """Findings about an app, and where its Answers stand when a run begins.

    Args:
        dify: the Dify version it is for ("1.15.0", "main"); None: what differs between versions is
            information.
        declared: names of the app's variables by "env" and "conversation", where known.
    """
    scope = scope_of(graph)
    gate = Gate(scope, Pool())
    reachable = Reachable(scope)
    pairs = reachable.parallel_pairs()
    found = [
        *explosion.of_app(graph),
        *references.of_app(graph, declared),
        *container.of_app(graph),
        *_same_variable(graph, scope, reachable, pairs),
        *_parallel(graph, scope, pairs),
        *_pauses(graph, scope, dify),
    ]
    return by_severity(found), _at_start(gate)


def _at_start(gate: Gate) -> tuple[AnswerState, ...]:
    """Answers that nothing holds back open when the run begins: the first has its turn, the others queue."""
    states = []
    turn: Literal["active", "queued"] = "active"
    for answer in answer_states(gate):
        open_at_once = (
            answer.node_id in gate.scope.nodes and not answer.blocking and _has_path(gate, answer.node_id)
        )
        states.append(AnswerState(answer.node_id, turn) if open_at_once else answer)
        turn = "queued" if open_at_once else turn
    return tuple(states)


def _has_path(gate: Gate, response: str) -> bool:
    return response in cheapest(gate.scope, lambda edge: int(edge.source in gate.scope.stops[response]))


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
        together = [
            (one, other)
            for place, one in enumerate(several)
            for other in several[place + 1 :]
            if reachable.in_sequence(one, other) or (one, other) in pairs
        ]
        if not twice and not together:
            continue
        nodes = twice or list(together[0])
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


def _pauses(graph: Graph, scope: Scope, dify: str | None) -> Iterator[Finding]:
    """Answers that a Dify which loses the gate's state at a pause would never stream."""
    if dify is not None and gate_fate(dify) != "lost":
        return
    for node in scope.nodes.values():
        if node.type == "human-input":
            yield from _pause_at(graph, scope, node.id, dify)


def _pause_at(graph: Graph, scope: Scope, pause: str, dify: str | None) -> Iterator[Finding]:
    before, behind = _ancestors(scope, pause), _descendants(scope, pause)
    silent: dict[str, tuple[str, ...]] = {}
    again: list[str] = []
    for response in scope.responses:
        stops = scope.stops[response]

        def cost(edge: Edge, stops: frozenset[str] = stops) -> int:
            return int(edge.source in stops and edge.target in before)

        path = cheapest(scope, cost).get(response, ())
        lost = tuple(edge.id for edge in path if cost(edge))
        if lost and response in behind:
            silent[response] = lost
        elif (
            path
            and not any(edge.source in stops for edge in path)
            and _starts_before(scope, response, behind)
        ):
            again.append(response)
    if not silent and not again:
        return
    effects = []
    if silent:
        effects.append(f"{node_names(graph, list(silent))} stays silent after a resume")
    if again:
        effects.append(f"{node_names(graph, again)} is streamed twice")
    edges = tuple(dict.fromkeys(edge for lost in silent.values() for edge in lost))
    lost_told = f" Lost: {edge_names(graph, edges)}." if edges else ""
    yield Finding(
        code=MISSING,
        severity="info" if dify is None else "warning",
        node_id=pause,
        message=(
            f"{'Dify ' + dify if dify else 'Dify 1.15'} loses the gate's state when the run pauses at "
            f"{node_name(graph, pause)}: {' and '.join(effects)}.{lost_told}"
        ),
        advice="Run it on Dify 1.16 or newer.",
        edges=edges,
    )


def _starts_before(scope: Scope, response: str, behind: set[str]) -> bool:
    """Does an Answer that opens at once stream something before the pause?"""
    template = scope.nodes[response].template
    if not template:
        return False
    first = template[0]
    return isinstance(first, Text) or first.selector[:1] == () or first.selector[0] not in behind


def _ancestors(scope: Scope, node: str) -> set[str]:
    """The node and all from which it can be reached: edges into these come before it."""
    incoming: dict[str, list[str]] = {}
    for edge in scope.edges.values():
        incoming.setdefault(edge.target, []).append(edge.source)
    return _closure(node, incoming)


def _descendants(scope: Scope, node: str) -> set[str]:
    return _closure(node, {source: [edge.target for edge in out] for source, out in scope.out.items()})


def _closure(node: str, following: dict[str, list[str]]) -> set[str]:
    seen, todo = {node}, [node]
    while todo:
        for other in following.get(todo.pop(), ()):
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen
