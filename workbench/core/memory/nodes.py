"""The nodes of an app that read the conversation, and what each is set to.

Source: graphon `prompt_entities.py` (MemoryConfig), the node data of llm, question-classifier,
parameter-extractor and agent; which of them Dify gives a memory: facts, dify-memory.md, 5 and 7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.core.memory.settings import Caller

_CALLERS: Mapping[str, Caller] = {
    "llm": "llm",
    "question-classifier": "classifier",
    "parameter-extractor": "extractor",
    "agent": "agent-v1",
}


@dataclass(frozen=True)
class MemoryNode:
    """A node with memory.

    Attributes:
        window_enabled, window_size: as the app says; the size may be there while the window is off.
        max_tokens: what its completion parameters say; 0 when they do not.
        model: provider/name.
        query_template: what becomes the query message; "" is sys.query.
        prompt: its own prompt as (role, template text); empty where graphon builds it.
    """

    id: str
    title: str
    caller: Caller
    window_enabled: bool
    window_size: int | None
    max_tokens: int = 0
    model: str = ""
    prefixes: tuple[str, str] | None = None
    query_template: str = ""
    prompt: tuple[tuple[str, str], ...] = ()


def memory_nodes(graph: Mapping[str, Any]) -> tuple[MemoryNode, ...]:
    """The nodes with memory of a normalised graph (`App.graph`), in its order."""
    found = (memory_node(entry) for entry in graph["nodes"])
    return tuple(node for node in found if node is not None)


def memory_node(entry: Mapping[str, Any]) -> MemoryNode | None:
    """A node's memory, None for one that has none."""
    data: Mapping[str, Any] = entry["data"]
    caller = _CALLERS.get(str(data["type"]))
    memory = data.get("memory")
    model: Any = data.get("model")
    if caller == "agent-v1" and str(data.get("version")) == "2":
        return None
    if caller is None or not isinstance(memory, Mapping):
        return None
    model = model if isinstance(model, Mapping) else {}
    if caller == "llm" and model.get("mode") == "completion":
        caller = "llm-completion"
    window: Any = memory.get("window")
    window = window if isinstance(window, Mapping) else {}
    size = window.get("size")
    return MemoryNode(
        id=str(entry["id"]),
        title=str(data.get("title") or entry["id"]),
        caller=caller,
        window_enabled=window.get("enabled") is True,
        window_size=size if isinstance(size, int) and not isinstance(size, bool) else None,
        max_tokens=_max_tokens(model.get("completion_params")),
        model="/".join(str(model[key]) for key in ("provider", "name") if model.get(key)),
        prefixes=_prefixes(memory.get("role_prefix")),
        query_template=str(memory.get("query_prompt_template") or ""),
        prompt=tuple(_prompt(data.get("prompt_template"))) if caller in ("llm", "llm-completion") else (),
    )


def _max_tokens(parameters: Any) -> int:
    value = parameters.get("max_tokens") if isinstance(parameters, Mapping) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _prefixes(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, Mapping):
        return None
    return str(value.get("user") or ""), str(value.get("assistant") or "")


def _prompt(value: Any) -> list[tuple[str, str]]:
    parts = [value] if isinstance(value, Mapping) else value if isinstance(value, list) else []
    return [
        (str(part.get("role") or "user"), str(part.get("text") or ""))
        for part in parts
        if isinstance(part, Mapping)
    ]
