"""Apps and sessions that lessons make: each is a file in the working directory, to look at and change."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

Nodes = dict[str, dict[str, Any]]
Edge = tuple[str, str, str]
"""Source, handle, target."""


def diamonds(count: int) -> Path:
    """`count` conditions in a row; after each both sides meet again; then an Answer."""
    condition = {"variable_selector": ["sys", "query"], "comparison_operator": "not empty", "value": ""}
    case = {"case_id": "true", "logical_operator": "and", "conditions": [condition]}
    nodes: Nodes = {"start": {"type": "start", "variables": []}}
    edges: list[Edge] = []
    last = "start"
    for n in range(1, count + 1):
        choice, meet = f"if{n}", f"meet{n}"
        nodes[choice] = {"type": "if-else", "cases": [case]}
        edges.append((last, "source", choice))
        for side in ("true", "false"):
            nodes[f"{side}{n}"] = {"type": "template-transform", "template": "x", "variables": []}
            edges += [(choice, side, f"{side}{n}"), (f"{side}{n}", "source", meet)]
        nodes[meet] = {"type": "template-transform", "template": "x", "variables": []}
        last = meet
    nodes["answer"] = {"type": "answer", "answer": "done"}
    return _write(f"{count} diamonds", nodes, [*edges, (last, "source", "answer")])


def two_models() -> Path:
    """Two models with memory in a row, *sort* and *say*; the Answer says only the second one's text."""
    model = {
        "type": "llm",
        "model": {"provider": "p", "name": "m", "mode": "chat", "completion_params": {}},
        "memory": {"window": {"enabled": False, "size": 50}, "query_prompt_template": "{{#sys.query#}}"},
        "context": {"enabled": False, "variable_selector": []},
        "vision": {"enabled": False},
    }
    nodes: Nodes = {
        "start": {"type": "start", "variables": []},
        "sort": {**model, "prompt_template": [{"role": "system", "text": "Name the kind of the question."}]},
        "say": {**model, "prompt_template": [{"role": "system", "text": "Speak to the customer."}]},
        "answer": {"type": "answer", "answer": "{{#say.text#}}"},
    }
    return _write("two models", nodes, [(a, "source", b) for a, b in pairwise(nodes)])


def agent_session(turns: int) -> Path:
    """The session of an Agent (v2) that looked an order up with a tool in each of its turns."""
    messages: list[dict[str, Any]] = []
    for turn in range(1, turns + 1):
        call = {"tool_name": "look_up", "tool_call_id": f"call-{turn}"}
        order = {"order": turn, "lines": [f"item {line}, one piece, in stock" for line in range(20)]}
        messages += [
            _message("request", "user-prompt", content=f"Where is order {turn}?"),
            _message("response", "tool-call", args={"order": turn}, **call),
            _message("request", "tool-return", content=json.dumps(order), **call),
            _message("response", "text", content=f"Order {turn} is on its way."),
        ]
    history = {"name": "history", "lifecycle_state": "suspended", "runtime_state": {"messages": messages}}
    file = Path("session.json")
    file.write_text(json.dumps({"schema_version": 1, "layers": [history]}), encoding="utf-8")
    return file


def _message(kind: str, part: str, **of_part: Any) -> dict[str, Any]:
    return {"kind": kind, "parts": [{"part_kind": part, **of_part}]}


def _write(name: str, nodes: Nodes, edges: list[Edge]) -> Path:
    graph = {
        "nodes": [{"id": node, "data": {"title": node, **data}} for node, data in nodes.items()],
        "edges": [
            {"id": f"{a}-{handle}-{b}", "source": a, "sourceHandle": handle, "target": b}
            for a, handle, b in edges
        ],
    }
    app = {
        "kind": "app",
        "version": "0.6.0",
        "app": {"name": name, "mode": "advanced-chat"},
        "workflow": {"graph": graph},
    }
    file = Path(f"{name.replace(' ', '-')}.yml")
    file.write_text(json.dumps(app, indent=1), encoding="utf-8")
    return file
