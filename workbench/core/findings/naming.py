"""How findings name things: a node by its title and id, an edge by its ends, handle and id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from workbench.core.graph import Graph, Selector
from workbench.core.path_lists import power_of_ten

LISTED = 4
"""So many things are named one by one; of the rest only the number is told."""

MOST_WRITTEN = 10**15
"""Nobody reads the digits of a longer number."""


def node_name(graph: Graph, node_id: str) -> str:
    """`"Ask a person" (hum)`; only the id where there is no title of its own."""
    node = graph.nodes.get(node_id)
    return f'"{node.title}" ({node_id})' if node and node.title and node.title != node_id else f'"{node_id}"'


def edge_name(graph: Graph, edge_id: str) -> str:
    """`"Worth asking?" -> "Ask a person" [true] (check-true-hum-target)`."""
    edge = graph.edges.get(edge_id)
    if edge is None:
        return f"an edge that the app does not have ({edge_id})"
    ends = [
        f'"{graph.nodes[end].title if end in graph.nodes else end}"' for end in (edge.source, edge.target)
    ]
    handle = f" [{edge.handle}]" if edge.handle != "source" else ""
    return f"{ends[0]} -> {ends[1]}{handle} ({edge_id})"


def edge_names(graph: Graph, edges: Sequence[str], steps: Mapping[str, int] | None = None) -> str:
    """Several edges, each with the step that took it where one is known."""
    told = [
        edge_name(graph, edge) + (f", taken at step {steps[edge]}" if steps and edge in steps else "")
        for edge in edges
    ]
    return listing(told, "; ")


def node_names(graph: Graph, nodes: Sequence[str]) -> str:
    return listing([node_name(graph, node) for node in nodes])


def reference(selector: Selector) -> str:
    """A variable as a template writes it."""
    return "{{#" + ".".join(selector) + "#}}"


def references(selectors: Iterable[Selector]) -> str:
    return listing([reference(selector) for selector in selectors])


def listing(parts: Sequence[str], comma: str = ", ") -> str:
    """`a, b and c`; of a long list the first few and how many more there are."""
    if len(parts) > LISTED + 1:
        return comma.join(parts[:LISTED]) + f"{comma}and {len(parts) - LISTED} more"
    if len(parts) < 2:
        return "".join(parts)
    return comma.join(parts[:-1]) + f" and {parts[-1]}"


def quoted(text: str, limit: int = 60) -> str:
    """A piece of streamed text, shortened."""
    short = text if len(text) <= limit else text[: limit - 3] + "..."
    return '"' + short.replace("\n", "\\n") + '"'


def number(count: int) -> str:
    """1,048,576; from a quadrillion on only how long it is: `about 10^301`."""
    return f"{count:,}" if count < MOST_WRITTEN else power_of_ten(count)
