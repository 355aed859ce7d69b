"""The outputs that a node is known to have, by its type (graphon nodes/*)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from workbench.core.graph import Node

_FIXED: Final[Mapping[str, frozenset[str]]] = {
    "llm": frozenset({"text", "usage", "reasoning_content", "structured_output", "files", "finish_reason"}),
    "template-transform": frozenset({"output"}),
    "http-request": frozenset({"body", "status_code", "headers", "files"}),
    "list-operator": frozenset({"result", "first_record", "last_record"}),
    "document-extractor": frozenset({"text"}),
    "answer": frozenset({"answer", "files"}),
    "iteration": frozenset({"output", "index", "item"}),
    "assigner": frozenset(),
}
_ERRORS: Final = frozenset({"error_message", "error_type"})
_FORM: Final = frozenset({"__action_id", "__action_value", "__rendered_content"})


def outputs_of(node: Node) -> frozenset[str] | None:
    """Names of the outputs that a node can have; None where that is not known from the app alone."""
    if node.type in _FIXED:
        return _FIXED[node.type] | _ERRORS
    read = _READERS.get(node.type)
    names = read(node.data) if read is not None else None
    return None if names is None else frozenset(names) | _ERRORS


def _start(data: Mapping[str, Any]) -> set[str]:
    return _names(data.get("variables"), "variable") | {"sys"}


def _code(data: Mapping[str, Any]) -> set[str] | None:
    outputs = data.get("outputs")
    return set(outputs) if isinstance(outputs, Mapping) else None


def _extractor(data: Mapping[str, Any]) -> set[str]:
    return _names(data.get("parameters"), "name") | {"__is_success", "__reason", "__usage", "usage"}


def _form(data: Mapping[str, Any]) -> set[str]:
    fields = data.get("inputs")
    return (
        _names(fields, "output_variable_name") | _names(fields, "name") | _names(fields, "variable") | _FORM
    )


def _loop(data: Mapping[str, Any]) -> set[str]:
    return _names(data.get("loop_variables"), "label") | {"loop_round", "index", "item"}


def _aggregator(data: Mapping[str, Any]) -> set[str]:
    settings = data.get("advanced_settings")
    if isinstance(settings, Mapping) and settings.get("group_enabled"):
        return _names(settings.get("groups"), "group_name")
    return {"output"}


def _names(entries: Any, key: str) -> set[str]:
    if not isinstance(entries, list):
        return set()
    return {e[key] for e in entries if isinstance(e, Mapping) and isinstance(e.get(key), str)}


_READERS: Final = {
    "start": _start,
    "code": _code,
    "parameter-extractor": _extractor,
    "human-input": _form,
    "loop": _loop,
    "variable-aggregator": _aggregator,
    "variable-assigner": _aggregator,
}
