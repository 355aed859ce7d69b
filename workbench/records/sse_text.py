"""The chat text in a recorded SSE stream: what its reader had been shown when it ended."""

from __future__ import annotations

from workbench.records.sse import read_capture

_DELTAS = ("message", "agent_message")
"""Chatflow events that add text (Dify's service API, chat-messages)."""


def streamed_text(text: str, source: str) -> str:
    """The deltas of all `message` events together; a `message_replace` starts over.

    Raises:
        BadInputError: there is no event in it.
    """
    shown = ""
    for event in read_capture(text, source).events:
        if event.name in _DELTAS:
            shown += event.text("answer") or ""
        elif event.name == "message_replace":
            shown = event.text("answer") or ""
    return shown
