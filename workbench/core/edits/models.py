"""graphon's models as they load a saved state, version by version.

Sources: graphon 0.8 `runtime/runtime_state/*.py`, `runtime/execution.py`, `runtime/container_state.py`,
`runtime/ready_queue/`, `entities/pause_reason.py`, `engine/filter/builtin/response_stream/snapshot.py`,
`engine_events/`; 0.5 to 0.7 `runtime/graph_runtime_state.py`, `graph_engine/domain/graph_execution.py`,
`graph_engine/ready_queue/`, `graph_engine/filters/response_stream.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from workbench.core.edits.pool_rules import pool_faults, value_faults
from workbench.core.edits.schema import (
    Check,
    Fault,
    anything,
    count,
    decimal,
    each,
    flag,
    identifier,
    items,
    mapping,
    mapping_of,
    model,
    moment,
    number,
    one_of,
    optional,
    tagged,
    text,
    through_int,
    whole,
)

STATE: Final = one_of("unknown", "taken", "skipped")
STATES: Final = mapping_of(STATE)
SELECTOR: Final = items(text)

USAGE: Final = model(
    {
        **dict.fromkeys(("prompt_tokens", "completion_tokens", "total_tokens"), whole),
        **dict.fromkeys(("prompt_unit_price", "prompt_price_unit", "prompt_price", "total_price"), decimal),
        **dict.fromkeys(("completion_unit_price", "completion_price_unit", "completion_price"), decimal),
        "currency": text,
        "latency": number,
    },
    {"time_to_first_token": optional(number), "time_to_generate": optional(number)},
)

# ---- the run as a whole

_SOURCE: Final = one_of("variable", "constant")
_DEFAULT: Final = model({"type": _SOURCE}, {"selector": items(text), "value": text})
_FIELD: Final[Mapping[str, Check]] = {"output_variable_name": text}
_FILES: Final[Mapping[str, Check]] = {
    "allowed_file_types": items(one_of("image", "document", "audio", "video", "custom")),
    "allowed_file_extensions": items(text),
    "allowed_file_upload_methods": items(one_of("local_file", "remote_url")),
}
_FIELD_0_5: Final = tagged(
    "type",
    {
        "paragraph": model(_FIELD, {"default": optional(_DEFAULT)}),
        "select": model(
            {
                **_FIELD,
                "option_source": model({"type": _SOURCE}, {"selector": items(text), "value": items(text)}),
            }
        ),
        "file": model(_FIELD, _FILES),
        "file-list": model(_FIELD, {**_FILES, "number_limits": count}),
    },
)
_ACTION_0_5: Final = model(
    {"id": identifier, "title": text}, {"button_style": one_of("primary", "default", "accent", "ghost")}
)
_OLD_FORM: Final = model(
    {"form_id": text, "form_content": text, "node_id": text, "node_title": text},
    {
        "inputs": items(_FIELD_0_5),
        "actions": items(_ACTION_0_5),
        "resolved_default_values": mapping,
    },
)
_PAUSE: Final = model({"message": text})
_SESSION_NAMES: Final = {"TYPE": text, "session_id": text, "node_id": text, "node_title": text}
REASON_0_5: Final = tagged("TYPE", {"human_input_required": _OLD_FORM, "scheduled_pause": _PAUSE})
REASON: Final = tagged(
    "TYPE",
    {
        "hitl_required": model(_SESSION_NAMES, closed=True),
        "human_input_required": model({"form_id": text, "node_id": text, "node_title": text}),
        "scheduled_pause": _PAUSE,
    },
)
_FLAGS: Final = dict.fromkeys(("started", "completed", "aborted", "paused"), flag)


def execution(version: Any, kernel: str) -> Check:
    """`graph_execution` of that version, as that kernel loads it."""
    old = kernel in ("graphon-0.5", "graphon-0.6")
    reasons = items(REASON_0_5 if kernel == "graphon-0.5" else REASON)
    node = {"retry_count": whole, "execution_id": optional(text)}
    if old:
        node |= {"state": STATE, "error": optional(text)}
    if version == "2.0" and not old:
        framed = model({"frame_id": text, "node_id": text, "retry_count": whole, "execution_id": text})
        return model(
            {
                "workflow_id": text,
                **_FLAGS,
                "pause_reasons": reasons,
                "error": optional(text),
                "exceptions_count": whole,
                "node_executions": items(framed),
            }
        )
    head: dict[str, Check] = {"workflow_id": text}
    kinds: dict[str, Check] = {"type": one_of("GraphExecution"), "version": one_of("1.0")}
    error = model({"qualname": optional(text) if old else text}, {"message": optional(text)})
    if old:
        error = model({"qualname": text}, {"message": optional(text), "module": text})
    rest = {
        **_FLAGS,
        "pause_reasons": reasons,
        "error": optional(error),
        "exceptions_count": whole,
        "node_executions": items(model({"node_id": text}, node)),
    }
    return model(head, {**kinds, **rest}) if old else model({**head, **kinds}, rest)


# ---- containers


def container_value(value: Any, where: str) -> Iterator[Fault]:
    """A typed value, or a plain one that graphon gives a type."""
    if isinstance(value, dict) and "value_type" in value:
        yield from value_faults(value, where)


VALUES: Final = mapping_of(container_value)
_RUN: Final[Mapping[str, Check]] = {
    "invocation_id": text,
    "frame_id": text,
    "node_id": text,
    "started_at": moment,
}
_RESULT: Final = model(
    {},
    {
        "status": one_of(
            "pending", "running", "succeeded", "failed", "exception", "stopped", "paused", "retry"
        ),
        **dict.fromkeys(("inputs", "process_data", "outputs", "metadata"), mapping),
        "llm_usage": USAGE,
        **dict.fromkeys(("edge_source_handle", "error", "error_type"), text),
        "retry_index": whole,
    },
)
CONTAINER_RUN: Final = tagged(
    "kind",
    {
        "loop": model(
            {
                **_RUN,
                "inputs": VALUES,
                "outputs": VALUES,
                "loop_count": whole,
                "root_node_id": text,
                "loop_variable_selectors": mapping_of(SELECTOR),
                "loop_node_ids": items(text),
            },
            {
                "duration_map": mapping_of(number),
                "variable_map": mapping_of(VALUES),
                "usage": USAGE,
                "completed_count": whole,
                "reached_break": flag,
            },
        ),
        "iteration": model(
            {
                **_RUN,
                "items": items(container_value),
                "root_node_id": text,
                "output_selector": SELECTOR,
                "error_handle_mode": one_of("terminated", "continue-on-error", "remove-abnormal-output"),
                "flatten_output": flag,
                "parallel_nums": whole,
            },
            {
                "outputs": VALUES,
                "duration_map": mapping_of(number),
                "usage": USAGE,
                "scheduled_count": whole,
                "completed_count": whole,
                "resume_pending": flag,
                "errors": items(text),
            },
        ),
        "custom": model({**_RUN, "payload": text}),
    },
)


def _frame_pool(value: Any, where: str) -> Iterator[Fault]:
    if value != "parent":
        yield from pool_faults(value, where)


_FRAME_DATA: Final = model(
    {
        "variable_pool": _frame_pool,
        "outputs": mapping,
        "llm_usage": USAGE,
        "node_run_steps": whole,
        "graph_node_states": STATES,
        "graph_edge_states": STATES,
    }
)
_FRAME: Final[Mapping[str, Check]] = {
    "frame_id": text,
    "parent_invocation_id": text,
    "runtime_data": _FRAME_DATA,
}
_ROUND: Final[Mapping[str, Check]] = {**_FRAME, "root_node_id": text, "index": whole, "started_at": moment}
FRAME: Final = tagged(
    "kind",
    {
        "loop": model(_ROUND, {"reached_break": flag, "errors": items(text)}),
        "iteration": model(_ROUND, {"errors": items(text)}),
        "custom": model(_FRAME),
    },
)

# ---- the queues

TASK: Final = tagged(
    "kind",
    {
        "start": model({"frame_id": text, "node_id": text}),
        "resume": model({"invocation_id": text, "result": mapping}),
    },
)
QUEUE_1: Final = model({"type": one_of("InMemoryReadyQueue"), "version": one_of("1.0"), "items": items(text)})
OLD_QUEUE: Final = model(
    {"type": one_of("InMemoryReadyQueue"), "version": one_of("1.0")}, {"items": items(text)}
)
QUEUE_2: Final = model({"version": one_of("2.0"), "items": items(TASK)})

# ---- the runtime state

_COMMON: Final[Mapping[str, Check]] = {
    "start_at": number,
    "node_run_steps": count,
    "llm_usage": USAGE,
    "outputs": mapping,
    "variable_pool": pool_faults,
    "ready_queue": text,
    "graph_execution": text,
}
NEW_1: Final = model(
    {
        **_COMMON,
        "paused_nodes": items(text),
        "deferred_nodes": items(text),
        "graph_state": model({"nodes": STATES, "edges": STATES}),
    }
)
NEW_2: Final = model(
    {
        **_COMMON,
        "deferred_ready_tasks": text,
        "container_runs": items(CONTAINER_RUN),
        "container_frames": items(FRAME),
        "graph_node_states": STATES,
        "graph_edge_states": STATES,
    }
)
OLD_1: Final = model(
    {"llm_usage": USAGE},
    {
        "start_at": number,
        "node_run_steps": through_int,
        "total_tokens": through_int,
        "outputs": anything,
        "paused_nodes": each,
        "deferred_nodes": each,
        "variable_pool": optional(pool_faults),
    },
)

# ---- the gate

SESSION: Final = model({"node_id": text}, {"index": count})
_EVENT: Final = model(
    {"id": text, "node_id": text, "node_type": text, "selector": SELECTOR, "chunk": text},
    {
        "is_final": flag,
        "node_version": text,
        "node_run_result": _RESULT,
    },
)
_EVENT_PLACES: Final[Mapping[str, Mapping[str, Check]]] = {
    "graphon-0.8": {"container_id": text},
    "": {"in_iteration_id": optional(text), "in_loop_id": optional(text)},
}


def gate(kernel: str) -> Check:
    """The gate as that kernel loads it; types and versions apart."""
    places = model({}, _EVENT_PLACES.get(kernel, _EVENT_PLACES[""]))

    def event(value: Any, where: str) -> Iterator[Fault]:
        yield from _EVENT(value, where)
        if isinstance(value, dict):
            yield from places(value, where)

    return model(
        {},
        {
            "response_nodes": items(text),
            "active_session": optional(SESSION),
            "waiting_sessions": items(SESSION),
            "pending_sessions": items(SESSION),
            "node_execution_ids": mapping_of(text),
            "paths_map": mapping_of(items(items(text))),
            "stream_buffers": items(model({"selector": SELECTOR}, {"events": items(event)})),
            "stream_positions": items(model({"selector": SELECTOR}, {"position": count})),
            "closed_streams": items(SELECTOR),
        },
    )
