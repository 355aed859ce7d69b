"""What a scripted and a real model share: graphon's LLMProtocol but for the answer itself."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from graphon.model_runtime.entities.common_entities import I18nObject
from graphon.model_runtime.entities.llm_entities import LLMMode, LLMResultChunkDelta, LLMUsage
from graphon.model_runtime.entities.message_entities import AssistantPromptMessage, PromptMessage
from graphon.model_runtime.entities.model_entities import (
    AIModelEntity,
    FetchFrom,
    ModelFeature,
    ModelPropertyKey,
    ModelType,
    ParameterRule,
    ParameterType,
)

from .memory import Questions
from .text import estimate_tokens
from .waiting import Waiter

CONTEXT_SIZE = 128_000
_TOKENS_PER_MESSAGE = 3
_REPLY_LENGTH = ParameterRule(
    name="max_tokens",
    use_template="max_tokens",
    label=I18nObject(en_US="Max tokens"),
    type=ParameterType.INT,
)
"""Memory takes what this rule's parameter reserves off its budget."""


def message_text(message: PromptMessage) -> str:
    content = message.content
    if isinstance(content, str):
        return content
    return "".join(str(getattr(part, "data", "")) for part in content or () if str(part.type) == "text")


def model_schema(name: str, mode: str, context: int | None = CONTEXT_SIZE) -> AIModelEntity:
    """What the nodes ask of a model: chat models call tools, all take files and give structured output.

    Args:
        context: its context size in tokens; None leaves it out, as some customised models do.
    """
    features = [
        ModelFeature.STREAM_TOOL_CALL,
        ModelFeature.STRUCTURED_OUTPUT,
        ModelFeature.VISION,
        ModelFeature.DOCUMENT,
        ModelFeature.AUDIO,
        ModelFeature.VIDEO,
    ]
    if mode == LLMMode.CHAT:
        features += [ModelFeature.TOOL_CALL, ModelFeature.MULTI_TOOL_CALL]
    size = {} if context is None else {ModelPropertyKey.CONTEXT_SIZE: context}
    return AIModelEntity(
        model=name,
        label=I18nObject(en_US=name),
        model_type=ModelType.LLM,
        features=features,
        fetch_from=FetchFrom.CUSTOMIZABLE_MODEL,
        model_properties={ModelPropertyKey.MODE: mode, **size},
        parameter_rules=[_REPLY_LENGTH],
    )


class ModelBase:
    """The part of LLMProtocol that a scripted and a real model share."""

    def __init__(self, node_id: str, node_type: str, data: Mapping[str, Any], waiter: Waiter) -> None:
        config = data.get("model")
        config = config if isinstance(config, Mapping) else {}
        self._node_id, self._node_type, self._data, self._waiter = node_id, node_type, data, waiter
        self._provider = str(config.get("provider") or "scripted")
        self._name = str(config.get("name") or "scripted-model")
        self._mode = "completion" if config.get("mode") == "completion" else "chat"
        parameters = config.get("completion_params")
        self._parameters: dict[str, Any] = dict(parameters) if isinstance(parameters, Mapping) else {}
        stop = self._parameters.get("stop")
        self._stop = [str(s) for s in stop] if isinstance(stop, list) and stop else None
        self._questions: Questions | None = None
        self._context: int | None = CONTEXT_SIZE

    def remember(self, questions: Questions, context: int | None) -> None:
        """Take part in a conversation: tokens are counted by the workbench, the context has this size."""
        self._questions, self._context = questions, context

    @property
    def provider(self) -> str:
        return self._provider

    @property
    def model_name(self) -> str:
        return self._name

    @property
    def stop(self) -> Sequence[str] | None:
        return self._stop

    @property
    def parameters(self) -> dict[str, Any]:
        return dict(self._parameters)

    @parameters.setter
    def parameters(self, value: Mapping[str, Any]) -> None:
        self._parameters = dict(value)

    def get_model_schema(self) -> AIModelEntity:
        return model_schema(self._name, self._mode, self._context)

    def get_llm_num_tokens(self, prompt_messages: Sequence[PromptMessage]) -> int:
        if self._questions is not None:
            messages = [[m.role.value, message_text(m)] for m in prompt_messages]
            answer = self._questions.ask(what="tokens", node=self._node_id, messages=messages)
            return int(answer.get("tokens") or 0)
        return sum(_TOKENS_PER_MESSAGE + estimate_tokens(message_text(m)) for m in prompt_messages)

    def is_structured_output_parse_error(self, error: Exception) -> bool:
        return isinstance(error, StructuredOutputError)


class StructuredOutputError(ValueError):
    """The model's text is not the JSON that the structured output asks for."""


def parse_structured(text: str) -> dict[str, Any]:
    """The JSON object in a model's text: plain or in a Markdown fence, after its <think> part.

    Raises:
        StructuredOutputError: with the beginning of the text.
    """
    body = re.sub(r"<think>.*?</think>", "", text, flags=re.DOTALL).strip()
    if body.startswith("```"):
        body = body.split("\n", 1)[-1].rsplit("```", 1)[0]
    try:
        parsed = json.loads(body)
    except ValueError as error:
        raise StructuredOutputError(f"not valid JSON ({error}): {text[:80]!r}") from error
    if not isinstance(parsed, dict):
        raise StructuredOutputError(f"a JSON object is needed, got: {text[:80]!r}")
    return parsed


def delta(index: int, text: str, usage: LLMUsage | None, finish: str = "stop") -> LLMResultChunkDelta:
    return LLMResultChunkDelta(
        index=index,
        message=AssistantPromptMessage(content=text),
        usage=usage,
        finish_reason=finish if usage is not None else None,
    )


def tool_call(name: str, arguments: str, call_id: str = "call-1") -> AssistantPromptMessage:
    """A message that calls a function instead of saying something."""
    call = AssistantPromptMessage.ToolCall(
        id=call_id,
        type="function",
        function=AssistantPromptMessage.ToolCall.ToolCallFunction(name=name, arguments=arguments),
    )
    return AssistantPromptMessage(content="", tool_calls=[call])


class PlainSerializer:
    """PromptMessageSerializerProtocol: the prompts as they were sent, for the node's process data."""

    def serialize(self, *, model_mode: Any, prompt_messages: Sequence[PromptMessage]) -> list[dict[str, Any]]:
        serialized = []
        for message in prompt_messages:
            entry: dict[str, Any] = {"role": message.role.value, "text": message_text(message), "files": []}
            for part in message.content if isinstance(message.content, list) else ():
                if str(part.type) != "text":
                    name = getattr(part, "filename", "")
                    entry["files"].append({"type": str(part.type), "url": part.url, "filename": name})
            calls = getattr(message, "tool_calls", None)
            if calls:
                entry["tool_calls"] = [call.model_dump(mode="json") for call in calls]
            serialized.append(entry)
        return serialized
