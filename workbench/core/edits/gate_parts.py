"""What the targets in the gate share: its lists, its Answers, and the graph as its engine sees it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.blocking import Scope, scope_of
from workbench.core.edits.document import Document
from workbench.core.edits.plan import Step, put
from workbench.core.edits.values import Given
from workbench.core.state import Rules
from workbench.errors import UsageError
from workbench.records.json_places import Path


def scope(doc: Document) -> Scope:
    """What the filter of the engine sees of the app.

    Raises:
        UsageError: no app was given.
    """
    if doc.graph is None:
        raise UsageError("This edit needs the app.", "Paths are in its graph.", "Give it: --app app.yml")
    return scope_of(doc.graph, whole=Rules.of(doc.kernel).whole)


def phase_of(gate: Mapping[str, Any], answer: str) -> tuple[str, Mapping[str, Any] | None]:
    """Where a response node stands in a saved gate, and its session."""
    active = gate.get("active_session")
    if isinstance(active, dict) and active.get("node_id") == answer:
        return "active", active
    for key, phase in (("waiting_sessions", "queued"), ("pending_sessions", "locked")):
        for session in entries(gate, key):
            if session.get("node_id") == answer:
                return phase, session
    return "done", None


def entries(gate: Mapping[str, Any], key: str) -> list[Any]:
    value = gate.get(key)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def index_of(gate: Mapping[str, Any], key: str, selector: list[str]) -> int | None:
    """Where the entry of a stream stands in its list."""
    value = gate.get(key)
    for index, each in enumerate(value if isinstance(value, list) else ()):
        if isinstance(each, dict) and each.get("selector") == selector:
            return index
    return None


def appended(doc: Document, path: Path, item: Any) -> Step:
    """A step that puts an item at the end of a list."""
    held = doc.value(path)
    return Step("add", (*path, len(held)), item) if isinstance(held, list) else put(doc, path, [item])


def stream_name(entry: Mapping[str, Any]) -> str:
    selector = entry.get("selector")
    return ".".join(map(str, selector)) if isinstance(selector, list) else ""


def whole_number(given: Given, target: str) -> int:
    text = str(given.value).strip()
    if isinstance(given.value, bool) or not text.isascii() or not text.isdigit() or len(text) > 15:
        raise UsageError(
            f"{target} takes a whole number.", f"{text[:40]!r} is none.", f"For example: {target}=0"
        )
    return int(text)
