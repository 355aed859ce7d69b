"""The app of a command, checked for what the host itself relies on. graphon's schemas check the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import HostError

NORMALISE = "Open the app with the workbench, which normalises it, or repair the export."


@dataclass(frozen=True)
class App:
    """Attributes:
    config: `{"nodes": [...], "edges": [...]}` as graphon's Graph.init takes it.
    data: node id -> its `data`.
    parents: node id -> id of the loop or iteration that holds it; absent at the root.
    edges: the DSL's edges as (id, source, target, handle), in its order, those with text ends only.
    """

    config: dict[str, Any]
    root: str
    data: Mapping[str, Mapping[str, Any]]
    parents: Mapping[str, str]
    edges: tuple[tuple[str, str, str, str], ...]
    environment_variables: tuple[Mapping[str, Any], ...]
    conversation_variables: tuple[Mapping[str, Any], ...]

    def kind(self, node_id: str) -> str:
        """The DSL's node type."""
        return str(self.data.get(node_id, {}).get("type", ""))

    def title(self, node_id: str) -> str:
        return str(self.data.get(node_id, {}).get("title") or node_id)

    def containers(self, node_id: str) -> tuple[str, ...]:
        """The containers around a node, outermost first."""
        found: list[str] = []
        parent = self.parents.get(node_id)
        while parent is not None and parent not in found:
            found.append(parent)
            parent = self.parents.get(parent)
        return tuple(reversed(found))


def read_app(given: Any) -> App:
    """Raises HostError, naming the entry that is wrong."""
    if not isinstance(given, Mapping) or not isinstance(given.get("graph"), Mapping):
        raise HostError(
            "The app holds no graph", "`graph` must be an object with nodes and edges.", NORMALISE
        )
    graph = given["graph"]
    nodes = _entries(graph, "nodes")
    data: dict[str, Mapping[str, Any]] = {}
    for position, node in enumerate(nodes):
        node_id = node.get("id")
        if not isinstance(node_id, str) or not node_id:
            raise HostError("A node has no id", f"Entry {position} of nodes.", NORMALISE)
        if node_id in data:
            raise HostError("Two nodes have the same id", f"Both are {node_id!r}.", NORMALISE, node_id)
        if not isinstance(node.get("data"), Mapping) or not isinstance(node["data"].get("type"), str):
            raise HostError(
                "A node has no type", f"data.type of node {node_id!r} is missing.", NORMALISE, node_id
            )
        data[node_id] = node["data"]
    root = given.get("root")
    if root not in data:
        raise HostError("The app has no start node", f"The root {root!r} is not among its nodes.", NORMALISE)
    edges = _entries(graph, "edges")
    named = []
    for position, edge in enumerate(edges):
        if not isinstance(edge.get("source"), str) or not isinstance(edge.get("target"), str):
            continue
        if not isinstance(edge.get("id"), str) or not edge["id"]:
            raise HostError("An edge has no id", f"Entry {position} of edges.", NORMALISE, edge["source"])
        named.append((edge["id"], edge["source"], edge["target"], str(edge.get("sourceHandle") or "source")))
    return App(
        config={"nodes": [dict(node) for node in nodes], "edges": [dict(edge) for edge in edges]},
        root=root,
        data=data,
        parents=_parents(nodes, data),
        edges=tuple(named),
        environment_variables=tuple(_entries(given, "environment_variables")),
        conversation_variables=tuple(_entries(given, "conversation_variables")),
    )


def _entries(holder: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    entries = holder.get(name) or []
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise HostError(f"{name} is not a list of objects", f"It is {type(entries).__name__}.", NORMALISE)
    return entries


def _parents(nodes: list[Mapping[str, Any]], data: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Who holds whom, by graphon 0.8's rule: container_id, parentId, then the legacy ids, the inner one of
    two.
    """
    candidates: dict[str, list[str]] = {}
    for node in nodes:
        own = node["data"]
        given = (
            [own.get("container_id")]
            if "container_id" in own
            else [node["parentId"]]
            if node.get("parentId")
            else [own.get("iteration_id"), own.get("loop_id")]
        )
        candidates[node["id"]] = [name for name in given if isinstance(name, str) and name in data]
    parents: dict[str, str] = {}
    for node_id, names in candidates.items():
        inner = [name for name in names if set(candidates[name]) & set(names)] or names
        if inner:
            parents[node_id] = inner[0]
    return parents
