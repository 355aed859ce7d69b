"""Which variables are streamed piece by piece, and which only have a value when their node is done."""

from __future__ import annotations

from typing import Final

from workbench.core.graph import Graph, Node, Selector

_STREAMED: Final = {"llm": "text", "agent": "text", "tool": "text"}
"""Node types whose output is told in chunks (graphon nodes/llm, nodes/tool; Dify's agent node)."""


def is_streamed(graph: Graph, selector: Selector) -> bool:
    """Is this variable told in chunks, which can be read by one Answer only once?"""
    node = graph.nodes.get(selector[0]) if selector else None
    return node is not None and len(selector) == 2 and _STREAMED.get(node.type) == selector[1]


def container_of(graph: Graph, node: Node) -> Node | None:
    """The outermost loop or iteration that a node is in."""
    found = None
    seen: set[str] = set()
    while node.parent is not None and node.parent in graph.nodes and node.parent not in seen:
        seen.add(node.parent)
        node = graph.nodes[node.parent]
        found = node
    return found
