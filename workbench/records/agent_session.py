"""What an Agent (v2) remembers: `CompositorSessionSnapshot` files and the history layer's messages in them.

`{schema_version, layers: [{name, lifecycle_state, runtime_state}]}`; the layer `history` holds pydantic-ai's
messages. The first form has `state` for `lifecycle_state` (facts: dify-memory.md, 8.1). A database row that
holds the snapshot as a text (`session_snapshot`) is read too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.errors import BadInputError
from workbench.records.reading import STATE_LIMIT, check_size, decode, parse_json

HISTORY = "history"


@dataclass(frozen=True, slots=True)
class AgentPart:
    """A part of a message: what somebody said, a tool's call or its result.

    Attributes:
        kind: pydantic-ai's `part_kind` ("user-prompt", "system-prompt", "text", "tool-call", "tool-return",
        ...). tool: the tool's name, empty for other parts.
        call_id: joins a call and its result.
    """

    kind: str
    text: str
    tool: str = ""
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class AgentMessage:
    """A request to the model or its response; `input_tokens`, `output_tokens` as the provider counted
    them."""

    kind: str
    parts: tuple[AgentPart, ...]
    input_tokens: int | None = None
    output_tokens: int | None = None
    timestamp: str = ""


@dataclass(frozen=True)
class AgentSession:
    """A session snapshot.

    Attributes:
        layers: (name, lifecycle state) in order.
        owner: "workflow_run", "conversation" or "" where the file does not say.
        notes: what is missing or damaged, one sentence each.
    """

    layers: tuple[tuple[str, str], ...]
    messages: tuple[AgentMessage, ...]
    owner: str = ""
    notes: tuple[str, ...] = ()


def read_agent_session(data: bytes, source: str = "session") -> AgentSession:
    """Read a snapshot. What a message has wrong is noted and does not hide the others.

    Raises:
        BadInputError: it holds no layers.
    """
    check_size(len(data), source, STATE_LIMIT)
    value = parse_json(decode(data, source), source)
    owner = _owner(value)
    if isinstance(value, Mapping) and "layers" not in value and "session_snapshot" in value:
        value = value["session_snapshot"]
        if isinstance(value, str):
            value = parse_json(value, f"{source}, session_snapshot")
    layers = value.get("layers") if isinstance(value, Mapping) else None
    if not isinstance(layers, Sequence) or isinstance(layers, str):
        raise BadInputError(
            f"{source} is no session of an Agent.",
            "It has no list of layers.",
            "Give a CompositorSessionSnapshot: the column session_snapshot of agent_workspace_bindings.",
        )
    notes: list[str] = []
    named = [layer for layer in layers if isinstance(layer, Mapping) and isinstance(layer.get("name"), str)]
    if len(named) < len(layers):
        notes.append(f"{len(layers) - len(named)} layers have no name and are left out.")
    found = [layer for layer in named if layer["name"] == HISTORY]
    if not found:
        notes.append("There is no history layer: the Agent remembers nothing.")
    messages = tuple(_messages(found[0], notes)) if found else ()
    states = tuple((layer["name"], _state(layer)) for layer in named)
    return AgentSession(states, messages, owner, tuple(notes))


def _state(layer: Mapping[str, Any]) -> str:
    state = layer.get("lifecycle_state") or layer.get("state")
    return state if isinstance(state, str) else ""


def _owner(value: Any) -> str:
    owner = value.get("owner_type") if isinstance(value, Mapping) else None
    return str(owner).lower() if owner else ""


def _messages(layer: Mapping[str, Any], notes: list[str]) -> list[AgentMessage]:
    state = layer.get("runtime_state", layer.get("state"))
    given = state.get("messages") if isinstance(state, Mapping) else None
    if not isinstance(given, list):
        notes.append("The history layer holds no list of messages.")
        return []
    found: list[AgentMessage] = []
    for number, message in enumerate(given, start=1):
        if not isinstance(message, Mapping) or not isinstance(message.get("parts"), list):
            notes.append(f"Message {number} has no parts and is left out.")
            continue
        usage = message.get("usage")
        usage = usage if isinstance(usage, Mapping) else {}
        found.append(
            AgentMessage(
                str(message.get("kind") or "request"),
                tuple(_part(part) for part in message["parts"] if isinstance(part, Mapping)),
                _whole(usage.get("input_tokens", usage.get("request_tokens"))),
                _whole(usage.get("output_tokens", usage.get("response_tokens"))),
                str(message.get("timestamp") or ""),
            )
        )
    return found


def _part(part: Mapping[str, Any]) -> AgentPart:
    kind = str(part.get("part_kind") or "unknown")
    content = part.get("args") if kind == "tool-call" else part.get("content")
    return AgentPart(
        kind, _text(content), str(part.get("tool_name") or ""), str(part.get("tool_call_id") or "")
    )


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if isinstance(content, list) and any(isinstance(each, str) for each in content):
        return "".join(each if isinstance(each, str) else "" for each in content)
    return json.dumps(content, ensure_ascii=False)


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
