"""Edges with unique text ids between nodes that exist, in the file's order.

graphon 0.8 (graph/graph.py) refuses dangling edges, edges across containers and edges in a circle; 0.5 to 0.7
refuse dangling ones. A missing handle would be graphon's default, "source".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any

from workbench.records.notes import Notes
from workbench.records.reading import shorten

DEFAULT_HANDLE = "source"

Raw = dict[str, Any]


def normalise_edges(block: Sequence[Any], nodes: Mapping[str, Raw], notes: Notes) -> list[Raw]:
    """Copies of the edges that can be used; each has id, source, target and sourceHandle."""
    edges: list[Raw] = []
    for position, entry in enumerate(block, start=1):
        if not isinstance(entry, Mapping):
            notes.add(f"entry {position} of the edges is no mapping; it was left out")
            continue
        source, target = _text(entry.get("source")), _text(entry.get("target"))
        if source is None or target is None:
            notes.add(f"edge {position} has no {'source' if source is None else 'target'}; it was left out")
            continue
        lost = next((end for end in (source, target) if end not in nodes), None)
        if lost is not None:
            notes.add(
                f"the edge from {shorten(source, 40)} to {shorten(target, 40)} was left out: "
                f"there is no node {shorten(lost, 40)}"
            )
            continue
        if nodes[source].get("parentId") != nodes[target].get("parentId"):
            notes.add(
                f"the edge from {shorten(source, 40)} to {shorten(target, 40)} was left out: "
                "it crosses the border of a container"
            )
            continue
        handle = _text(entry.get("sourceHandle"))
        if handle is None:
            handle = DEFAULT_HANDLE  # a success edge of a node with a fail branch has this one, too
            notes.add(f"its edge had no sourceHandle; it was read as {handle!r}", source)
        edges.append({**entry, "source": source, "target": target, "sourceHandle": handle})
    _give_ids(edges, notes)
    _tell_cycles(edges, notes)
    return edges


def _text(value: Any) -> str | None:
    """Ids and handles are text; hand-written YAML has bare numbers, and `true` for an if-else's handle."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) and value != "" else None


def _give_ids(edges: list[Raw], notes: Notes) -> None:
    """Unique ids: Dify's own pattern where one is missing, a number behind one that is repeated."""
    taken = {edge["id"] for edge in edges if isinstance(edge.get("id"), str)}
    used: set[str] = set()
    numbers: dict[str, int] = {}
    missing = repeated = 0
    for edge in edges:
        wish = edge.get("id")
        has_id = isinstance(wish, str) and bool(wish)
        if not has_id:
            wish = f"{edge['source']}-{edge['sourceHandle']}-{edge['target']}-target"
            missing += 1
        base = str(wish)
        if base in used or (not has_id and base in taken):
            repeated += has_id
            number = numbers.get(base, 2)
            while f"{base}-{number}" in taken or f"{base}-{number}" in used:
                number += 1
            numbers[base] = number + 1
            wish = f"{base}-{number}"
        used.add(str(wish))
        edge["id"] = str(wish)
    if missing:
        notes.add(f"{missing} edge{'s' if missing > 1 else ''} had no id; made of source, handle and target")
    if repeated:
        notes.add(f"{repeated} edge{'s' if repeated > 1 else ''} repeated an id; a number was put behind it")


def _tell_cycles(edges: list[Raw], notes: Notes) -> None:
    before: dict[str, list[str]] = {}
    for edge in edges:
        before.setdefault(edge["target"], []).append(edge["source"])
    try:
        TopologicalSorter(before).prepare()
    except CycleError as error:
        circle = " -> ".join(shorten(node, 40) for node in error.args[1][:6])
        notes.add(f"edges run in a circle ({circle}); graphon 0.8 refuses to run such a graph")
