"""Small exported apps for tests, as Dify would write them."""

from __future__ import annotations

from typing import Any

import yaml

from workbench.records.app import App, read_app

Raw = dict[str, Any]


def node(node_id: Any, node_type: str, parent: str | None = None, **data: Any) -> Raw:
    made: Raw = {
        "id": node_id,
        "type": "custom",
        "data": {"type": node_type, "title": f"the {node_id}", **data},
    }
    if parent is not None:
        made["parentId"] = parent
    return made


def edge(source: Any, target: Any, handle: Any = "source", **more: Any) -> Raw:
    return {
        "id": f"{source}-{handle}-{target}",
        "source": source,
        "target": target,
        "sourceHandle": handle,
        **more,
    }


def document(nodes: list[Any], edges: list[Any], mode: str = "advanced-chat", **workflow: Any) -> Raw:
    graph = {"nodes": nodes, "edges": edges}
    head = {"name": "Test", "mode": mode}
    return {"kind": "app", "version": "0.6.0", "app": head, "workflow": {"graph": graph, **workflow}}


def app(nodes: list[Any], edges: list[Any], mode: str = "advanced-chat", **workflow: Any) -> App:
    text = yaml.safe_dump(document(nodes, edges, mode, **workflow), sort_keys=False, allow_unicode=True)
    return read_app(text.encode(), "test.yml")


def with_node(node_type: str, **data: Any) -> tuple[Raw, tuple[str, ...]]:
    """The normalised data of one node in a small app, and the notes about it."""
    nodes = [node("start", "start", variables=[]), node("it", node_type, **data)]
    read = app(nodes, [edge("start", "it")])
    return read.graph["nodes"][1]["data"], read.notes
