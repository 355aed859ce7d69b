"""An endpoint's replies as graphon's model results."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any

from graphon.model_runtime.entities.llm_entities import (
    LLMResult,
    LLMResultChunk,
    LLMResultChunkWithStructuredOutput,
    LLMUsage,
)
from graphon.model_runtime.entities.message_entities import AssistantPromptMessage, PromptMessage

from .completions import Reply
from .model_base import ModelBase, delta, parse_structured, tool_call
from .text import estimate_tokens


def whole(model: ModelBase, replies: Iterator[Reply], prompt: Sequence[PromptMessage]) -> LLMResult:
    """The answer in one piece; a function call of the model is passed on as one."""
    said, usage, calls = "", {}, []
    for reply in replies:
        said += reply.text
        usage = reply.usage or usage
        calls += reply.calls
    message = AssistantPromptMessage(content=said)
    if calls:
        message = tool_call(calls[0]["name"], calls[0]["arguments"], calls[0]["id"] or "call-1")
    return LLMResult(
        model=model.model_name,
        prompt_messages=list(prompt),
        message=message,
        usage=_usage(model, usage, prompt, said),
    )


def stream_chunks(
    model: ModelBase, replies: Iterator[Reply], prompt: Sequence[PromptMessage]
) -> Generator[LLMResultChunk, None, None]:
    for index, text, usage, finish in _pieces(model, replies, prompt):
        yield LLMResultChunk(model=model.model_name, delta=delta(index, text, usage, finish))


def stream_structured(
    model: ModelBase, replies: Iterator[Reply], prompt: Sequence[PromptMessage]
) -> Generator[LLMResultChunkWithStructuredOutput, None, None]:
    """As `stream_chunks`; the last piece carries the parsed object.

    Raises:
        StructuredOutputError: the answer is no JSON object.
    """
    said = ""
    for index, text, usage, finish in _pieces(model, replies, prompt):
        said += text
        yield LLMResultChunkWithStructuredOutput(
            model=model.model_name,
            delta=delta(index, text, usage, finish),
            structured_output=parse_structured(said) if usage is not None else None,
        )


def _pieces(
    model: ModelBase, replies: Iterator[Reply], prompt: Sequence[PromptMessage]
) -> Iterator[tuple[int, str, LLMUsage | None, str]]:
    """(index, text, usage with the last one, finish reason): the usage comes after the text, so the last
    piece is empty."""
    said, usage, finish, index = "", {}, "stop", 0
    for reply in replies:
        usage, finish = reply.usage or usage, reply.finish or finish
        if reply.text:
            said += reply.text
            yield index, reply.text, None, finish
            index += 1
    yield index, "", _usage(model, usage, prompt, said), finish


def _usage(
    model: ModelBase, given: Mapping[str, Any], prompt: Sequence[PromptMessage], said: str
) -> LLMUsage:
    """What the endpoint counted, estimates for what it did not."""
    made = {
        "prompt_tokens": model.get_llm_num_tokens(prompt),
        "completion_tokens": estimate_tokens(said),
        **given,
    }
    made.setdefault("total_tokens", made["prompt_tokens"] + made["completion_tokens"])
    return LLMUsage.from_metadata(made)
