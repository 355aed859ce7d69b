"""Tool nodes: a scripted tool behind graphon's ToolNodeRuntimeProtocol."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from graphon.file.models import File
from graphon.model_runtime.entities.llm_entities import LLMUsage
from graphon.nodes.tool.exc import ToolNodeError
from graphon.nodes.tool_runtime_entities import ToolRuntimeHandle, ToolRuntimeMessage, ToolRuntimeParameter

from . import replies
from .errors import make_error
from .files import Files, make_file
from .turns import Turn, until_failure
from .waiting import Waiter

_Kind = ToolRuntimeMessage.MessageType


class ScriptedTool:
    """Streams the text, then JSON, files and variables."""

    def __init__(
        self,
        node_id: str,
        data: Mapping[str, Any],
        waiter: Waiter,
        next_turn: Callable[[], Turn],
        files: Files,
        wanted: Mapping[str, str],
    ) -> None:
        self._node_id, self._data, self._waiter = node_id, data, waiter
        self._next_turn, self._files, self._wanted = next_turn, files, wanted
        self._usage: Mapping[str, Any] = {}

    def get_runtime(
        self, *, node_id: str, node_data: Any, variable_pool: Any, node_execution_id: str | None = None
    ) -> ToolRuntimeHandle:
        return ToolRuntimeHandle(raw=node_id)

    def get_runtime_parameters(self, *, tool_runtime: ToolRuntimeHandle) -> Sequence[ToolRuntimeParameter]:
        # The tool's declaration is not in the DSL: every parameter the app sets exists and none is required.
        given = self._data.get("tool_parameters")
        return [ToolRuntimeParameter(name=str(name)) for name in given] if isinstance(given, Mapping) else []

    def invoke(
        self,
        *,
        tool_runtime: ToolRuntimeHandle,
        tool_parameters: Mapping[str, Any],
        workflow_call_depth: int,
        provider_name: str,
    ) -> Generator[ToolRuntimeMessage, None, None]:
        turn = self._next_turn()
        self._usage = turn.entry.get("usage") or {}
        outputs = dict(turn.entry.get("outputs") or {})
        made_text = replies.tool_text(self._data, self._node_id, self._wanted.get("text"))
        text = outputs.pop("text", made_text)
        for chunk in until_failure(turn.chunks(str(text)), turn.failure):
            self._waiter.wait(chunk.wait)
            yield _message(_Kind.TEXT, ToolRuntimeMessage.TextMessage(text=chunk.text))
        if turn.failure is not None:
            raise make_error(ToolNodeError, turn.failure, "ToolInvokeError")
        for value in self._json(turn, outputs):
            yield _message(_Kind.JSON, ToolRuntimeMessage.JsonMessage(json_object=value))
        for mapping in turn.entry.get("files") or outputs.pop("files", None) or ():
            file = make_file(mapping if isinstance(mapping, Mapping) else {"url": str(mapping)})
            yield _message(_Kind.FILE, ToolRuntimeMessage.FileMessage(), {"file": file})
        made = replies.schema_outputs(self._data, self._wanted, replies.TOOL_OUTPUTS)
        for name, value in {**made, **outputs}.items():
            yield _message(
                _Kind.VARIABLE, ToolRuntimeMessage.VariableMessage(variable_name=name, variable_value=value)
            )

    def _json(self, turn: Turn, outputs: dict[str, Any]) -> list[Any]:
        scripted = outputs.pop("json", None)
        given = turn.entry.get("json", scripted)
        if given is None:
            return [replies.tool_json(self._data, self._node_id)]
        return given if isinstance(given, list) else [given]

    def get_usage(self, *, tool_runtime: ToolRuntimeHandle) -> LLMUsage:
        return LLMUsage.from_metadata(dict(self._usage)) if self._usage else LLMUsage.empty_usage()

    def build_file_reference(self, *, mapping: Mapping[str, Any]) -> File:
        return self._files.build_from_mapping(mapping=mapping)


def _message(kind: Any, payload: Any, meta: dict[str, Any] | None = None) -> ToolRuntimeMessage:
    return ToolRuntimeMessage(type=kind, message=payload, meta=meta)
