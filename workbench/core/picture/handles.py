"""What a branch's outgoing handles are called: DSLs name them by ids that say nothing to a reader."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.graph import Graph, Node

SINGLE = "source"
_PLAIN = {
    "success-branch": "success",
    "fail-branch": "on failure",
    "__timeout": "timeout",
    "true": "if",
    "false": "else",
}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _items(data: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = data.get(key)
    return [item for item in found if isinstance(item, Mapping)] if isinstance(found, list) else []


def declared(node: Node) -> dict[str, str]:
    """The handles that a node's own data declares, in the author's order, with their names."""
    data = node.data
    names: dict[str, str] = {}
    if node.type == "if-else":
        for at, case in enumerate(_items(data, "cases")):
            handle = _text(case.get("case_id")) or _text(case.get("id"))
            names[handle or "true"] = "if" if at == 0 else f"elif {at}"
        names.setdefault("true", "if") if not names else None
        names["false"] = "else"
    elif node.type == "question-classifier":
        for item in _items(data, "classes"):
            handle = _text(item.get("id"))
            names[handle] = _text(item.get("name")) or handle
    elif node.type == "human-input":
        for action in _items(data, "user_actions"):
            handle = _text(action.get("id"))
            names[handle] = _text(action.get("title")) or handle
        names["__timeout"] = "timeout"
    if data.get("error_strategy") == "fail-branch":
        if not names:
            names[_success(node)] = "success"
        names["fail-branch"] = "on failure"
    return names


def _success(node: Node) -> str:
    # Dify writes "source" for the success side in older DSLs and "success-branch" in newer ones.
    return "success-branch" if node.type not in ("if-else", "human-input") else SINGLE


def name_of(node: Node | None, handle: str) -> str:
    """The name of one handle; empty for a node's only way out."""
    if node is not None and handle in (known := declared(node)):
        return known[handle]
    if handle == SINGLE:
        return "success" if node is not None and node.data.get("error_strategy") == "fail-branch" else ""
    return _PLAIN.get(handle, handle)


def handles_in_use(graph: Graph) -> dict[str, dict[str, str]]:
    """For every node whose edges leave by named handles: handle to name, declared order first."""
    used: dict[str, dict[str, None]] = {}
    for edge in graph.edges.values():
        used.setdefault(edge.source, {})[edge.handle] = None
    result: dict[str, dict[str, str]] = {}
    for node_id, handles in used.items():
        node = graph.nodes.get(node_id)
        if node is None or (set(handles) == {SINGLE} and node.kind != "branch"):
            continue
        order = [h for h in declared(node) if h in handles]
        order += [h for h in handles if h not in order]
        result[node_id] = {handle: name_of(node, handle) for handle in order}
    return result
