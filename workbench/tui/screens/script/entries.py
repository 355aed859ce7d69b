"""What can be put into a script: an entry for each node of the app that asks the outside world."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from workbench.records.app import App
from workbench.records.script_rules import KEYS_OF_TYPE, SELF_MADE, UNKNOWN_TYPE

_BODIES: dict[str, tuple[str, ...]] = {
    "llm": ('chunks: ["Hello ", "world"]',),
    "agent": ('chunks: ["Done."]',),
    "tool": ("text: found",),
    "http-request": ("status: 200", 'body: "{}"'),
    "code": ("outputs: {}",),
    "parameter-extractor": ("outputs: {}",),
    "knowledge-retrieval": ('results: [{title: "A page", content: "Its text"}]',),
    "template-transform": ("delay: 0.5",),
}


@dataclass(frozen=True, slots=True)
class Place:
    """A node that can be scripted.

    Attributes:
        keys: what its entry may say.
        entry: lines that stand for it in a script, below `nodes:`.
    """

    id: str
    title: str
    type: str
    keys: tuple[str, ...]
    entry: tuple[str, ...]


def places(app: App) -> list[Place]:
    """The scriptable nodes of an app, in its order."""
    found: list[Place] = []
    for node in app.graph["nodes"]:
        data = node["data"]
        kind = str(data["type"])
        if kind in SELF_MADE:
            continue
        keys = tuple(sorted(KEYS_OF_TYPE.get(kind, UNKNOWN_TYPE)))
        lines = (f"  {_key(node['id'])}:", *(f"    {line}" for line in _body(kind, data)))
        found.append(Place(node["id"], str(data.get("title") or node["id"]), kind, keys, lines))
    return found


def _key(node_id: str) -> str:
    """An id as a YAML key: digits alone would be read as a number."""
    plain = node_id.replace("_", "").replace("-", "").isalnum() and node_id.isascii()
    return node_id if plain and not node_id[0].isdigit() and node_id[0] != "-" else json.dumps(node_id)


def _body(kind: str, data: dict[str, Any]) -> tuple[str, ...]:
    if kind == "human-input":
        actions = [str(each.get("id")) for each in data.get("user_actions") or () if isinstance(each, dict)]
        action = json.dumps(actions[0] if actions else "submit")
        return (f"submit: {{action: {action}, fields: {{}}}}",)
    if kind == "question-classifier":
        classes = [str(each.get("id")) for each in data.get("classes") or () if isinstance(each, dict)]
        return (f"class: {json.dumps(classes[0] if classes else '1')}",)
    says_text = "text" in KEYS_OF_TYPE.get(kind, UNKNOWN_TYPE)
    return _BODIES.get(kind, ("text: an answer",) if says_text else ("outputs: {}",))


def inserted(text: str, place: Place) -> str:
    """The script with the entry of a node at its end; `nodes:` is written where it is missing."""
    body = text.rstrip()
    if not any(line.startswith("nodes:") for line in body.split("\n")):
        body = f"{body}\nnodes:" if body else "nodes:"
    return "\n".join((body, *place.entry, ""))


def whole(found: list[Place]) -> str:
    """A script with an entry for every node."""
    lines = ["nodes:"]
    for place in found:
        lines.append(f"  # {place.title.splitlines()[0][:60] if place.title.strip() else place.id}")
        lines += place.entry
    return "\n".join((*lines, "")) if found else ""
