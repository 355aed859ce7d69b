"""Which loop or iteration holds which node, in the three spellings that Dify has used.

graphon 0.8 takes `parentId` (graph/scoping.py); 0.5 to 0.7 look for `data.loop_id` and `data.iteration_id`
(nodes/loop/loop_node.py, nodes/iteration/iteration_node.py). After normalisation all of them agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.records.notes import Notes
from workbench.records.reading import shorten

CONTAINERS = {"loop": ("loop_id", "isInLoop"), "iteration": ("iteration_id", "isInIteration")}

Raw = dict[str, Any]


def place_children(nodes: list[Raw], notes: Notes) -> None:
    """Give every child its `parentId` and the matching fields in its data; unknown parents are dropped."""
    by_id = {node["id"]: node for node in nodes}
    parents = _parents(nodes, by_id, notes)
    for node in nodes:
        node_id, data, parent = node["id"], node["data"], parents[node["id"]]
        data.pop("container_id", None)
        if parent is None:
            for key in ("parentId", "loop_id", "iteration_id", "isInLoop", "isInIteration"):
                if key != "parentId" and isinstance(data.get(key), bool):
                    data[key] = False
                else:
                    (node if key == "parentId" else data).pop(key, None)
            continue
        if node.get("parentId") != parent:
            notes.add("only its data says which container holds it; `parentId` was added", node_id)
        node["parentId"] = parent
        for container, (id_key, flag) in CONTAINERS.items():
            inside = by_id[parent]["data"]["type"] == container
            data[flag] = inside
            if inside:
                data[id_key] = parent
            else:
                data.pop(id_key, None)


def _parents(nodes: list[Raw], by_id: dict[str, Raw], notes: Notes) -> dict[str, str | None]:
    """The container of each node; None at the top, and where the named one is missing or holds itself."""
    claims = {node["id"]: _claims(node) for node in nodes}
    parents: dict[str, str | None] = {}
    for node_id, claimed in claims.items():
        known = [claim for claim in claimed if _is_container(by_id.get(claim)) and claim != node_id]
        parents[node_id] = _innermost(known, claims) if known else None
        if claimed and not known:
            notes.add(
                f"its container {shorten(claimed[0], 40)} does not exist; it was put at the top", node_id
            )
    fine: set[str] = set()
    for node_id in parents:
        chain: dict[str, None] = {}
        current: str | None = node_id
        while current is not None and current not in fine and current not in chain:
            chain[current] = None
            current = parents[current]
        if current is not None and current in chain:
            notes.add("it stands in itself; it was put at the top", current)
            parents[current] = None
        fine.update(chain)
    return parents


def _claims(node: Raw) -> list[str]:
    """Containers that a node names: graphon's own field, React Flow's, then Dify's two."""
    data = node["data"]
    values = (data.get("container_id"), node.get("parentId"), data.get("iteration_id"), data.get("loop_id"))
    return list(dict.fromkeys(value for value in values if isinstance(value, str) and value))


def _is_container(node: Raw | None) -> bool:
    return node is not None and node["data"]["type"] in CONTAINERS


def _innermost(known: list[str], claims: dict[str, list[str]]) -> str:
    """Of two claimed containers the one that stands in the other; the first claim when neither does."""
    for claim in known:
        others = [other for other in known if other != claim]
        if others and all(other in claims[claim] for other in others):
            return claim
    return known[0]


def start_nodes(nodes: list[Raw], notes: Notes) -> tuple[list[Raw], list[Raw]]:
    """Give every loop and iteration its start node; returns the nodes with the new ones, and their edges.

    Dify 0.6 to 0.14 wrote iterations whose `start_node_id` is the first real child; Dify's canvas adds the
    iteration-start node when it opens such an app, and so do we (same id, `<iteration>start`).
    """
    by_id = {node["id"]: node for node in nodes}
    starts: dict[str, list[str]] = {}
    for node in nodes:
        parent = by_id.get(node.get("parentId", ""))
        if parent is not None and node["data"]["type"] == f"{parent['data']['type']}-start":
            starts.setdefault(parent["id"], []).append(node["id"])
    all_nodes: list[Raw] = []
    edges: list[Raw] = []
    for node in nodes:
        all_nodes.append(node)
        if node["data"]["type"] not in CONTAINERS:
            continue
        found, first = starts.get(node["id"]), node["data"].get("start_node_id")
        if found and first in found:
            continue
        if found:
            notes.add(f"its start_node_id was no {node['data']['type']}-start; it was corrected", node["id"])
            node["data"]["start_node_id"] = found[0]
            continue
        new = _start_node(node, by_id)
        by_id[new["id"]] = new
        all_nodes.append(new)
        node["data"]["start_node_id"] = new["id"]
        child = by_id.get(first) if isinstance(first, str) else None
        if child is not None and child.get("parentId") == node["id"]:
            edges.append(_start_edge(new, child))
            notes.add("it had no start node inside; one was added, as Dify's canvas does", node["id"])
        else:
            notes.add("it has no start node inside, so its rounds do nothing; one was added", node["id"])
    return all_nodes, edges


def _start_node(container: Raw, taken: Mapping[str, Raw]) -> Raw:
    kind, start_id = container["data"]["type"], f"{container['id']}start"
    while start_id in taken:
        start_id += "0"
    return {
        "id": start_id,
        "type": f"custom-{kind}-start",
        "parentId": container["id"],
        "position": {"x": 24, "y": 68},
        "data": {"type": f"{kind}-start", "title": "", "desc": "", **_inside(kind, container["id"])},
    }


def _inside(kind: str, container_id: str) -> Raw:
    return {CONTAINERS[kind][0]: container_id, CONTAINERS[kind][1]: True}


def _start_edge(start: Raw, child: Raw) -> Raw:
    kind = start["data"]["type"].removesuffix("-start")
    return {
        "id": f"{start['id']}-source-{child['id']}-target",
        "type": "custom",
        "source": start["id"],
        "sourceHandle": "source",
        "target": child["id"],
        "targetHandle": "target",
        "data": {
            "sourceType": start["data"]["type"],
            "targetType": child["data"]["type"],
            CONTAINERS[kind][1]: True,
        },
    }
