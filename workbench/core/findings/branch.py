"""An Answer behind a branch that was not taken: locked for ever, and rightly so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.core.answers import cheapest
from workbench.core.finding import Finding
from workbench.core.findings.lost import lost_edges
from workbench.core.findings.naming import edge_name, node_name
from workbench.core.gate import Gate
from workbench.core.graph import Graph

NOT_TAKEN = "branch-not-taken"


def of_gate(
    graph: Graph, gate: Gate, edges: Mapping[str, str], taken_at: Mapping[str, int]
) -> Iterator[Finding]:
    """Every locked Answer whose paths are all cut off by skipped edges."""
    for response in sorted(gate.state.pending):
        if response not in gate.scope.stops or lost_edges(gate, edges, response) is not None:
            continue
        cut = _decision(gate, edges, response)
        if cut is None:
            continue
        instead = sorted(
            (edge.id for edge in gate.scope.out[graph.edges[cut].source] if edges.get(edge.id) == "taken"),
            key=lambda edge: taken_at.get(edge, 0),
        )
        went = f"; the run went {edge_name(graph, instead[0])}" if instead else ""
        yield Finding(
            code=NOT_TAKEN,
            severity="info",
            node_id=response,
            message=(
                f"{node_name(graph, response)} stays locked because its branch was not taken: "
                f"{edge_name(graph, cut)} was skipped{went}. That is how it should be."
            ),
            advice="",
            edges=(cut,),
            steps=tuple(taken_at[edge] for edge in instead[:1] if edge in taken_at),
        )


def _decision(gate: Gate, edges: Mapping[str, str], response: str) -> str | None:
    """The skipped edge where the run turned away, on the path with the fewest such edges."""
    path = cheapest(gate.scope, lambda edge: int(edges.get(edge.id) == "skipped")).get(response, ())
    return next((edge.id for edge in path if edges.get(edge.id) == "skipped"), None)


HELP = {
    NOT_TAKEN: """\
# branch-not-taken

An Answer did not stream because the run took another branch. Nothing is wrong.

A skipped edge never opens a gate: an Answer behind a branch that was not taken stays locked until the run
ends. The finding names the edge where the run turned away, and the one it took instead, so that a condition
that decided otherwise than you thought is easy to find.
""",
}
