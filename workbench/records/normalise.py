"""The graph of an exported app as every graphon from 0.5 to 0.8 takes it.

Structure here (ids, notes on the canvas, containers, edges), the data of single nodes in `node_rules`. Order
is kept: graphon 0.5 to 0.7 number edges by position, and order decides ties. Every change is told in `notes`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.errors import BadInputError
from workbench.records.container_rules import place_children, start_nodes
from workbench.records.edge_rules import normalise_edges
from workbench.records.node_rules import normalise_data
from workbench.records.notes import Notes
from workbench.records.reading import shorten

ROOT_TYPES = ("start", "trigger-webhook", "trigger-schedule", "trigger-plugin", "datasource")
"""Node types that may begin a run (Dify: NodeExecutionType.ROOT), best first."""

MAX_NODES, MAX_EDGES = 10_000, 40_000
"""Far above every real graph (104 nodes is the largest public one), far below what makes later steps slow."""

Raw = dict[str, Any]


def normalise_graph(graph: Mapping[str, Any], source: str, notes: Notes) -> tuple[Raw, str]:
    """({"nodes", "edges"}, root id). Only a graph without an entry is refused; all else is repaired."""
    nodes = _nodes(graph.get("nodes"), source, notes)
    by_id = {node["id"]: node for node in nodes}
    raw_edges = graph.get("edges")
    if raw_edges is not None and not isinstance(raw_edges, list):
        notes.add("the edges are no list; they were left out")
        raw_edges = None
    _check_count(nodes, raw_edges or (), source)
    place_children(nodes, notes)
    nodes, added_edges = start_nodes(nodes, notes)
    edges = normalise_edges([*(raw_edges or ()), *added_edges], {node["id"]: node for node in nodes}, notes)
    for node in nodes:
        normalise_data(node["id"], node["data"], notes)
    return {"nodes": nodes, "edges": edges}, _root(by_id, source, notes)


def _check_count(nodes: Sequence[Any], edges: Sequence[Any], source: str) -> None:
    for entries, what, allowed in ((nodes, "nodes", MAX_NODES), (edges, "edges", MAX_EDGES)):
        if len(entries) > allowed:
            raise BadInputError(
                f"{source} has too many {what}",
                f"Its graph lists {len(entries):,}; at most {allowed:,} are read.",
                "No Dify app is like that: it is damaged, or made to harm.",
            )


def _nodes(block: Any, source: str, notes: Notes) -> list[Raw]:
    """Copies of the executable nodes: text ids, unique, with a mapping as data and a type in it."""
    if not isinstance(block, list) or not block:
        raise BadInputError(
            f"{source} has an empty graph",
            "`workflow.graph.nodes` lists no node.",
            "Open the app in Dify, publish it, and export it again.",
        )
    found: dict[str, Raw] = {}
    stickers = 0
    for position, entry in enumerate(block, start=1):
        if not isinstance(entry, Mapping):
            notes.add(f"entry {position} of the nodes is no mapping; it was left out")
            continue
        data = entry.get("data")
        node_type = data.get("type") if isinstance(data, Mapping) else None
        if entry.get("type") == "custom-note" or (node_type == "" and "text" in (data or {})):
            stickers += 1
            continue
        if not isinstance(node_type, str) or not node_type:
            node_type = entry.get("type")
            if not isinstance(node_type, str) or node_type.startswith("custom") or not node_type:
                notes.add(f"entry {position} of the nodes has no type; it was left out")
                continue
            notes.add("the type stands beside the data, not in it", _id_text(entry.get("id")))
        node_id = _id_text(entry.get("id"))
        if not node_id:
            notes.add(f"entry {position} of the nodes ({shorten(node_type)}) has no id; it was left out")
            continue
        if node_id in found:
            notes.add("the id stands there twice; the later one counts, as in Dify", node_id)
        node = {**_copy(entry), "id": node_id}
        node["data"] = {**(node["data"] if isinstance(node.get("data"), dict) else {}), "type": node_type}
        found[node_id] = node  # a repeated id keeps its first place, as in graphon 0.5 to 0.7
    if stickers:
        notes.add(f"{stickers} canvas note{'s were' if stickers > 1 else ' was'} left out")
    if not found:
        raise BadInputError(
            f"{source} has no node that can run",
            "Its graph holds canvas notes or broken entries only.",
            "Open the app in Dify, publish it, and export it again.",
        )
    return list(found.values())


def _id_text(value: Any) -> str:
    """Ids are text; hand-written YAML often has them as bare numbers."""
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _copy(value: Any) -> Any:
    """A deep copy of plain data: aliases of the file must not stay shared."""
    if isinstance(value, Mapping):
        return {key: _copy(part) for key, part in value.items()}
    return [_copy(part) for part in value] if isinstance(value, list) else value


def _root(nodes: Mapping[str, Raw], source: str, notes: Notes) -> str:
    """The entry of a run: the start node at the top, else a trigger."""
    entries = [
        (ROOT_TYPES.index(node["data"]["type"]), position, node_id)
        for position, (node_id, node) in enumerate(nodes.items())
        if node["data"]["type"] in ROOT_TYPES and not node.get("parentId")
    ]
    if not entries:
        types = ", ".join(sorted({node["data"]["type"] for node in nodes.values()}))
        raise BadInputError(
            f"{source} has no start node",
            f"A run begins at a start or trigger node; the graph has only: {shorten(types, 80)}.",
            "Add a start node in Dify, publish the app, and export it again.",
        )
    entries.sort()
    if len(entries) > 1:
        notes.add(f"the graph has {len(entries)} entries; runs begin at {shorten(entries[0][2])}")
    return entries[0][2]
