"""The chat text in a recorded SSE stream: what its reader had been shown when it ended."""

from __future__ import annotations

import json

from workbench.errors import BadInputError

_DELTAS = {"message": "answer", "agent_message": "answer"}
"""Chatflow events that add text (Dify's service API, chat-messages)."""


def streamed_text(text: str, source: str) -> str:
    """The deltas of all `message` events together; a `message_replace` starts over.

    Raises:
        BadInputError: there is no event of a chat in it.
    """
    shown, events = "", 0
    for line in text.splitlines():
        frame = line.strip().removeprefix("data:").strip()
        if not frame.startswith("{"):
            continue
        try:
            event = json.loads(frame)
        except (ValueError, RecursionError):
            continue
        kind = event.get("event") if isinstance(event, dict) else None
        if kind in _DELTAS:
            shown += str(event.get(_DELTAS[kind]) or "")
        elif kind == "message_replace":
            shown = str(event.get("answer") or "")
        events += kind is not None
    if not events:
        raise BadInputError(
            f"{source} holds no SSE events",
            "Not one line is `data: {...}` with an event.",
            "Save the response of chat-messages as it came, or give the text: --message.",
        )
    return shown
