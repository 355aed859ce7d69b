"""Does a runtime state belong to this app? Old engines never ask, and their edges go by position."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.graph import Edge, Graph
from workbench.core.state import Base

_MOST_NAMED = 4


def misfits(graph: Graph, base: Base) -> tuple[str, ...]:
    """What the state says that can't be true of this graph, as clauses; empty when it fits.

    States of graphon 0.5 to 0.7 number edges (`edge_3`): with an edge more, less or elsewhere, what they say
    is told of other edges.
    """
    if not base.node_states:
        return ()
    found = tuple(clause for clause in _parts(graph, base) if clause)
    return found or tuple(clause for clause in _order(graph, base) if clause)


def _parts(graph: Graph, base: Base) -> Iterator[str]:
    root_nodes = [node.id for node in graph.nodes.values() if node.parent is None]
    root_edges = [edge.id for edge in graph.edges.values() if edge.parent is None]
    for word, known, root, told in (
        ("nodes", graph.nodes, root_nodes, base.node_states),
        ("edges", graph.edges, root_edges, base.edge_states),
    ):
        yield _clause(
            f"the state knows {word} that the app does not have", [i for i in told if i not in known]
        )
        yield _clause(f"the app has {word} that the state does not know", [i for i in root if i not in told])


def _order(graph: Graph, base: Base) -> Iterator[str]:
    wrong = [edge.id for edge in graph.edges.values() if _impossible(graph, base, edge)]
    yield _clause(
        "the state contradicts itself on this app's edges, as when they are in another order", wrong
    )


def _impossible(graph: Graph, base: Base, edge: Edge) -> bool:
    """An edge that leads on to a skipped node, or that leaves a form which nobody has answered."""
    state = base.edge_states.get(edge.id, "unknown")
    source, target = (base.node_states.get(end) for end in (edge.source, edge.target))
    if state == "taken" and "skipped" in (source, target):
        return True
    form = edge.source in graph.nodes and graph.nodes[edge.source].type == "human-input"
    open_form = form and source == "unknown" and not base.variables.get(edge.source)
    return open_form and state != "unknown"


def _clause(words: str, ids: list[str]) -> str:
    more = f" and {len(ids) - _MOST_NAMED} more" if len(ids) > _MOST_NAMED else ""
    return f"{words} ({', '.join(ids[:_MOST_NAMED])}{more})" if ids else ""
