"""Random chatflows with one to three pauses, small enough to read when one fails."""

from __future__ import annotations

from random import Random
from typing import Any

Data = dict[str, Any]


def random_app(seed: int) -> tuple[bytes, dict[str, Any]]:
    """An exported app (JSON is YAML) and its script."""
    import json

    draw = Random(seed)
    kinds = _kinds(draw)
    nodes = {node: _node(node, kind) for node, kind in kinds.items()}
    edges = _edges(draw, kinds)
    for node, kind in kinds.items():
        if kind == "answer":
            nodes[node]["answer"] = _template(draw, node, kinds, edges)
    document = {
        "kind": "app",
        "version": "0.6.0",
        "app": {"name": f"random {seed}", "mode": "advanced-chat"},
        "workflow": {
            "graph": {
                "nodes": [{"id": n, "type": "custom", "data": data} for n, data in nodes.items()],
                "edges": [
                    {
                        "id": f"{a}-{h}-{b}",
                        "source": a,
                        "sourceHandle": h,
                        "target": b,
                        "targetHandle": "target",
                    }
                    for a, h, b in edges
                ],
            },
            "environment_variables": [],
            "conversation_variables": [
                {
                    "id": "c",
                    "name": "c",
                    "value_type": "string",
                    "value": "OLD",
                    "selector": ["conversation", "c"],
                }
            ],
            "features": {},
        },
    }
    script = {
        "nodes": {n: {"chunks": [f"{n}a ", f"{n}b "]} for n, kind in kinds.items() if kind == "llm"},
    }
    return json.dumps(document).encode(), script


def _kinds(draw: Random) -> dict[str, str]:
    """Node kinds in a topological order; at least one human-input with an Answer behind it."""
    inner = draw.choices(
        ["answer", "if-else", "llm", "template", "assigner", "human"],
        [4, 3, 3, 2, 1, 0],
        k=draw.randint(2, 8),
    )
    for _ in range(draw.randint(1, 3)):
        inner.insert(draw.randint(0, len(inner)), "human")
    kinds = {"start": "start"}
    for at, kind in enumerate([*inner, "answer"]):
        kinds[f"{kind[0]}{at}"] = kind
    return kinds


def _handles(kind: str) -> list[str]:
    return {"if-else": ["true", "false"], "human": ["approve", "reject"]}.get(kind, ["source"])


def _edges(draw: Random, kinds: dict[str, str]) -> list[tuple[str, str, str]]:
    """Every node hangs on one to two earlier ones, mostly on the newest: long chains with some joins."""
    order = list(kinds)
    edges: list[tuple[str, str, str]] = []
    for at, node in enumerate(order[1:], 1):
        near = order[max(0, at - 3) : at]
        sources = {near[-1]} if draw.random() < 0.6 else {draw.choice(near)}
        if draw.random() < 0.25:
            sources.add(draw.choice(near))
        for source in sorted(sources):
            handles = _handles(kinds[source])
            edges.append((source, handles[0] if draw.random() < 0.85 else handles[-1], node))
    draw.shuffle(edges)
    return edges


def _template(draw: Random, node: str, kinds: dict[str, str], edges: list[tuple[str, str, str]]) -> str:
    """Words and variables of nodes that stand before this one on some path; each variable at most once."""
    before = _ancestors(node, edges)
    outputs = {"llm": "text", "template": "output", "human": "note"}
    names = [f"{n}.{outputs[kinds[n]]}" for n in before if kinds[n] in outputs] + ["conversation.c"]
    draw.shuffle(names)
    parts = [f"{node}:"]
    for name in names[: draw.randint(0, 3)]:
        parts.append("{{#" + name + "#}}")
        if draw.random() < 0.5:
            parts.append(draw.choice([" and ", "; ", "\n"]))
    return "".join([*parts, "."])


def _ancestors(node: str, edges: list[tuple[str, str, str]]) -> list[str]:
    found: list[str] = []
    todo = [node]
    while todo:
        target = todo.pop()
        for source in sorted({a for a, _, b in edges if b == target}):
            if source not in found:
                found.append(source)
                todo.append(source)
    return sorted(found)


def _node(node: str, kind: str) -> Data:
    data: Data = {"title": node, "desc": "", "type": kind}
    if kind == "start":
        data["variables"] = []
    elif kind == "if-else":
        condition = {
            "id": "c",
            "variable_selector": ["sys", "query"],
            "comparison_operator": "is not",
            "value": "never",
            "varType": "string",
        }
        data["cases"] = [
            {"id": "true", "case_id": "true", "logical_operator": "and", "conditions": [condition]}
        ]
    elif kind == "llm":
        data |= {
            "model": {"provider": "p", "name": "m", "mode": "chat", "completion_params": {}},
            "prompt_template": [{"role": "user", "text": "hi"}],
            "context": {"enabled": False, "variable_selector": []},
            "vision": {"enabled": False},
        }
    elif kind == "template":
        data |= {"type": "template-transform", "template": f"<{node}>", "variables": []}
    elif kind == "assigner":
        item = {
            "variable_selector": ["conversation", "c"],
            "input_type": "constant",
            "operation": "over-write",
            "value": f"NEW-{node}",
        }
        data |= {"version": "2", "items": [item]}
    elif kind == "human":
        data |= {
            "type": "human-input",
            "form_content": "?",
            "delivery_methods": [],
            "inputs": [{"type": "paragraph", "output_variable_name": "note"}],
            "user_actions": [{"id": a, "title": a, "button_style": "default"} for a in ("approve", "reject")],
            "timeout": 3,
            "timeout_unit": "day",
        }
    return data
