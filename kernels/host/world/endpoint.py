"""Models for real (`model`): any OpenAI-compatible endpoint, streamed. The key stays in this process's
environment.

What Dify's model plugins do is done here too: reasoning arrives as <think> text, errors get graphon's names.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
from graphon.model_runtime.entities.message_entities import PromptMessage, PromptMessageTool
from graphon.model_runtime.errors.invoke import (
    InvokeAuthorizationError,
    InvokeBadRequestError,
    InvokeConnectionError,
    InvokeError,
    InvokeRateLimitError,
    InvokeServerUnavailableError,
)

from .client import host_of
from .waiting import Waiter

KEY_VARIABLE = "WORKBENCH_MODEL_KEY"
MOST_SECONDS = 600.0
MOST_CHARACTERS = 4_000_000
_TIMEOUT = httpx.Timeout(connect=10.0, read=120.0, write=30.0, pool=10.0)
_PARAMETERS = (
    *("temperature", "top_p", "max_tokens", "max_completion_tokens", "presence_penalty", "frequency_penalty"),
    *("seed", "top_k", "reasoning_effort"),
)


@dataclass
class Reply:
    """One piece of an answer; the pieces' texts put together are the answer."""

    text: str = ""
    finish: str | None = None
    usage: Mapping[str, int] = field(default_factory=dict)
    calls: list[dict[str, Any]] = field(default_factory=list)


class Endpoint:
    """`url` is the base ("http://localhost:11434/v1") or the whole address; `name` overrides the app's model
    names."""

    def __init__(self, option: Mapping[str, Any], waiter: Waiter) -> None:
        url = str(option["url"]).rstrip("/")
        self._url = url if url.endswith("/chat/completions") else f"{url}/chat/completions"
        self._name = str(option["name"]) if option.get("name") else None
        self._waiter = waiter
        self._key = os.environ.get(KEY_VARIABLE, "")
        self._sends_format = True

    @property
    def shown_url(self) -> str:
        return host_of(self._url)

    def answer(
        self,
        model: str,
        messages: Sequence[PromptMessage],
        parameters: Mapping[str, Any],
        *,
        tools: Sequence[PromptMessageTool] = (),
        stop: Sequence[str] = (),
        schema: Mapping[str, Any] | None = None,
    ) -> Iterator[Reply]:
        """Ask and stream the answer.

        Args:
            model: name in the app, used when the option names none.
            messages: graphon's prompt messages.
            parameters: the node's completion parameters; unknown ones are left out.
            tools: functions the model may call.
            stop: stop words.
            schema: JSON schema of a structured output. Endpoints that refuse `response_format` are asked in
                the prompt instead.

        Raises:
            InvokeError: (a subclass) with the endpoint's reason.
            StoppedError: the run was aborted meanwhile.
        """
        body = self._body(model, messages, parameters, tools, stop)
        if schema is not None and self._sends_format:
            asked = {
                "type": "json_schema",
                "json_schema": {"name": "output", "schema": schema, "strict": False},
            }
            try:
                yield from self._waiter.iterate(lambda: self._stream({**body, "response_format": asked}))
            except InvokeBadRequestError:
                self._sends_format = False
            else:
                return
        if schema is not None:
            told = "Answer with one JSON object that fits this JSON schema, and nothing else:\n"
            system = {"role": "system", "content": told + json.dumps(schema, ensure_ascii=False)}
            body = {**body, "messages": [system, *body["messages"]]}
        yield from self._waiter.iterate(lambda: self._stream(body))

    def _body(
        self,
        model: str,
        messages: Sequence[PromptMessage],
        parameters: Mapping[str, Any],
        tools: Sequence[PromptMessageTool],
        stop: Sequence[str],
    ) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._name or model,
            "messages": [message_json(message) for message in messages],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        body |= {name: parameters[name] for name in _PARAMETERS if parameters.get(name) is not None}
        wanted = str(parameters.get("response_format") or "").lower()
        if "json" in wanted:
            body["response_format"] = {"type": "json_object"}
        if stop:
            body["stop"] = list(stop)[:4]
        if tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {"name": t.name, "description": t.description, "parameters": t.parameters},
                }
                for t in tools
            ]
        return body

    def _stream(self, body: dict[str, Any]) -> Iterator[Reply]:
        headers = {"accept": "text/event-stream"}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        try:
            with (
                httpx.Client(timeout=_TIMEOUT, follow_redirects=False) as client,
                client.stream("POST", self._url, json=body, headers=headers) as response,
            ):
                if response.status_code != 200:
                    raise self._refused(response)
                yield from read_stream(response.iter_lines())
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise InvokeConnectionError(
                self._masked(f"{self.shown_url}: {error or type(error).__name__}")
            ) from None

    def _refused(self, response: httpx.Response) -> InvokeError:
        text = ""
        for piece in response.iter_text():
            text += piece
            if len(text) > 4000:
                break
        reason = self._masked(f"{self.shown_url} answered {response.status_code}: {_reason(text)}")
        status = response.status_code
        kind: type[InvokeError] = InvokeBadRequestError
        if status in (401, 403):
            kind = InvokeAuthorizationError
        elif status == 429:
            kind = InvokeRateLimitError
        elif status >= 500:
            kind = InvokeServerUnavailableError
        return kind(reason)

    def _masked(self, text: str) -> str:
        return text.replace(self._key, "***") if self._key else text


def _reason(text: str) -> str:
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
    for line in lines:
        if time.monotonic() > deadline:
            raise InvokeConnectionError(f"the answer took longer than {MOST_SECONDS:.0f} seconds")
        if not line.startswith("data:"):
            continue
        data = line[5:].strip()
        if data == "[DONE]":
            break
        try:
            chunk = json.loads(data)
        except ValueError as error:
            raise InvokeServerUnavailableError(f"the endpoint sent no JSON: {data[:100]!r}") from error
        if chunk.get("error"):
            raise InvokeServerUnavailableError(_reason(data))
        reply = Reply(usage=_usage(chunk.get("usage")))
        for choice in (chunk.get("choices") or [])[:1]:
            delta = choice.get("delta") or {}
            reply.finish = choice.get("finish_reason")
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
    if calls:
        yield Reply(calls=[calls[index] for index in sorted(calls)])


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
