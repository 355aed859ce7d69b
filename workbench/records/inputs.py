"""What a run starts with: the values of the start form, and Dify's system variables.

`sys.*` by mode: Dify api/core/app/apps/advanced_chat/app_runner.py and workflow/app_runner.py.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from workbench.errors import UsageError
from workbench.records.app import App
from workbench.records.field_values import cast, default_value
from workbench.records.reading import nearest, shorten

DEFAULT_USER = "workbench-user"


def fill_inputs(app: App, given: Mapping[str, Any]) -> dict[str, Any]:
    """Values for the whole start form, in its order.

    Args:
        given: what the user says; texts (`--input k=v`) are read by the type of the field, other values are
            taken as they are when they fit.

    What is not given takes its default; required fields without one are filled by type (the label as text, 1,
    the first option, a made-up file); the rest is what Dify's own form would send. Raises `UsageError` for
    unknown names and values that do not fit.
    """
    names = [field.name for field in app.inputs]
    unknown = [name for name in given if name not in names]
    if unknown:
        close = nearest(unknown[0], names) or names
        has = f"It has: {', '.join(names)}." if names else "Its start form has no fields."
        raise UsageError(
            f"{app.name} has no input named {shorten(unknown[0])!r}",
            has,
            f"Did you mean {' or '.join(close[:2])}?" if close else "Leave --input out.",
        )
    root = next(node for node in app.graph["nodes"] if node["id"] == app.root)
    is_form = root["data"]["type"] == "start"  # what a trigger is not given, the engine kernel makes up
    return {
        field.name: cast(field, given[field.name]) if field.name in given else default_value(field)
        for field in app.inputs
        if is_form or field.name in given
    }


def system_variables(
    app: App,
    *,
    query: str,
    run_id: str,
    conversation_id: str | None = None,
    user_id: str = DEFAULT_USER,
    dialogue_count: int = 1,
    files: Sequence[Mapping[str, Any]] = (),
    timestamp: int | None = None,
) -> dict[str, Any]:
    """Dify's `sys.*` without the prefix. `dialogue_count` counts this message: 1 in a new conversation.

    Chatflows have query, conversation_id and dialogue_count; workflows have timestamp (seconds since 1970).
    """
    app_id = stable_id("app", app.data)
    common = {
        "files": [dict(file) for file in files],
        "user_id": user_id,
        "app_id": app_id,
        "workflow_id": stable_id("workflow", app.data),
        "workflow_run_id": run_id,
    }
    if app.mode == "advanced-chat":
        return {
            "query": query,
            "conversation_id": conversation_id or stable_id("conversation", run_id.encode()),
            "dialogue_count": dialogue_count,
            **common,
        }
    return {**common, "timestamp": int(time.time()) if timestamp is None else timestamp}


def stable_id(kind: str, data: bytes) -> str:
    """An id in Dify's form (a UUID) that is the same for the same content: runs stay comparable."""
    digest = sha256(kind.encode() + b"\0" + data).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"
