"""Small apps as payloads of the protocol (APP), built in a few words."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

Json = dict[str, Any]


def node(node_id: str, kind: str, parent: str | None = None, **data: Any) -> Json:
    made: Json = {"id": node_id, "data": {"type": kind, "title": node_id.title(), **data}}
    if parent is not None:
        made["parentId"] = parent
    return made


def start() -> Json:
    return node("start", "start", variables=[])


def answer(node_id: str, text: str, parent: str | None = None) -> Json:
    return node(node_id, "answer", parent, answer=text, variables=[])


def llm(node_id: str, parent: str | None = None, **data: Any) -> Json:
    return node(
        node_id,
        "llm",
        parent,
        model={"provider": "p/p/p", "name": "m", "mode": "chat", "completion_params": {}},
        prompt_template=[{"role": "user", "text": "say"}],
        context={"enabled": False, "variable_selector": []},
        vision={"enabled": False},
        **data,
    )


def template(node_id: str, text: str, parent: str | None = None, **variables: Sequence[str]) -> Json:
    named = [{"variable": name, "value_selector": list(selector)} for name, selector in variables.items()]
    return node(node_id, "template-transform", parent, template=text, variables=named)


def human(
    node_id: str, parent: str | None = None, fields: Sequence[Mapping[str, Any]] = (), **data: Any
) -> Json:
    given: Json = {
        "form_content": "Please decide.",
        "delivery_methods": [],
        "inputs": [dict(field) for field in fields],
        "user_actions": [
            {"id": "approve", "title": "Approve", "button_style": "primary"},
            {"id": "reject", "title": "Reject", "button_style": "default"},
        ],
        "timeout": 3,
        "timeout_unit": "day",
    }
    return node(node_id, "human-input", parent, **{**given, **data})


def note(name: str = "note", default: Any = None) -> Json:
    return {
        "type": "paragraph",
        "output_variable_name": name,
        **({} if default is None else {"default": default}),
    }


def loop(node_id: str, first: str, count: int = 2, parent: str | None = None) -> list[Json]:
    """The loop node and its start marker `<id>_start`; the edge to `first` is `edge(<id>_start, first)`."""
    marker = f"{node_id}_start"
    return [
        node(
            node_id,
            "loop",
            parent,
            start_node_id=marker,
            loop_count=count,
            logical_operator="and",
            break_conditions=[],
            loop_variables=[],
        ),
        node(marker, "loop-start", node_id),
    ]


def iteration(
    node_id: str, items: Sequence[str], output: Sequence[str], parent: str | None = None, **data: Any
) -> list[Json]:
    marker = f"{node_id}_start"
    return [
        node(
            node_id,
            "iteration",
            parent,
            start_node_id=marker,
            iterator_selector=list(items),
            output_selector=list(output),
            **{"is_parallel": False, "parallel_nums": 3, "error_handle_mode": "terminated", **data},
        ),
        node(marker, "iteration-start", node_id),
    ]


def code(node_id: str, **outputs: str) -> Json:
    """Scripted: `outputs` are names and types."""
    return node(
        node_id,
        "code",
        code_language="python3",
        code="def main():\n    return {}",
        variables=[],
        outputs={name: {"type": kind, "children": None} for name, kind in outputs.items()},
    )


def edge(source: str, target: str, handle: str = "source") -> Json:
    return {"id": f"{source}-{handle}-{target}", "source": source, "target": target, "sourceHandle": handle}


def app(nodes: Sequence[Any], edges: Sequence[Json], **more: Any) -> Json:
    """`nodes` may hold lists (containers); the start node comes first and is added."""
    flat = [entry for part in nodes for entry in (part if isinstance(part, list) else [part])]
    return {"graph": {"nodes": [start(), *flat], "edges": list(edges)}, "root": "start", **more}


def chain(*nodes: Json, **more: Any) -> Json:
    """start and these nodes one after another; a human-input is left by `approve`."""
    names = ["start", *(entry["id"] for entry in nodes)]
    kinds = {"start": "start", **{entry["id"]: entry["data"]["type"] for entry in nodes}}
    pairs = itertools.pairwise(names)
    edges = [edge(a, b, "approve" if kinds[a] == "human-input" else "source") for a, b in pairs]
    return app(list(nodes), edges, **more)
