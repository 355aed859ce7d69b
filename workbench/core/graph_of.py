"""Graph facts out of a normalised DSL graph: the same that an engine kernel's `describe` reports.

Pure, and compared with the real engines over the fixtures and the corpus (tests/kernels/test_describe.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.graph import Box, Edge, Graph, Kind, Node, Segment, Selector
from workbench.core.template import answer_template, end_template

KINDS: Mapping[str, Kind] = {
    "start": "root",
    "datasource": "root",
    "trigger-webhook": "root",
    "trigger-schedule": "root",
    "trigger-plugin": "root",
    "answer": "response",
    "end": "response",
    "if-else": "branch",
    "question-classifier": "branch",
    "human-input": "branch",
    "loop": "container",
    "iteration": "container",
}
"""graphon's NodeExecutionType by node type; every other type is "executable" (graphon nodes/*/*_node.py)."""

LONGEST_TITLE = 120
"""Titles are told in every sentence about a node; one of a page's length would leave no room for the rest."""


def graph_of(graph: Mapping[str, Any], root: str) -> Graph:
    """The graph of an app, containers' children included; `graph` is `App.graph`."""
    nodes = {entry["id"]: _node(entry) for entry in graph["nodes"]}
    edges = {}
    for entry in graph["edges"]:
        parent = nodes[entry["source"]].parent
        edges[entry["id"]] = Edge(
            entry["id"], entry["source"], entry["target"], entry["sourceHandle"], parent
        )
    return Graph(nodes=nodes, edges=edges, root=root)


def root_scope(graph: Graph) -> Graph:
    """What graphon's filter sees: nodes and edges that stand in no container."""
    return Graph(
        nodes={node.id: node for node in graph.nodes.values() if node.parent is None},
        edges={edge.id: edge for edge in graph.edges.values() if edge.parent is None},
        root=graph.root,
    )


def _node(entry: Mapping[str, Any]) -> Node:
    data: Mapping[str, Any] = entry["data"]
    node_type: str = data["type"]
    title = data.get("title")
    return Node(
        id=entry["id"],
        type=node_type,
        title=_readable(title) if isinstance(title, str) and title else entry["id"],
        kind=_kind(node_type, data),
        writes=_writes(node_type, data),
        template=_template(node_type, data),
        text_selector=(entry["id"], "answer") if KINDS.get(node_type) == "response" else (),
        parent=entry.get("parentId") or None,
        box=_box(entry),
        data=data,
    )


def _readable(title: str) -> str:
    return title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1] + "…"


def _kind(node_type: str, data: Mapping[str, Any]) -> Kind:
    """graphon's Graph promotes any node with a fail branch to a branch (graph/graph.py)."""
    return "branch" if data.get("error_strategy") == "fail-branch" else KINDS.get(node_type, "executable")


def _writes(node_type: str, data: Mapping[str, Any]) -> frozenset[Selector]:
    """Selectors that a variable assigner writes: its version 1 has one, version 2 a list of items."""
    if node_type != "assigner":
        return frozenset()
    if str(data.get("version", "1")) == "2" or "items" in data:
        selectors = [item["variable_selector"] for item in data.get("items") or ()]
    else:
        selectors = [data["assigned_variable_selector"]]
    return frozenset(tuple(selector) for selector in selectors)


def _template(node_type: str, data: Mapping[str, Any]) -> tuple[Segment, ...]:
    if node_type == "answer":
        return answer_template(data["answer"])
    return end_template(data["outputs"]) if node_type == "end" else ()


def _box(entry: Mapping[str, Any]) -> Box | None:
    """Canvas position; Dify's defaults for a node without a size (244 wide, about 90 high)."""
    position = entry.get("position")
    if not isinstance(position, Mapping):
        return None
    x, y = _number(position.get("x")), _number(position.get("y"))
    if x is None or y is None:
        return None
    width, height = _number(entry.get("width")), _number(entry.get("height"))
    return Box(x, y, width if width and width > 0 else 244.0, height if height and height > 0 else 90.0)


def _number(value: Any) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e9:
        return None
    return float(value)
