"""The `graph` message: what this graphon says of the root graph. The workbench's core derives the same from
the DSL.
"""

from __future__ import annotations

from typing import Any

from graphon.graph.graph import Graph
from graphon.nodes.base.template import TextSegment

from .app import App
from .generation.base import Generation, edge_names, kind_of


def graph_message(graph: Graph, app: App, generation: Generation) -> dict[str, Any]:
    nodes = {node_id: node for node_id, node in graph.nodes.items() if node_id not in app.parents}
    templates = {
        node_id: node.get_streaming_template().segments
        for node_id, node in nodes.items()
        if kind_of(node) == "response"
    }
    selectors = sorted(
        {
            tuple(segment.selector[:2])
            for segments in templates.values()
            for segment in segments
            if not isinstance(segment, TextSegment)
        }
    )
    told: dict[str, Any] = {}
    for node_id, node in nodes.items():
        told[node_id] = {
            "type": str(node.node_type),
            "kind": kind_of(node),
            "writes": [list(selector) for selector in selectors if node.blocks_variable_output({selector})],
        }
        if node_id in templates:
            told[node_id]["template"] = [
                ["text", segment.text]
                if isinstance(segment, TextSegment)
                else ["variable", list(segment.selector)]
                for segment in templates[node_id]
            ]
            own = getattr(
                node, "get_streaming_text_selector", None
            )  # End nodes have none; the filter's default
            told[node_id]["text_selector"] = list(own()) if callable(own) else [node_id, "answer"]
    return {
        "msg": "graph",
        "root": app.root,
        "nodes": told,
        "edges": [list(edge) for edge in app.edges if edge[1] in nodes and edge[2] in nodes],
        "edge_names": edge_names(generation),
    }
