"""graphon's events in the protocol's one spelling (EVENT in kernels/PROTOCOL.md), for all generations."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from .app import App
from .generation.base import Generation, edge_names
from .values import plain

_text = json.JSONEncoder(ensure_ascii=False).encode
"""Text may hold lone surrogates: the outbox escapes what UTF-8 can't say."""
_ascii = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode
FINAL = ',"final":true'
TRUE, FALSE = "true", "false"
_LOOP = "loop"


class Encoder:
    """Encodes the events of one run.

    Args:
        reason: REASON of the protocol for one of graphon's pause reasons and the node that asked, if known.
    """

    def __init__(self, app: App, generation: Generation, reason: Callable[[Any, str | None], Any]) -> None:
        self._app = app
        self._generation = generation
        self._reason = reason
        self._edges = edge_names(generation)
        self._rounds: dict[str, int] = {}
        self._chunk_frames: dict[tuple[Any, ...], tuple[str, str, str]] = {}

    def chunk(self, n: int, event: Any) -> tuple[str, str, str]:
        """A NodeRunStreamChunk, put together by hand because nine of ten events are such.

        Returns:
            The whole `event` line, and the chunk's JSON in two parts for a `stream` line: node and
            selector, text and flag.
        """
        key = (event.node_id, event.id, *event.selector)
        found = self._chunk_frames.get(key)
        if found is None:
            found = self._chunk_frames[key] = self._chunk_frame(event)
        head, tail, source = found
        text = _text(event.chunk)
        final = event.is_final
        line = (
            f'{{"msg":"event","n":{n},"at":{time.time():.6f},"event":{head}{text}'
            f"{FINAL if final else ''}{tail}"
        )
        return line, source, f"{text},{TRUE if final else FALSE}"

    def _chunk_frame(self, event: Any) -> tuple[str, str, str]:
        selector = list(event.selector)
        head = {"kind": "NodeRunStreamChunk", "node": event.node_id, "xid": event.id, "selector": selector}
        place = self._place(event)
        tail = "," + _ascii(place)[1:-1] if place else ""
        source = f"{_ascii(event.node_id)},{_ascii(selector)}"
        return _ascii(head)[:-1] + ',"text":', tail + "}}\n", source

    def encode(self, event: Any) -> dict[str, Any]:
        name = type(event).__name__.removesuffix("Event")
        return _told(name, _FIELDS.get(name, Encoder._other)(self, event))

    def encode_edge(self, event: Any, index: int) -> dict[str, Any]:
        """An edge event of a child engine's round."""
        return _told(type(event).__name__.removesuffix("Event"), self.edge(event, index))

    def has_round(self, container: str, index: int) -> bool:
        """graphon 0.5 and 0.6 announce one round more than a loop has."""
        count = self._app.data[container].get("loop_count")
        return not isinstance(count, int) or index < count

    # ---- where an event comes from

    def _place(self, event: Any) -> dict[str, Any]:
        container = self._app.parents.get(event.node_id)
        if container is None:
            return {}
        result = event.node_run_result
        metadata = {str(getattr(key, "value", key)): value for key, value in result.metadata.items()}
        loop = self._app.kind(container) == _LOOP
        owner, index = ("loop_id", "loop_index") if loop else ("iteration_id", "iteration_index")
        if metadata.get(owner) == container and isinstance(metadata.get(index), int):
            self._rounds[container] = metadata[index]
            return {"container": container, "index": metadata[index]}
        return self._in_container(container, None)

    def _in_container(self, container: str, index: int | None) -> dict[str, Any]:
        """Without an index of its own an event belongs to the round that the container is in, if it has but
        one at a time.
        """
        if index is None and not self._app.data[container].get("is_parallel"):
            index = self._rounds.get(container)
        return {"container": container} if index is None else {"container": container, "index": index}

    def edge(self, event: Any, index: int | None = None) -> dict[str, Any]:
        """An edge event's fields; `index` where the caller knows the round."""
        told = {
            "edge": self._edges.get(event.edge_id, event.edge_id),
            "source": event.source_node_id,
            "target": event.target_node_id,
            "handle": event.source_handle,
        }
        container = self._app.parents.get(event.source_node_id)
        if container is None:
            return told
        found = self._generation.edge_round(event) if index is None else index
        return {**told, **self._in_container(container, found)}

    # ---- the kinds

    def _node(self, event: Any) -> dict[str, Any]:
        return {"node": event.node_id, "xid": event.id, **self._place(event)}

    def _started(self, event: Any) -> dict[str, Any]:
        return {
            **self._node(event),
            "type": str(event.node_type),
            "title": event.node_title,
            "predecessor": getattr(event, "predecessor_node_id", None),
        }

    def _chunk(self, event: Any) -> dict[str, Any]:
        return {
            **self._node(event),
            "selector": list(event.selector),
            "text": event.chunk,
            "final": event.is_final or None,
        }

    def _result(self, event: Any) -> dict[str, Any]:
        result = event.node_run_result
        handle = result.edge_source_handle
        ended = getattr(event, "finished_at", None)
        return {
            **self._node(event),
            "type": str(event.node_type),
            "inputs": plain(result.inputs),
            "process_data": plain(result.process_data),
            "outputs": plain(result.outputs),
            "metadata": plain(result.metadata),
            "usage": _usage(result.llm_usage),
            "handle": None if handle == "source" else handle,
            "elapsed": None if ended is None else (ended - event.start_at).total_seconds(),
            "error": getattr(event, "error", None) or result.error,
            "error_type": result.error_type,
        }

    def _retry(self, event: Any) -> dict[str, Any]:
        told = self._result(event)
        kept = ("inputs", "process_data", "outputs", "error", "error_type")
        return {
            **self._started(event),
            **{key: told[key] for key in kept},
            "retry_index": event.retry_index,
        }

    def _pause_requested(self, event: Any) -> dict[str, Any]:
        return {**self._node(event), "reason": self._reason(event.reason, event.node_id)}

    def _variable(self, event: Any) -> dict[str, Any]:
        variable = event.variable
        return {
            **self._node(event),
            "selector": list(variable.selector),
            "value": plain(variable),
            "type": str(variable.value_type.value),
        }

    def _form_filled(self, event: Any) -> dict[str, Any]:
        return {
            **self._node(event),
            "title": event.node_title,
            "action": event.action_id,
            "action_text": event.action_text,
            "fields": plain(event.submitted_data),
            "content": event.rendered_content,
        }

    def _form_timeout(self, event: Any) -> dict[str, Any]:
        return {**self._node(event), "title": event.node_title}

    def _container_started(self, event: Any) -> dict[str, Any]:
        self._rounds[event.node_id] = 0
        return {
            **self._node(event),
            "title": event.node_title,
            "inputs": plain(event.inputs),
            "metadata": plain(event.metadata),
        }

    def _container_next(self, event: Any) -> dict[str, Any]:
        self._rounds[event.node_id] = event.index
        previous = getattr(event, "pre_loop_output", None) or getattr(event, "pre_iteration_output", None)
        return {
            **self._node(event),
            "title": event.node_title,
            "round": event.index,
            "previous": plain(previous),
        }

    def _container_ended(self, event: Any) -> dict[str, Any]:
        return {
            **self._node(event),
            "title": event.node_title,
            "outputs": plain(event.outputs),
            "metadata": plain(event.metadata),
            "error": getattr(event, "error", None),
            "rounds": event.steps,
        }

    def _resources(self, event: Any) -> dict[str, Any]:
        return {
            **self._node(event),
            "resources": plain(event.retriever_resources),
            "context": event.context,
        }

    def _agent_log(self, event: Any) -> dict[str, Any]:
        return {
            **self._node(event),
            "label": event.label,
            "status": event.status,
            "data": plain(event.data),
            "id": event.message_id,
            "parent": event.parent_id,
            "error": event.error,
        }

    def _run_started(self, event: Any) -> dict[str, Any]:
        return {"reason": str(event.reason.value)}

    def _run_ended(self, event: Any) -> dict[str, Any]:
        return {
            "outputs": plain(getattr(event, "outputs", None)),
            "exceptions_count": getattr(event, "exceptions_count", None) or None,
            "error": getattr(event, "error", None),
            "reason": getattr(event, "reason", None),
        }

    def _paused(self, event: Any) -> dict[str, Any]:
        return {
            "reasons": [self._reason(reason, None) for reason in event.reasons],
            "outputs": plain(event.outputs),
        }

    def _other(self, event: Any) -> dict[str, Any]:
        dumped = plain(event.model_dump(mode="json", exclude_defaults=True))
        node = self._node(event) if hasattr(event, "node_id") else {}
        dropped = ("id", "node_id", "node_run_result", "container_id", "in_loop_id", "in_iteration_id")
        return {**node, **{key: value for key, value in dumped.items() if key not in dropped}}


def _told(kind: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Without what is empty, null or default."""
    kept = {key: value for key, value in fields.items() if value not in (None, "", {}, [])}
    return {"kind": kind, **kept}


def _usage(usage: Any) -> dict[str, Any] | None:
    if usage is None or not usage.total_tokens:
        return None
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
        "total_price": str(usage.total_price),
        "currency": usage.currency,
        "latency": usage.latency,
    }


_FIELDS: Mapping[str, Callable[[Encoder, Any], dict[str, Any]]] = {
    "GraphRunStarted": Encoder._run_started,
    "GraphRunSucceeded": Encoder._run_ended,
    "GraphRunPartialSucceeded": Encoder._run_ended,
    "GraphRunFailed": Encoder._run_ended,
    "GraphRunAborted": Encoder._run_ended,
    "GraphRunPaused": Encoder._paused,
    "GraphEdgeTaken": Encoder.edge,
    "GraphEdgeSkipped": Encoder.edge,
    "NodeRunStarted": Encoder._started,
    "NodeRunStreamChunk": Encoder._chunk,
    "NodeRunReasoningChunk": Encoder._chunk,
    "NodeRunSucceeded": Encoder._result,
    "NodeRunFailed": Encoder._result,
    "NodeRunException": Encoder._result,
    "NodeRunRetry": Encoder._retry,
    "NodeRunPauseRequested": Encoder._pause_requested,
    "NodeRunVariableUpdated": Encoder._variable,
    "NodeRunHumanInputFormFilled": Encoder._form_filled,
    "NodeRunHumanInputFormTimeout": Encoder._form_timeout,
    "NodeRunIterationStarted": Encoder._container_started,
    "NodeRunLoopStarted": Encoder._container_started,
    "NodeRunIterationNext": Encoder._container_next,
    "NodeRunLoopNext": Encoder._container_next,
    "NodeRunIterationSucceeded": Encoder._container_ended,
    "NodeRunIterationFailed": Encoder._container_ended,
    "NodeRunLoopSucceeded": Encoder._container_ended,
    "NodeRunLoopFailed": Encoder._container_ended,
    "NodeRunRetrieverResource": Encoder._resources,
    "NodeRunAgentLog": Encoder._agent_log,
}
