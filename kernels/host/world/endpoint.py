"""Models for real (`model`): any OpenAI-compatible endpoint, streamed. The key stays in this process's
environment.

What Dify's model plugins do is done here too: reasoning arrives as <think> text, errors get graphon's names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
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
from .completions import MOST_CHARACTERS, Reply, message_json, read_stream, read_whole, reason_in
from .waiting import Waiter

KEY_VARIABLE = "WORKBENCH_MODEL_KEY"
_TIMEOUT = httpx.Timeout(connect=10.0, read=300.0, write=30.0, pool=10.0)
_PARAMETERS = (
    *("temperature", "top_p", "max_tokens", "max_completion_tokens", "presence_penalty", "frequency_penalty"),
    *("seed", "top_k", "reasoning_effort"),
)


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
                if response.headers.get("content-type", "").startswith("application/json"):
                    yield read_whole(_first(response, MOST_CHARACTERS))
                else:
                    yield from read_stream(_lines(response))
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise InvokeConnectionError(
                self._masked(f"{self.shown_url}: {error or type(error).__name__}")
            ) from None

    def _refused(self, response: httpx.Response) -> InvokeError:
        said = reason_in(_first(response, 4000))
        reason = self._masked(f"{self.shown_url} answered {response.status_code}: {said}")
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


def _lines(response: httpx.Response) -> Iterator[str]:
    """The lines of a stream; one without an end is refused (httpx would keep it all)."""
    rest = ""
    for text in response.iter_text():
        *lines, rest = (rest + text).split("\n")
        yield from (line.rstrip("\r") for line in lines)
        if len(rest) > MOST_CHARACTERS:
            raise InvokeServerUnavailableError("the endpoint sent a line without an end")
    yield rest


def _first(response: httpx.Response, most: int) -> str:
    """The beginning of an answer."""
    text = ""
    for piece in response.iter_text():
        text += piece
        if len(text) > most:
            break
    return text[:most]
