"""What the rest of an app expects of a node's outputs: read from every selector that names them. Pure, plain
JSON.

A tool, an agent or a plugin's trigger may give any output, and a DSL does not say its type. Its readers
often do: an iteration needs a list, a conversation variable has a type, a request needs a URL and a JSON
body needs JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .shapes import finer

_REFERENCE = re.compile(r"\{\{#([^#{}\s]{1,200})#\}\}")
_PARSES_JSON = re.compile(r"json\.loads\(|JSON\.parse\(")
_WEAK = "string"
_MOST_DEPTH = 40
_MOST_PASSES = 6

Hints = Mapping[str, Mapping[str, str]]
Found = Iterator[tuple[list[str], str]]


def expected_outputs(app: Mapping[str, Any], *, parses: bool = False) -> Hints:
    """{node id: {output name: type}} for every output that some node reads; "string" where nothing says more.

    Types are Dify's, and "url" and "json" for text that must be one.

    Args:
        app: APP of the protocol.
        parses: code nodes run for real, so text that they parse must be JSON.
    """
    graph = app.get("graph")
    nodes = graph.get("nodes") if isinstance(graph, Mapping) else None
    nodes = [n for n in nodes or () if isinstance(n, Mapping) and isinstance(n.get("data"), Mapping)]
    data_of = {str(n.get("id")): n["data"] for n in nodes}
    conversation = {
        str(v.get("name")): str(v.get("value_type") or "string")
        for v in app.get("conversation_variables") or ()
        if isinstance(v, Mapping)
    }
    found: dict[str, dict[str, str]] = {}
    for data in data_of.values():
        _note(found, data_of, _typed(data, conversation, parses))
    for data in data_of.values():
        _note(found, data_of, _mentioned(data))
    for _ in range(_MOST_PASSES):
        if not _note(found, data_of, _passed_on(found, data_of)):
            break
    return found


def _note(found: dict[str, dict[str, str]], known: Mapping[str, Any], said: Found) -> bool:
    """Keep what is said of known nodes, the first strong word on each output; true if something is new."""
    is_new = False
    for selector, kind in list(said):
        if len(selector) < 2 or selector[0] not in known:
            continue
        names = found.setdefault(selector[0], {})
        # {{#tool.json.name#}} reads a part: the output itself is an object.
        kind = "object" if len(selector) > 2 else kind
        before = names.get(selector[1])
        if before is None or (before == _WEAK != kind) or finer(before, kind) != before:
            names[selector[1]] = kind
            is_new = True
    return is_new


def _selector(value: Any) -> list[str]:
    if isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(p, str) for p in value):
        return list(value)
    return []


def _items(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _typed(data: Mapping[str, Any], conversation: Mapping[str, str], parses: bool) -> Found:
    """Selectors whose reader says which type it needs."""
    kind = data.get("type")
    if kind == "iteration":
        yield (
            _selector(data.get("iterator_selector")),
            str(data.get("iterator_input_type") or "array[string]"),
        )
    if kind == "list-operator":
        yield _selector(data.get("variable")), str(data.get("var_type") or "array[string]")
    if kind == "http-request":
        yield from _requested(data)
    parses = parses and kind == "code" and bool(_PARSES_JSON.search(str(data.get("code") or "")))
    for variable in _items(data.get("variables")):
        wanted = str(variable.get("value_type") or _WEAK)
        wanted = "json" if parses and wanted == "string" else wanted
        yield _selector(variable.get("value_selector")), wanted
    for output in _items(data.get("outputs")):
        yield _selector(output.get("value_selector")), str(output.get("value_type") or _WEAK)
    for case in (*_items(data.get("cases")), data):
        for condition in _items(case.get("conditions")):
            yield _selector(condition.get("variable_selector")), str(condition.get("varType") or _WEAK)
    for item in _items(data.get("items")):
        if item.get("input_type") == "variable":
            target = _selector(item.get("variable_selector"))
            wanted = conversation.get(target[-1], _WEAK) if target[:1] == ["conversation"] else _WEAK
            yield _selector(item.get("value")), _operand(wanted, str(item.get("operation")))
    if kind == "assigner" and data.get("input_variable_selector"):
        target = _selector(data.get("assigned_variable_selector"))
        wanted = conversation.get(target[-1], _WEAK) if target else _WEAK
        yield _selector(data["input_variable_selector"]), _operand(wanted, str(data.get("write_mode")))
    for variable in _items(data.get("loop_variables")):
        if variable.get("value_type") == "variable":
            yield _selector(variable.get("value")), str(variable.get("var_type") or _WEAK)


def _operand(target: str, operation: str) -> str:
    """The type that an assigner's operation takes for a target of the given type (append: one item)."""
    if operation == "append" and target.startswith("array["):
        return target[6:-1]
    return target


def _requested(data: Mapping[str, Any]) -> Found:
    """A URL that begins with a variable, and variables that stand in a JSON body outside of its strings."""
    url = _REFERENCE.match(str(data.get("url") or "").strip())
    if url:
        yield url[1].split("."), "url"
    body = data.get("body")
    if not isinstance(body, Mapping) or body.get("type") != "json":
        return
    content = body.get("data")
    parts = [item.get("value") for item in _items(content)] if isinstance(content, list) else [content]
    for text in parts:
        for match in _REFERENCE.finditer(text) if isinstance(text, str) else ():
            before = text[: match.start()].replace('\\"', "")
            if before.count('"') % 2 == 0:
                yield match[1].split("."), "json"


def _mentioned(value: Any, depth: int = 0) -> Found:
    """Every other mention: lists that look like selectors, and {{#node.name#}} in any text."""
    if depth > _MOST_DEPTH:
        return
    if isinstance(value, str):
        for match in _REFERENCE.finditer(value):
            yield match[1].split("."), _WEAK
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _mentioned(part, depth + 1)
    elif isinstance(value, Sequence):
        selector = _selector(value)
        if len(selector) >= 2:
            yield selector, _WEAK
        for part in value:
            yield from _mentioned(part, depth + 1)


def _passed_on(found: Hints, data_of: Mapping[str, Mapping[str, Any]]) -> Found:
    """What is wanted of a node that only hands on: an aggregator's variables, an iteration's list, its last
    result."""
    for node_id, data in data_of.items():
        wanted = found.get(node_id, {})
        match data.get("type"):
            case "variable-aggregator" | "variable-assigner":
                for selector in data.get("variables") or ():
                    yield _selector(selector), wanted.get("output", _WEAK)
            case "iteration":
                item = wanted.get("item")
                if item in ("url", "json"):
                    yield _selector(data.get("iterator_selector")), f"array[{item}]"
                output = wanted.get("output", "")
                if output in ("array[url]", "array[json]"):
                    yield _selector(data.get("output_selector")), output[6:-1]
