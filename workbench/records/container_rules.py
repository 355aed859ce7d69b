"""Which loop or iteration holds which node, in the three spellings that Dify has used.

graphon 0.8 takes `parentId` (graph/scoping.py); 0.5 to 0.7 look for `data.loop_id` and `data.iteration_id`
(nodes/loop/loop_node.py, nodes/iteration/iteration_node.py). After normalisation all of them agree.
"""

from __future__ import annotations

from typing import Any

from workbench.records.notes import Notes
from workbench.records.reading import shorten

CONTAINERS = {"loop": ("loop_id", "isInLoop"), "iteration": ("iteration_id", "isInIteration")}

Raw = dict[str, Any]


def place_children(nodes: list[Raw], notes: Notes) -> None:
    """Give every child its `parentId` and the matching fields in its data; unknown parents are dropped."""
    by_id = {node["id"]: node for node in nodes}
    claims = {node["id"]: _claims(node) for node in nodes}
    for node in nodes:
        node_id, data = node["id"], node["data"]
        known = [claim for claim in claims[node_id] if _is_container(by_id.get(claim)) and claim != node_id]
        lost = [claim for claim in claims[node_id] if claim not in known]
        parent = _innermost(known, claims) if known else None
        if parent is not None and _holds_itself(node_id, parent, claims):
            lost, parent = [parent], None
        if parent is None:
            if lost:
                notes.add(
                    f"its container {shorten(lost[0], 40)} does not exist; it was put at the top", node_id
                )
            for key in ("parentId", "loop_id", "iteration_id", "isInLoop", "isInIteration"):
                node.pop(key, None)
                data.pop(key, None)
            continue
        if node.get("parentId") != parent:
            notes.add("it says only in its data which container holds it; `parentId` was added", node_id)
        node["parentId"] = parent
        for container, (id_key, flag) in CONTAINERS.items():
            inside = by_id[parent]["data"]["type"] == container
            data[flag] = inside
            if inside:
                data[id_key] = parent
            else:
                data.pop(id_key, None)
        data.pop("container_id", None)


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


def _holds_itself(node_id: str, parent: str, claims: dict[str, list[str]]) -> bool:
    seen: set[str] = set()
    waiting = [parent]
    while waiting:
        current = waiting.pop()
        if current == node_id:
            return True
        if current not in seen:
            seen.add(current)
            waiting.extend(claims.get(current, ()))
    return False


def start_nodes(nodes: list[Raw], notes: Notes) -> list[Raw]:
    """Give every loop and iteration its start node; returns the edges from the new ones.

    Dify 0.6 to 0.14 wrote iterations whose `start_node_id` is the first real child; Dify's canvas adds the
    iteration-start node when it opens such an app, and so do we (same id, `<iteration>start`).
    """
    by_id = {node["id"]: node for node in nodes}
    edges: list[Raw] = []
    for container in [node for node in nodes if node["data"]["type"] in CONTAINERS]:
        kind, container_id = container["data"]["type"], container["id"]
        children = [node for node in nodes if node.get("parentId") == container_id]
        starts = [node["id"] for node in children if node["data"]["type"] == f"{kind}-start"]
        first = container["data"].get("start_node_id")
        if starts:
            if first not in starts:
                notes.add(f"its start_node_id was no {kind}-start; it was corrected", container_id)
                container["data"]["start_node_id"] = starts[0]
            continue
        start_id = _free_id(f"{container_id}start", by_id)
        new: Raw = {
            "id": start_id,
            "type": f"custom-{kind}-start",
            "parentId": container_id,
            "position": {"x": 24, "y": 68},
            "data": {"type": f"{kind}-start", "title": "", "desc": "", **_inside(kind, container_id)},
        }
        nodes.insert(nodes.index(container) + 1, new)
        by_id[start_id] = new
        container["data"]["start_node_id"] = start_id
        child = by_id.get(first) if isinstance(first, str) else None
        if child is not None and child.get("parentId") == container_id:
            edges.append(_start_edge(start_id, kind, child))
            notes.add(f"it had no {kind}-start node; one was added, as Dify's canvas does", container_id)
        else:
            notes.add(
                f"it has no start node inside, so its rounds do nothing; a {kind}-start was added",
                container_id,
            )
    return edges


def _inside(kind: str, container_id: str) -> Raw:
    return {CONTAINERS[kind][0]: container_id, CONTAINERS[kind][1]: True}


def _start_edge(start_id: str, kind: str, child: Raw) -> Raw:
    return {
        "id": f"{start_id}-source-{child['id']}-target",
        "type": "custom",
        "source": start_id,
        "sourceHandle": "source",
        "target": child["id"],
        "targetHandle": "target",
        "data": {
            "sourceType": f"{kind}-start",
            "targetType": child["data"]["type"],
            CONTAINERS[kind][1]: True,
        },
    }


def _free_id(wish: str, taken: dict[str, Raw]) -> str:
    while wish in taken:
        wish += "0"
    return wish
