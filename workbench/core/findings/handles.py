"""The handles that a branch can leave by, as far as its own data says (graphon nodes/*)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from workbench.core.graph import Node

TIMEOUT: Final = "__timeout"
FAIL: Final = "fail-branch"
_LISTED: Final = {
    "if-else": ("cases", "case_id"),
    "question-classifier": ("classes", "id"),
    "human-input": ("user_actions", "id"),
}


def possible_handles(node: Node) -> tuple[str, ...] | None:
    """Every handle that a node may choose; None where it takes all its edges, or does not say."""
    if node.kind != "branch":
        return None
    failing = (FAIL,) if node.data.get("error_strategy") == FAIL else ()
    if node.type not in _LISTED:
        return ("source", *failing) if failing else None
    key, name = _LISTED[node.type]
    entries = node.data.get(key)
    if node.type == "if-else" and entries is None:
        return ("true", "false", *failing)  # one condition, as before Dify 0.7
    if not isinstance(entries, list):
        return None
    chosen = [_text(entry, name) for entry in entries if isinstance(entry, Mapping)]
    last = {"if-else": "false", "human-input": TIMEOUT}.get(node.type)
    return tuple(dict.fromkeys([*chosen, *([last] if last else []), *failing]))


def _text(entry: Mapping[str, Any], name: str) -> str:
    return str(entry.get(name) or entry.get("id"))
