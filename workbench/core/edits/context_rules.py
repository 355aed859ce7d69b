"""What Dify would refuse in a saved pause, and what an engine can't read in it at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from workbench.core.edits.document import Document
from workbench.core.edits.schema import (
    Fault,
    count,
    flag,
    items,
    mapping,
    model,
    one_of,
    optional,
    text,
)

INVOKED_FROM: Final = (
    "service-api", "openapi", "web-app", "trigger", "explore", "debugger", "published", "validation"
)  # fmt: skip
NIL: Final = "00000000-0000-0000-0000-000000000000"
ENTITY: Final = model(
    {},
    {
        "task_id": text,
        "app_config": mapping,
        "file_upload_config": optional(mapping),
        "inputs": mapping,
        "files": items(mapping),
        "user_id": text,
        "stream": flag,
        "invoke_from": one_of(*INVOKED_FROM),
        "call_depth": count,
        "extras": mapping,
        "conversation_id": optional(text),
        "parent_message_id": optional(text),
        "workflow_run_id": optional(text),
        "workflow_execution_id": optional(text),
        "query": text,
        "single_iteration_run": optional(mapping),
        "single_loop_run": optional(mapping),
    },
)
"""Keys of Dify's generate entities (Dify 1.13 to 1.17, core/app/entities/app_invoke_entities.py)."""
HALVES: Final = ("graphon-0.7", "graphon-0.8")
"""Kernels whose JSON parser refuses half of a character; 0.5 and 0.6 take it."""


def context_faults(doc: Document) -> Iterator[Fault]:
    """What Dify's own loader would refuse in the generate entity."""
    if doc.entity_path is None:
        return
    entity = doc.value(doc.entity_path)
    yield from ENTITY(entity, "entity")
    if (
        isinstance(entity, Mapping)
        and entity.get("invoke_from") == "service-api"
        and entity.get("parent_message_id") not in (None, NIL)
    ):
        message = f"Dify takes a run of its service API only with the parent message {NIL}."
        yield Fault("entity.parent_message_id", message, refused=False)


def half_faults(doc: Document) -> Iterator[Fault]:
    """Halves of characters (lone surrogates) in the runtime state."""
    if doc.kernel not in HALVES or doc.state_path is None:
        return
    for where in _halves(doc.value(doc.state_path), "state"):
        yield Fault(where, f"{where} holds half of a character; {doc.kernel} can't read such a state.")


def _halves(value: Any, where: str) -> Iterator[str]:
    """The places that hold one."""
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= each <= "\udfff" for each in value):
            yield where
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _halves(key, where)
            yield from _halves(item, f"{where}.{key}")
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _halves(item, f"{where}[{at}]")
