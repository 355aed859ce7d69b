"""Small apps for tests of single nodes: start -> n -> end, as APP of the protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

MODEL = {"provider": "langgenius/openai/openai", "name": "gpt-test", "mode": "chat", "completion_params": {}}
LLM = {
    "type": "llm",
    "model": MODEL,
    "prompt_template": [{"role": "user", "text": "{{#sys.query#}}"}],
    "context": {"enabled": False},
    "vision": {"enabled": False},
}
CLASSIFIER = {
    "type": "question-classifier",
    "model": MODEL,
    "query_variable_selector": ["sys", "query"],
    "classes": [{"id": "1", "name": "refund"}, {"id": "2", "name": "other"}],
}
EXTRACTOR = {
    "type": "parameter-extractor",
    "model": MODEL,
    "query": ["sys", "query"],
    "reasoning_mode": "function_call",
    "parameters": [
        {"name": name, "type": kind, "description": name, "required": True, **more}
        for name, kind, more in (
            ("city", "string", {}),
            ("days", "number", {}),
            ("urgent", "bool", {}),
            ("size", "select", {"options": ["S", "L"]}),
            ("tags", "array[string]", {}),
            ("marks", "array[number]", {}),
            ("rows", "array[object]", {}),
            ("flags", "array[boolean]", {}),
        )
    ],
}
CODE = {
    "type": "code",
    "code_language": "python3",
    "code": "def main(q):\n    return {'r': q.upper()}",
    "variables": [{"variable": "q", "value_selector": ["sys", "query"]}],
    "outputs": {"r": {"type": "string"}},
}
HTTP = {
    "type": "http-request",
    "method": "get",
    "url": "http://example.test/x",
    "authorization": {"type": "no-auth"},
    "headers": "",
    "params": "",
    "body": {"type": "none", "data": []},
}
TOOL = {
    "type": "tool",
    "provider_id": "time",
    "provider_type": "builtin",
    "provider_name": "time",
    "tool_name": "now",
    "tool_label": "Now",
    "tool_configurations": {},
    "tool_parameters": {"q": {"type": "mixed", "value": "{{#sys.query#}}"}},
}
TEMPLATE = {
    "type": "template-transform",
    "template": "{{ q|upper }}",
    "variables": [{"variable": "q", "value_selector": ["sys", "query"]}],
}
RETRY = {"retry_config": {"retry_enabled": True, "max_retries": 3, "retry_interval": 1}}


def node(node_id: str, data: Mapping[str, Any], parent: str | None = None) -> dict[str, Any]:
    made = {"id": node_id, "data": {"title": node_id, **data}}
    return made | ({"parentId": parent} if parent else {})


def edge(source: str, target: str, handle: str = "source") -> dict[str, Any]:
    edge_id = f"{source}-{handle}-{target}"
    return {
        "id": edge_id,
        "source": source,
        "target": target,
        "sourceHandle": handle,
        "targetHandle": "target",
    }


def app(
    nodes: Sequence[Mapping[str, Any]], edges: Sequence[Mapping[str, Any]], root: str = "start", **more: Any
) -> dict[str, Any]:
    empty: dict[str, Any] = {"environment_variables": [], "conversation_variables": []}
    return {**empty, "graph": {"nodes": list(nodes), "edges": list(edges)}, "root": root, **more}


START = node("start", {"type": "start", "variables": []})


def single(
    data: Mapping[str, Any], *outputs: Sequence[str], handles: Sequence[str] = ("source",)
) -> dict[str, Any]:
    """One node `n` between start and an end that reads the given outputs of it."""
    read = [{"variable": ".".join(o), "value_selector": ["n", *o]} for o in outputs]
    end = node("end", {"type": "end", "outputs": read})
    edges = [edge("start", "n"), *(edge("n", "end", handle) for handle in handles)]
    return app([START, node("n", data), end], edges)


def iteration(inner: Mapping[str, Any], output: Sequence[str]) -> dict[str, Any]:
    """Three items through one inner node `n`."""
    items = {**CODE, "variables": [], "outputs": {"items": {"type": "array[string]"}}}
    container = {
        "type": "iteration",
        "start_node_id": "first",
        "iterator_selector": ["list", "items"],
        "output_selector": ["n", *output],
        "iterator_input_type": "array[string]",
        "output_type": "array[string]",
        "is_parallel": False,
        "parallel_nums": 1,
        "error_handle_mode": "terminated",
    }
    inside = {"isInIteration": True, "iteration_id": "each"}
    end = node("end", {"type": "end", "outputs": [{"variable": "all", "value_selector": ["each", "output"]}]})
    return app(
        [
            START,
            node("list", items),
            node("each", container),
            node("first", {"type": "iteration-start", **inside}, "each"),
            node("n", {**inner, **inside}, "each"),
            end,
        ],
        [edge("start", "list"), edge("list", "each"), edge("each", "end"), edge("first", "n")],
    )


def loop(inner: Mapping[str, Any], rounds: int = 3) -> dict[str, Any]:
    """So many rounds of one inner node `n`."""
    container = {
        "type": "loop",
        "start_node_id": "first",
        "loop_count": rounds,
        "break_conditions": [],
        "logical_operator": "and",
        "loop_variables": [],
    }
    inside = {"isInLoop": True, "loop_id": "again"}
    end = node("end", {"type": "end", "outputs": []})
    return app(
        [
            START,
            node("again", container),
            node("first", {"type": "loop-start", **inside}, "again"),
            node("n", {**inner, **inside}, "again"),
            end,
        ],
        [edge("start", "again"), edge("again", "end"), edge("first", "n")],
    )
