"""OpenAI's chat completions on the wire: messages out, pieces of an answer in. Pure; nothing is sent here."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from graphon.model_runtime.entities.message_entities import PromptMessage
from graphon.model_runtime.errors.invoke import InvokeConnectionError, InvokeServerUnavailableError

MOST_SECONDS = 600.0
MOST_CHARACTERS = 4_000_000


@dataclass
class Reply:
    """One piece of an answer; the pieces' texts put together are the answer."""

    text: str = ""
    finish: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)
    calls: list[dict[str, Any]] = field(default_factory=list)


def reason_in(text: str) -> str:
    try:
        error = json.loads(text).get("error")
    except (ValueError, AttributeError):
        return " ".join(text.split())[:300] or "no reason given"
    message = error.get("message") if isinstance(error, dict) else error
    return str(message)[:300]


def message_json(message: PromptMessage) -> dict[str, Any]:
    """A prompt message as OpenAI's API takes it."""
    made: dict[str, Any] = {"role": message.role.value, "content": _content(message.content)}
    if getattr(message, "tool_call_id", None):
        made["tool_call_id"] = message.tool_call_id
    calls = getattr(message, "tool_calls", None)
    if calls:
        made["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.function.name, "arguments": call.function.arguments},
            }
            for call in calls
        ]
    return made


def _content(content: Any) -> Any:
    if content is None or isinstance(content, str):
        return content or ""
    parts = []
    for part in content:
        if str(part.type) == "text":
            parts.append({"type": "text", "text": part.data})
        elif str(part.type) == "image":
            parts.append({"type": "image_url", "image_url": {"url": part.data}})
    return parts


def read_stream(lines: Iterator[str]) -> Iterator[Reply]:
    """The pieces of a server-sent event stream of chat completion chunks.

    Reasoning (`reasoning_content` or `reasoning`) is put in <think> tags before the text, as Dify's plugins
    do.

    Raises:
        InvokeError: the endpoint reported an error in the stream, or too much came.
    """
    thinking, length, deadline = False, 0, time.monotonic() + MOST_SECONDS
    calls: dict[int, dict[str, Any]] = {}
    is_answer = is_whole = False
    for line in lines:
        if time.monotonic() > deadline:
            raise InvokeConnectionError(f"the answer took longer than {MOST_SECONDS:.0f} seconds")
        if not line.startswith("data:"):
            continue
        data, is_answer = line[5:].strip(), True
        if data == "[DONE]":
            is_whole = True
            break
        try:
            chunk = json.loads(data)
        except ValueError as error:
            raise InvokeServerUnavailableError(f"the endpoint sent no JSON: {data[:100]!r}") from error
        if not isinstance(chunk, dict) or not isinstance(chunk.get("choices") or [], list):
            raise InvokeServerUnavailableError(f"the endpoint sent no chunk of an answer: {data[:100]!r}")
        if chunk.get("error"):
            raise InvokeServerUnavailableError(reason_in(data))
        reply = Reply(usage=_usage(chunk.get("usage")))
        for choice in (chunk.get("choices") or [])[:1]:
            delta = choice.get("delta") or {}
            reply.finish = choice.get("finish_reason")
            is_whole = is_whole or bool(reply.finish)
            reasoning = delta.get("reasoning_content") or delta.get("reasoning") or ""
            said = delta.get("content") or ""
            if reasoning:
                reply.text += reasoning if thinking else f"<think>{reasoning}"
                thinking = True
            if thinking and (said or reply.finish):
                reply.text += "</think>"
                thinking = False
            reply.text += said
            _collect(calls, delta.get("tool_calls") or ())
        length += len(reply.text)
        if length > MOST_CHARACTERS:
            raise InvokeServerUnavailableError(f"the answer is longer than {MOST_CHARACTERS} characters")
        if reply.text or reply.usage or reply.finish:
            yield reply
    if not is_answer:
        raise InvokeServerUnavailableError("the endpoint sent no answer: is its address right?")
    if not is_whole:
        raise InvokeServerUnavailableError("the endpoint broke the answer off: it has no end")
    if calls:
        yield Reply(calls=[calls[index] for index in sorted(calls)])


def read_whole(text: str) -> Reply:
    """An answer in one piece, from an endpoint that does not stream."""
    try:
        document = json.loads(text)
        choice = document["choices"][0]
        message = choice["message"]
        reasoning = message.get("reasoning_content") or ""
        calls: dict[int, dict[str, Any]] = {}
        _collect(calls, [{"index": i, **call} for i, call in enumerate(message.get("tool_calls") or ())])
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise InvokeServerUnavailableError(f"the endpoint sent no answer: {text[:100]!r}") from error
    thought = f"<think>{reasoning}</think>" if reasoning else ""
    said = thought + (message.get("content") or "")
    return Reply(said, choice.get("finish_reason"), _usage(document.get("usage")), list(calls.values()))


def _usage(given: Any) -> dict[str, int]:
    if not isinstance(given, dict):
        return {}
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    return {name: int(given[name]) for name in names if isinstance(given.get(name), int)}


def _collect(calls: dict[int, dict[str, Any]], deltas: Sequence[Mapping[str, Any]]) -> None:
    for delta in deltas:
        call = calls.setdefault(int(delta.get("index") or 0), {"id": "", "name": "", "arguments": ""})
        function = delta.get("function") or {}
        call["id"] = delta.get("id") or call["id"]
        call["name"] += function.get("name") or ""
        call["arguments"] += function.get("arguments") or ""
