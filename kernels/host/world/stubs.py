"""Stand-ins for the node types that live in Dify, not in graphon: agent, knowledge retrieval, triggers and
others.

They stream and answer as the script says, or as Dify's own node would look from outside. graphon's registry
wants a class a type; making one registers it (graphon nodes/base/node.py, __init_subclass__).
"""

from __future__ import annotations

import types
from collections.abc import Callable, Generator, Mapping
from typing import Any

from graphon.entities.base_node_data import BaseNodeData
from graphon.enums import NodeExecutionType, WorkflowNodeExecutionMetadataKey, WorkflowNodeExecutionStatus
from graphon.model_runtime.entities.llm_entities import LLMUsage
from graphon.node_events.base import NodeRunResult
from graphon.node_events.node import StreamChunkEvent, StreamCompletedEvent
from graphon.nodes.base.node import Node

from .answers import Answered, answer
from .turns import Turn, until_failure
from .waiting import Waiter

ALIASES: Mapping[str, str] = {"variable-assigner": "variable-aggregator"}
"""Old type names of nodes that graphon has under another name (graphon enums: LEGACY_VARIABLE_AGGREGATOR)."""

ROOT_TYPES = frozenset({"trigger-webhook", "trigger-schedule", "trigger-plugin", "datasource"})
"""Types that start a run; Dify's classes have NodeExecutionType.ROOT."""

STUB_TYPES = ROOT_TYPES | {
    "agent",
    "knowledge-retrieval",
    "document-extractor",
    "datasource-empty",
    "knowledge-index",
}

REAL_TYPES = frozenset(
    [
        "start",
        "end",
        "answer",
        "if-else",
        "template-transform",
        "variable-aggregator",
        "variable-assigner",
        "assigner",
        "list-operator",
        "loop",
        "loop-start",
        "loop-end",
        "iteration",
        "iteration-start",
        "code",
        "http-request",
        "llm",
        "question-classifier",
        "parameter-extractor",
        "tool",
        "human-input",
    ]
)
"""Types that run on graphon's own class."""

_STREAMING = frozenset({"agent"})
_USUAL_ERRORS = {"agent": "AgentInvocationError", "knowledge-retrieval": "KnowledgeRetrievalNodeError"}
_classes: dict[str, type[Node]] = {}


class _Scripted:
    """What every stub does; mixed into a class of its own for each type."""

    def __init__(self, *args: Any, stub: StubPart, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stub = stub

    def _run(self) -> Generator[Any, None, None]:
        turn = self._stub.next_turn()
        node_type, node_id = str(self.node_type), str(self.id)
        state = getattr(self, "runtime_state", None) or self.graph_runtime_state
        answered = answer(node_type, node_id, self._stub.data, turn, state.variable_pool, self._stub.wanted)
        chunks = answered.chunks if node_type in _STREAMING or turn.says("chunks") else []
        for chunk in until_failure(chunks, turn.failure):
            self._stub.waiter.wait(chunk.wait)
            yield StreamChunkEvent(selector=[node_id, "text"], chunk=chunk.text, is_final=False)
        if not chunks:
            self._stub.waiter.wait(turn.delay)
        if turn.failure is not None:
            yield StreamCompletedEvent(node_run_result=_failed(node_type, turn, answered))
            return
        if chunks:
            yield StreamChunkEvent(selector=[node_id, "text"], chunk="", is_final=True)
        yield StreamCompletedEvent(node_run_result=_succeeded(answered))


class StubPart:
    """The collaborator of a stub node, its constructor argument `stub`."""

    def __init__(
        self,
        data: Mapping[str, Any],
        waiter: Waiter,
        next_turn: Callable[[], Turn],
        wanted: Mapping[str, str],
    ) -> None:
        self.data, self.waiter, self.next_turn, self.wanted = data, waiter, next_turn, wanted


def _failed(node_type: str, turn: Turn, answered: Answered) -> NodeRunResult:
    failure = turn.failure
    assert failure is not None
    return NodeRunResult(
        status=WorkflowNodeExecutionStatus.FAILED,
        inputs=answered.inputs,
        error=failure.error,
        error_type=failure.error_type or _USUAL_ERRORS.get(node_type, "WorkflowNodeError"),
    )


def _succeeded(answered: Answered) -> NodeRunResult:
    usage = LLMUsage.from_metadata(dict(answered.usage)) if answered.usage else LLMUsage.empty_usage()
    metadata = {}
    if usage.total_tokens:
        metadata = {
            WorkflowNodeExecutionMetadataKey.TOTAL_TOKENS: usage.total_tokens,
            WorkflowNodeExecutionMetadataKey.TOTAL_PRICE: usage.total_price,
            WorkflowNodeExecutionMetadataKey.CURRENCY: usage.currency,
        }
    return NodeRunResult(
        status=WorkflowNodeExecutionStatus.SUCCEEDED,
        inputs=answered.inputs,
        outputs=answered.outputs,
        metadata=metadata,
        llm_usage=usage,
    )


def is_stub(node_type: str) -> bool:
    """True for a type that runs on `stub_class(node_type)`: Dify's own types and every unknown one."""
    return node_type not in REAL_TYPES


def stub_class(node_type: str) -> type[Node]:
    """The stub's class for a type; the same class each time it is asked for."""
    if node_type not in _classes:
        body: dict[str, Any] = {
            "node_type": node_type,
            "version": classmethod(lambda cls: "1"),
            "__module__": __name__,
        }
        if node_type in ROOT_TYPES or node_type.startswith("trigger-"):
            body["execution_type"] = NodeExecutionType.ROOT
        name = "Stub" + "".join(
            part.title() for part in node_type.replace("_", "-").split("-") if part.isalnum()
        )
        _classes[node_type] = types.new_class(
            name, (_Scripted, Node[BaseNodeData]), {}, lambda namespace: namespace.update(body)
        )
    return _classes[node_type]
