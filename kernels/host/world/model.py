"""A scripted model behind graphon's LLMProtocol (the same in graphon 0.5.3 to 0.8.0)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

from graphon.model_runtime.entities.llm_entities import (
    LLMResult,
    LLMResultChunk,
    LLMResultChunkWithStructuredOutput,
    LLMResultWithStructuredOutput,
    LLMUsage,
)
from graphon.model_runtime.entities.message_entities import (
    AssistantPromptMessage,
    PromptMessage,
    PromptMessageTool,
)
from graphon.model_runtime.errors.invoke import InvokeError

from . import replies
from .errors import make_error
from .model_base import ModelBase, delta, message_text, parse_structured, tool_call
from .model_real import stream_chunks, stream_structured, whole
from .text import estimate_tokens
from .turns import Chunk, Turn, until_failure
from .waiting import Waiter

_USUAL_ERROR = "InvokeServerUnavailableError"


class ScriptedModel(ModelBase):
    """Answers from the script, from a real endpoint, or with a default reply shaped by the node."""

    def __init__(
        self,
        node_id: str,
        node_type: str,
        data: Mapping[str, Any],
        waiter: Waiter,
        next_turn: Callable[[], Turn],
        wanted: Mapping[str, str],
        endpoint: Any = None,
    ) -> None:
        super().__init__(node_id, node_type, data, waiter)
        self._next_turn = next_turn
        self._wanted = wanted
        self._endpoint = endpoint

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
        if self._is_real(turn):
            asked = self._endpoint.answer(
                self._name, prompt_messages, model_parameters, tools=tools or (), stop=stop or ()
            )
            return (
                stream_chunks(self, asked, prompt_messages) if stream else whole(self, asked, prompt_messages)
            )
        chunks = self._reply(turn, prompt_messages)
        if stream:
            return self._stream(turn, chunks, prompt_messages)
        said = "".join(chunk.text for chunk in self._spoken(turn, chunks))
        return LLMResult(
            model=self._name,
            prompt_messages=list(prompt_messages),
            message=_message(said, tools),
            usage=self._usage_of(turn, prompt_messages, said),
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
        if self._is_real(turn):
            asked = self._endpoint.answer(
                self._name, prompt_messages, model_parameters, stop=stop or (), schema=json_schema
            )
            if stream:
                return stream_structured(self, asked, prompt_messages)
            result = whole(self, asked, prompt_messages)
            return LLMResultWithStructuredOutput(
                **dict(result), structured_output=parse_structured(str(result.message.content))
            )
        chunks = self._reply(turn, prompt_messages)
        if stream:
            return self._stream_structured(turn, chunks, prompt_messages)
        said = "".join(chunk.text for chunk in self._spoken(turn, chunks))
        return LLMResultWithStructuredOutput(
            model=self._name,
            prompt_messages=list(prompt_messages),
            message=AssistantPromptMessage(content=said),
            usage=self._usage_of(turn, prompt_messages, said),
            structured_output=self._structured(turn, chunks),
        )

    def _is_real(self, turn: Turn) -> bool:
        """What the script answers or lets fail is not asked of the endpoint."""
        spoken = turn.says("text", "chunks", "outputs", "class", "reasoning")
        return self._endpoint is not None and turn.failure is None and not spoken

    def _reply(self, turn: Turn, prompt_messages: Sequence[PromptMessage]) -> list[Chunk]:
        outputs = turn.entry.get("outputs") or {}
        match self._node_type:
            case "question-classifier":
                default = replies.class_reply(self._data, turn.entry.get("class"))
            case "parameter-extractor":
                default = replies.dumps(replies.parameters(self._data, outputs, self._wanted))
            case _ if "structured_output" in outputs:
                default = replies.dumps(outputs["structured_output"])
            case _:
                asked = next(
                    (message_text(m) for m in reversed(prompt_messages) if m.role.value == "user"), ""
                )
                made = replies.llm_text(self._data, self._node_id, asked, self._wanted.get("text"))
                default = str(outputs.get("text", made))
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
            usage = self._usage_of(turn, prompt_messages, said) if index == last else None
            yield LLMResultChunk(model=self._name, prompt_messages=[], delta=delta(index, chunk.text, usage))

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
                delta=delta(
                    index, chunk.text, self._usage_of(turn, prompt_messages, said) if is_last else None
                ),
                structured_output=self._structured(turn, chunks) if is_last else None,
            )

    def _structured(self, turn: Turn, chunks: list[Chunk]) -> dict[str, Any]:
        outputs = turn.entry.get("outputs") or {}
        if isinstance(outputs.get("structured_output"), dict):
            return dict(outputs["structured_output"])
        return parse_structured("".join(chunk.text for chunk in chunks))

    def _usage_of(self, turn: Turn, prompt_messages: Sequence[PromptMessage], said: str) -> LLMUsage:
        given = turn.entry.get("usage") or {}
        made = {
            "prompt_tokens": self.get_llm_num_tokens(prompt_messages),
            "completion_tokens": estimate_tokens(said),
            **given,
        }
        made.setdefault("total_tokens", made["prompt_tokens"] + made["completion_tokens"])
        return LLMUsage.from_metadata(made)


def _message(said: str, tools: Sequence[PromptMessageTool] | None) -> AssistantPromptMessage:
    """A model that was given a tool calls it (parameter extractor in function-call mode), if its text is
    JSON."""
    if tools and said.lstrip().startswith("{"):
        return tool_call(tools[0].name, said)
    return AssistantPromptMessage(content=said)
