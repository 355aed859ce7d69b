"""What the rest of an app expects of a node's outputs: read from every selector that names them. Pure, plain
JSON.

A tool, an agent or a plugin's trigger may give any output, and a DSL does not say its type. Its readers
often do: an iteration needs a list, a code node declares the type of each input, a conversation variable has
one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_REFERENCE = re.compile(r"\{\{#([^#{}\s]{1,200})#\}\}")
_WEAK = "string"
MOST_DEPTH = 40

Hints = Mapping[str, Mapping[str, str]]


def expected_outputs(app: Mapping[str, Any]) -> Hints:
    """{node id: {output name: type}} for every output that some node reads; "string" where nothing says
    more."""
    graph = app.get("graph")
    nodes = graph.get("nodes") if isinstance(graph, Mapping) else None
    nodes = [n for n in nodes or () if isinstance(n, Mapping) and isinstance(n.get("data"), Mapping)]
    ids = {str(n.get("id")) for n in nodes}
    conversation = {
        str(v.get("name")): str(v.get("value_type") or "string")
        for v in app.get("conversation_variables") or ()
        if isinstance(v, Mapping)
    }
    found: dict[str, dict[str, str]] = {}
    for node in nodes:
        data = node["data"]
        for selector, kind in (*_typed(data, conversation), *_untyped(data)):
            if len(selector) < 2 or selector[0] not in ids:
                continue
            names = found.setdefault(selector[0], {})
            # {{#tool.json.name#}} reads a part: the output itself is an object.
            kind = "object" if len(selector) > 2 else kind
            if names.get(selector[1], _WEAK) == _WEAK:
                names[selector[1]] = kind
    return found


def _selector(value: Any) -> list[str]:
    if isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(p, str) for p in value):
        return list(value)
    return []


def _typed(data: Mapping[str, Any], conversation: Mapping[str, str]) -> Iterator[tuple[list[str], str]]:
    """Selectors whose reader says which type it needs."""
    kind = data.get("type")
    if kind == "iteration":
        yield (
            _selector(data.get("iterator_selector")),
            str(data.get("iterator_input_type") or "array[string]"),
        )
    if kind == "list-operator":
        yield _selector(data.get("variable")), str(data.get("var_type") or "array[string]")
    for variable in data.get("variables") or ():
        if isinstance(variable, Mapping) and variable.get("value_type"):
            yield _selector(variable.get("value_selector")), str(variable["value_type"])
    for output in data.get("outputs") or () if isinstance(data.get("outputs"), list) else ():
        if isinstance(output, Mapping) and output.get("value_type"):
            yield _selector(output.get("value_selector")), str(output["value_type"])
    for case in (*(data.get("cases") or ()), data):
        for condition in case.get("conditions") or () if isinstance(case, Mapping) else ():
            if isinstance(condition, Mapping) and condition.get("varType"):
                yield _selector(condition.get("variable_selector")), str(condition["varType"])
    for item in data.get("items") or ():
        if isinstance(item, Mapping) and item.get("input_type") == "variable":
            target = _selector(item.get("variable_selector"))
            if len(target) == 2 and target[0] == "conversation" and target[1] in conversation:
                yield (
                    _selector(item.get("value")),
                    _operand(conversation[target[1]], str(item.get("operation"))),
                )
    if kind == "assigner" and data.get("input_variable_selector"):
        target = _selector(data.get("assigned_variable_selector"))
        if len(target) == 2 and target[1] in conversation:
            yield (
                _selector(data["input_variable_selector"]),
                _operand(conversation[target[1]], str(data.get("write_mode"))),
            )
    for variable in data.get("loop_variables") or ():
        if isinstance(variable, Mapping) and variable.get("value_type") == "variable":
            yield _selector(variable.get("value")), str(variable.get("var_type") or _WEAK)


def _operand(target: str, operation: str) -> str:
    """The type that an assigner's operation takes for a target of the given type (append: one item)."""
    if operation == "append" and target.startswith("array["):
        return target[6:-1]
    return target


def _untyped(value: Any, depth: int = 0) -> Iterator[tuple[list[str], str]]:
    """Every other mention: lists that look like selectors, and {{#node.name#}} in any text."""
    if depth > MOST_DEPTH:
        return
    if isinstance(value, str):
        for match in _REFERENCE.finditer(value):
            yield match[1].split("."), _WEAK
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _untyped(part, depth + 1)
    elif isinstance(value, Sequence):
        selector = _selector(value)
        if len(selector) >= 2:
            yield selector, _WEAK
        for part in value:
            yield from _untyped(part, depth + 1)
