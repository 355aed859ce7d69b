"""A scripted model behind graphon's LLMProtocol (the same in graphon 0.5.3 to 0.8.0)."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

from graphon.model_runtime.entities.common_entities import I18nObject
from graphon.model_runtime.entities.llm_entities import (
    LLMMode,
    LLMResult,
    LLMResultChunk,
    LLMResultChunkDelta,
    LLMResultChunkWithStructuredOutput,
    LLMResultWithStructuredOutput,
    LLMUsage,
)
from graphon.model_runtime.entities.message_entities import (
    AssistantPromptMessage,
    PromptMessage,
    PromptMessageTool,
)
from graphon.model_runtime.entities.model_entities import (
    AIModelEntity,
    FetchFrom,
    ModelFeature,
    ModelPropertyKey,
    ModelType,
)
from graphon.model_runtime.errors.invoke import InvokeError

from . import replies
from .errors import make_error
from .text import estimate_tokens
from .turns import Chunk, Turn, until_failure
from .waiting import Waiter

CONTEXT_SIZE = 128_000
_TOKENS_PER_MESSAGE = 3
_USUAL_ERROR = "InvokeServerUnavailableError"


def message_text(message: PromptMessage) -> str:
    content = message.content
    if isinstance(content, str):
        return content
    return "".join(str(getattr(part, "data", "")) for part in content or () if str(part.type) == "text")


def model_schema(name: str, mode: str) -> AIModelEntity:
    """What the nodes ask of a model: chat models call tools; all give structured output (graphon 0.8
    llm/node.py)."""
    features = [ModelFeature.STREAM_TOOL_CALL, ModelFeature.STRUCTURED_OUTPUT]
    if mode == LLMMode.CHAT:
        features += [ModelFeature.TOOL_CALL, ModelFeature.MULTI_TOOL_CALL]
    return AIModelEntity(
        model=name,
        label=I18nObject(en_US=name),
        model_type=ModelType.LLM,
        features=features,
        fetch_from=FetchFrom.CUSTOMIZABLE_MODEL,
        model_properties={ModelPropertyKey.CONTEXT_SIZE: CONTEXT_SIZE, ModelPropertyKey.MODE: mode},
        parameter_rules=[],
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
        return model_schema(self._name, self._mode)

    def get_llm_num_tokens(self, prompt_messages: Sequence[PromptMessage]) -> int:
        return sum(_TOKENS_PER_MESSAGE + estimate_tokens(message_text(m)) for m in prompt_messages)

    def is_structured_output_parse_error(self, error: Exception) -> bool:
        return isinstance(error, StructuredOutputError)


class StructuredOutputError(ValueError):
    """The model's text is not the JSON that the structured output asks for."""


def parse_structured(text: str) -> dict[str, Any]:
    """The JSON object in a model's text, plain or in a Markdown fence.

    Raises:
        StructuredOutputError: with the beginning of the text.
    """
    body = text.strip()
    if body.startswith("```"):
        body = body.split("\n", 1)[-1].rsplit("```", 1)[0]
    try:
        parsed = json.loads(body)
    except ValueError as error:
        raise StructuredOutputError(f"not valid JSON ({error}): {text[:80]!r}") from error
    if not isinstance(parsed, dict):
        raise StructuredOutputError(f"a JSON object is needed, got: {text[:80]!r}")
    return parsed


class ScriptedModel(ModelBase):
    """Answers from the script, or with a default reply shaped by the node."""

    def __init__(
        self,
        node_id: str,
        node_type: str,
        data: Mapping[str, Any],
        waiter: Waiter,
        next_turn: Callable[[], Turn],
    ) -> None:
        super().__init__(node_id, node_type, data, waiter)
        self._next_turn = next_turn

    def invoke_llm(
        self,
        *,
        prompt_messages: Sequence[PromptMessage],
        model_parameters: Mapping[str, Any],
        tools: Sequence[PromptMessageTool] | None,
        stop: Sequence[str] | None,
        stream: bool,
    ) -> LLMResult | Generator[LLMResultChunk, None, None]:
        turn = self._next_turn()
        chunks = self._reply(turn, prompt_messages)
        if stream:
            return self._stream(turn, chunks, prompt_messages)
        said = "".join(chunk.text for chunk in self._spoken(turn, chunks))
        return LLMResult(
            model=self._name,
            prompt_messages=list(prompt_messages),
            message=_message(said, tools),
            usage=self._usage(turn, prompt_messages, said),
        )

    def invoke_llm_with_structured_output(
        self,
        *,
        prompt_messages: Sequence[PromptMessage],
        json_schema: Mapping[str, Any],
        model_parameters: Mapping[str, Any],
        stop: Sequence[str] | None,
        stream: bool,
    ) -> LLMResultWithStructuredOutput | Generator[LLMResultChunkWithStructuredOutput, None, None]:
        turn = self._next_turn()
        chunks = self._reply(turn, prompt_messages)
        if stream:
            return self._stream_structured(turn, chunks, prompt_messages)
        said = "".join(chunk.text for chunk in self._spoken(turn, chunks))
        return LLMResultWithStructuredOutput(
            model=self._name,
            prompt_messages=list(prompt_messages),
            message=AssistantPromptMessage(content=said),
            usage=self._usage(turn, prompt_messages, said),
            structured_output=self._structured(turn, chunks),
        )

    def _reply(self, turn: Turn, prompt_messages: Sequence[PromptMessage]) -> list[Chunk]:
        outputs = turn.entry.get("outputs") or {}
        match self._node_type:
            case "question-classifier":
                default = replies.class_reply(self._data, turn.entry.get("class"))
            case "parameter-extractor":
                default = replies.dumps(replies.parameters(self._data, outputs))
            case _ if "structured_output" in outputs:
                default = replies.dumps(outputs["structured_output"])
            case _:
                asked = next(
                    (message_text(m) for m in reversed(prompt_messages) if m.role.value == "user"), ""
                )
                default = str(outputs.get("text", replies.llm_text(self._data, self._node_id, asked)))
        return turn.chunks(default)

    def _spoken(self, turn: Turn, chunks: list[Chunk]) -> Iterator[Chunk]:
        """Reasoning in <think> tags (as Dify's model plugins send it), then the text; waits between; the
        failure."""
        reasoning = turn.reasoning()
        for index, chunk in enumerate(until_failure([*reasoning, *chunks], turn.failure)):
            self._waiter.wait(chunk.wait)
            opening = "<think>" if reasoning and index == 0 else ""
            closing = "</think>" if reasoning and index == len(reasoning) - 1 else ""
            yield Chunk(opening + chunk.text + closing)
        if turn.failure is not None:
            raise make_error(InvokeError, turn.failure, _USUAL_ERROR)

    def _stream(
        self, turn: Turn, chunks: list[Chunk], prompt_messages: Sequence[PromptMessage]
    ) -> Generator[LLMResultChunk, None, None]:
        last, said = len(turn.reasoning()) + len(chunks) - 1, ""
        for index, chunk in enumerate(self._spoken(turn, chunks)):
            said += chunk.text
            usage = self._usage(turn, prompt_messages, said) if index == last else None
            yield LLMResultChunk(model=self._name, prompt_messages=[], delta=_delta(index, chunk.text, usage))

    def _stream_structured(
        self, turn: Turn, chunks: list[Chunk], prompt_messages: Sequence[PromptMessage]
    ) -> Generator[LLMResultChunkWithStructuredOutput, None, None]:
        last, said = len(turn.reasoning()) + len(chunks) - 1, ""
        for index, chunk in enumerate(self._spoken(turn, chunks)):
            said += chunk.text
            is_last = index == last
            yield LLMResultChunkWithStructuredOutput(
                model=self._name,
                prompt_messages=[],
                delta=_delta(
                    index, chunk.text, self._usage(turn, prompt_messages, said) if is_last else None
                ),
                structured_output=self._structured(turn, chunks) if is_last else None,
            )

    def _structured(self, turn: Turn, chunks: list[Chunk]) -> dict[str, Any]:
        outputs = turn.entry.get("outputs") or {}
        if isinstance(outputs.get("structured_output"), dict):
            return dict(outputs["structured_output"])
        return parse_structured("".join(chunk.text for chunk in chunks))

    def _usage(self, turn: Turn, prompt_messages: Sequence[PromptMessage], said: str) -> LLMUsage:
        given = turn.entry.get("usage") or {}
        made = {
            "prompt_tokens": self.get_llm_num_tokens(prompt_messages),
            "completion_tokens": estimate_tokens(said),
            **given,
        }
        made.setdefault("total_tokens", made["prompt_tokens"] + made["completion_tokens"])
        return LLMUsage.from_metadata(made)


def _delta(index: int, text: str, usage: LLMUsage | None) -> LLMResultChunkDelta:
    return LLMResultChunkDelta(
        index=index,
        message=AssistantPromptMessage(content=text),
        usage=usage,
        finish_reason="stop" if usage is not None else None,
    )


def _message(said: str, tools: Sequence[PromptMessageTool] | None) -> AssistantPromptMessage:
    """A model that was given a tool calls it (parameter extractor in function-call mode), if its text is
    JSON."""
    if tools and said.lstrip().startswith("{"):
        call = AssistantPromptMessage.ToolCall(
            id="call-1",
            type="function",
            function=AssistantPromptMessage.ToolCall.ToolCallFunction(name=tools[0].name, arguments=said),
        )
        return AssistantPromptMessage(content="", tool_calls=[call])
    return AssistantPromptMessage(content=said)


class PlainSerializer:
    """PromptMessageSerializerProtocol: the prompts as they were sent, for the node's process data."""

    def serialize(self, *, model_mode: Any, prompt_messages: Sequence[PromptMessage]) -> list[dict[str, Any]]:
        serialized = []
        for message in prompt_messages:
            entry = {"role": message.role.value, "text": message_text(message), "files": []}
            calls = getattr(message, "tool_calls", None)
            if calls:
                entry["tool_calls"] = [call.model_dump(mode="json") for call in calls]
            serialized.append(entry)
        return serialized
