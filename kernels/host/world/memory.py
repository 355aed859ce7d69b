"""The conversation before this run: asked of the workbench, which simulates Dify's memory in one place.

A node with memory asks for its history with the limits that graphon worked out, and for token counts of
messages; both are answered while the node waits. `kernels/PROTOCOL.md`, message `ask`, command `answer`.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

from graphon.model_runtime.entities.message_entities import (
    AssistantPromptMessage,
    PromptMessage,
    UserPromptMessage,
)

from .waiting import Waiter

_LOOK = 0.05
"""Seconds between two looks at the abort."""

Send = Callable[[Mapping[str, Any]], None]


class UnansweredError(Exception):
    """The workbench could not answer: the node fails with its words, as Dify's memory would raise."""


class Questions:
    """Questions to the workbench. Nodes ask from the engine's threads, the reader's thread answers."""

    def __init__(self, send: Send, waiter: Waiter) -> None:
        self._send = send
        self._waiter = waiter
        self._numbers = count(1)
        self._lock = threading.Lock()
        self._open: dict[int, queue.SimpleQueue[Mapping[str, Any]]] = {}

    def ask(self, **question: Any) -> Mapping[str, Any]:
        """Ask, and wait. Raises StoppedError after an abort, UnansweredError when the answer is an error."""
        answers: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
        with self._lock:
            number = next(self._numbers)
            self._open[number] = answers
        try:
            self._send({"msg": "ask", "ask": number, **question})
            while True:
                self._waiter.check()
                try:
                    answer = answers.get(timeout=_LOOK)
                except queue.Empty:
                    continue
                if answer.get("error"):
                    raise UnansweredError(str(answer["error"]))
                return answer
        finally:
            with self._lock:
                self._open.pop(number, None)

    def answer(self, answer: Mapping[str, Any]) -> None:
        """Hand an answer to the node that waits for it; one that nobody waits for is passed over."""
        with self._lock:
            answers = self._open.get(answer.get("ask", 0))
        if answers is not None:
            answers.put(answer)


class History:
    """graphon's PromptMessageMemory for one node (the same port in graphon 0.5.3 to 0.8.0)."""

    def __init__(self, node_id: str, questions: Questions) -> None:
        self._node_id, self._questions = node_id, questions

    def get_history_prompt_messages(
        self, max_token_limit: int = 2000, message_limit: int | None = None
    ) -> Sequence[PromptMessage]:
        """The messages that Dify's memory leaves within these limits, oldest first."""
        answer = self._questions.ask(
            what="memory", node=self._node_id, max_tokens=max_token_limit, rows=message_limit
        )
        return [_message(role, text) for role, text in answer.get("messages") or ()]


def _message(role: str, text: str) -> PromptMessage:
    return AssistantPromptMessage(content=text) if role == "assistant" else UserPromptMessage(content=text)
