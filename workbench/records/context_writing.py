"""Writing a WorkflowResumptionContext: one field changed in a given one, or a new one around a runtime state.

Shapes: Dify 1.17 `core/app/layers/pause_state_persist_layer.py` (context) and
`core/app/entities/app_invoke_entities.py` (entity).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workbench.records.resumption_context import GATE, RUNTIME
from workbench.records.splice import insert, replace

NIL = "00000000-0000-0000-0000-000000000000"


def with_gate(context: str, data: Mapping[str, Any], gate: str) -> str:
    """The context with its gate field set to `gate`; every other byte as it was.

    Args:
        data: the context's outermost mapping (to see whether it has the field).
    """
    value = json.dumps(gate, ensure_ascii=context.isascii())
    return replace(context, (GATE,), value) if GATE in data else insert(context, (), GATE, value)


def new_context(
    state: str,
    gate: str | None,
    *,
    mode: str,
    inputs: Mapping[str, Any],
    system: Mapping[str, Any],
    run_id: str | None,
    with_gate_field: bool = True,
) -> str:
    """A version "1" context around a runtime state that came without one; the state's text is unchanged.

    What only a Dify knows (tenant, app, task) is the nil id, what the run knows is taken from its system
    variables.

    Args:
        mode: "advanced-chat" or "workflow".
        system: system variables without "sys.".
        with_gate_field: False for Dify 1.15 and older, which know no such field.
    """
    chat = mode == "advanced-chat"
    entity: dict[str, Any] = {
        "task_id": NIL,
        "app_config": {
            "tenant_id": NIL,
            "app_id": system.get("app_id") or NIL,
            "app_mode": mode,
            "workflow_id": system.get("workflow_id") or NIL,
            "variables": [],
        },
        "file_upload_config": None,
        "inputs": dict(inputs),
        "files": list(system.get("files") or []),
        "user_id": system.get("user_id") or NIL,
        "stream": True,
        "invoke_from": "web-app",
        "call_depth": 0,
        "extras": {},
    }
    if chat:
        entity |= {
            "conversation_id": system.get("conversation_id"),
            "parent_message_id": None,
            "workflow_run_id": run_id,
            "query": system.get("query") or "",
        }
    else:
        entity["workflow_execution_id"] = run_id
    context: dict[str, Any] = {
        "version": "1",
        "generate_entity": {"type": mode, "entity": entity},
        RUNTIME: state,
    }
    if with_gate_field:
        context[GATE] = gate
    return json.dumps(context, separators=(",", ":"))
