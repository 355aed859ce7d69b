"""Would this engine load this state? The rules of graphon's loaders, version by version.

Sources: graphon 0.5, 0.6 `runtime/graph_runtime_state.py`, 0.7 the same, 0.8 `runtime/runtime_state/*.py`,
`runtime/execution.py`, `runtime/ready_queue/`; variables are in `rules_pool`, the gate in `rules_gate`.
Compared with the real loaders in tests/core/edits/test_rules_against_graphon.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from workbench.core.blocking import scope_of
from workbench.core.edits.document import Document
from workbench.core.edits.rules_gate import gate_faults
from workbench.core.edits.rules_parts import Fault, Holder
from workbench.core.edits.rules_pool import pool_faults
from workbench.core.edits.states import STATES
from workbench.core.state import Rules

LOADS: Final[Mapping[str, frozenset[str]]] = {
    "graphon-0.5": frozenset({"1.0"}),
    "graphon-0.6": frozenset({"1.0"}),
    "graphon-0.7": frozenset({"1.0", "2.0"}),
    "graphon-0.8": frozenset({"1.0", "2.0", "3.0"}),
}
_FRAMED: Final = ("2.0", "3.0")


def faults(doc: Document) -> Iterator[Fault]:
    """What the document's engine would refuse, and what it would load but stumble over."""
    if doc.state_path is not None:
        yield from _state_faults(doc)
    if doc.gate_path is not None and doc.gate() is not None:
        yield from gate_faults(doc)


def refusals(doc: Document) -> tuple[Fault, ...]:
    """What the document's engine would refuse."""
    return tuple(fault for fault in faults(doc) if fault.refused)


def _state_faults(doc: Document) -> Iterator[Fault]:
    state = Holder(doc.state(), "", strict=_is_strict(doc))
    version = state.data.get("version")
    if version not in LOADS.get(doc.kernel, ()):
        yield Fault("version", f"{doc.kernel} loads no runtime state of version {version!r}.")
    yield from state.number("start_at")
    yield from state.count("node_run_steps")
    if "total_tokens" in state.data:
        yield from state.count("total_tokens")
    yield from state.mapping("outputs")
    yield from _usage(state)
    yield from pool_faults(state.data.get("variable_pool"), "variable_pool")
    yield from _queue(doc, "ready_queue")
    yield from _execution(doc)
    if version in _FRAMED:
        yield from _queue(doc, "deferred_ready_tasks")
        for key in ("container_runs", "container_frames"):
            yield from state.items(key)
        yield from _frames(doc)
    else:
        for key in ("paused_nodes", "deferred_nodes"):
            yield from state.texts(key)
    yield from _graph_states(doc)


def _is_strict(doc: Document) -> bool:
    """0.5 and 0.6 take defaults for what is missing; 0.7 and later demand every key."""
    return doc.kernel not in ("graphon-0.5", "graphon-0.6")


_USAGE: Final = (
    *("prompt_tokens", "completion_tokens", "total_tokens", "latency"),
    *("prompt_unit_price", "prompt_price_unit", "prompt_price", "total_price"),
    *("completion_unit_price", "completion_price_unit", "completion_price"),
)


def _usage(state: Holder) -> Iterator[Fault]:
    usage = state.data.get("llm_usage")
    if not isinstance(usage, dict):
        yield Fault("llm_usage", "llm_usage is no mapping.")
        return
    for key in _USAGE:
        if key not in usage:
            yield Fault(f"llm_usage.{key}", f"llm_usage has no {key}.")
        elif not _is_amount(usage[key], whole=key.endswith("_tokens")):
            yield Fault(
                f"llm_usage.{key}", f"llm_usage.{key} is no {'whole ' * key.endswith('_tokens')}number."
            )
    if not isinstance(usage.get("currency"), str):
        yield Fault("llm_usage.currency", "llm_usage.currency is no text.")


def _is_amount(value: Any, *, whole: bool) -> bool:
    if isinstance(value, str) and not whole:
        try:
            return math.isfinite(float(value))
        except ValueError:
            return False
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) or (math.isfinite(value) and not (whole and value % 1))


def _queue(doc: Document, key: str) -> Iterator[Fault]:
    path = doc.nested(key)
    items = doc.value((*path, "items")) if path is not None else None
    version = doc.value((*path, "version")) if path is not None else None
    if path is None or not isinstance(items, list):
        yield Fault(key, f"{key} is no queue: a JSON text with items.")
        return
    framed = version == "2.0"
    if version not in ("1.0", "2.0") or (framed and not _is_strict(doc)):
        yield Fault(key, f"{doc.kernel} loads no {key} of version {version!r}.")
        return
    for index, item in enumerate(items):
        where = f"{key}[{index}]"
        if not framed:
            if not isinstance(item, str):
                yield Fault(where, f"{where} is no node id.")
        elif not isinstance(item, dict) or item.get("kind") not in ("start", "resume"):
            yield Fault(where, f"{where} is no task of the kind start or resume.")
        elif item["kind"] == "start":
            yield from _start_task(doc, item, where)
        elif not isinstance(item.get("invocation_id"), str) or not isinstance(item.get("result"), dict):
            yield Fault(where, f"{where} has no invocation_id or result.")


def _start_task(doc: Document, item: Mapping[str, Any], where: str) -> Iterator[Fault]:
    node, frame = item.get("node_id"), item.get("frame_id")
    if not isinstance(node, str) or not isinstance(frame, str):
        yield Fault(where, f"{where} has no node_id or frame_id.")
        return
    frames = doc.value((*(doc.state_path or ()), "container_frames"))
    known = (
        [each.get("frame_id") for each in frames if isinstance(each, dict)]
        if isinstance(frames, list)
        else []
    )
    if frame != "root" and frame not in known:
        yield Fault(where, f"{where} is a task of the frame {frame!r}, which the state does not have.")
    elif doc.graph is not None and node not in doc.graph.nodes:
        yield Fault(where, f"{where} starts the node {node!r}, which the app does not have.")


def _execution(doc: Document) -> Iterator[Fault]:
    path = doc.execution_path
    if path is None:
        yield Fault("graph_execution", "graph_execution is no JSON text that holds a mapping.")
        return
    data = doc.execution()
    holder = Holder(data, "graph_execution.", strict=data.get("version") == "2.0")
    version = data.get("version")
    if version not in ("1.0", "2.0") or (version == "2.0" and not _is_strict(doc)):
        yield Fault(
            "graph_execution.version", f"{doc.kernel} loads no graph_execution of version {version!r}."
        )
    if not isinstance(data.get("workflow_id"), str):
        yield Fault("graph_execution.workflow_id", "graph_execution.workflow_id is no text.")
    for key in ("started", "completed", "aborted", "paused"):
        yield from holder.flag(key)
    yield from holder.whole("exceptions_count")
    yield from _reasons(doc, data)
    yield from holder.items("node_executions")
    for index, node in enumerate(
        data["node_executions"] if isinstance(data.get("node_executions"), list) else ()
    ):
        where = f"graph_execution.node_executions[{index}]"
        if not isinstance(node, dict) or not isinstance(node.get("node_id"), str):
            yield Fault(where, f"{where} names no node.")
    if data.get("paused") is False and data.get("completed") is not True:
        yield Fault(
            "graph_execution.paused", "The run does not say that it is paused: a resume may not go on.",
            refused=False,
        )  # fmt: skip
    for key in ("completed", "aborted"):
        if data.get(key) is True:
            yield Fault(
                f"graph_execution.{key}", f"The run says that it is {key}: nothing goes on.", refused=False
            )


def _reasons(doc: Document, data: Mapping[str, Any]) -> Iterator[Fault]:
    reasons = data.get("pause_reasons", [])
    if not isinstance(reasons, list):
        yield Fault("graph_execution.pause_reasons", "graph_execution.pause_reasons is no list.")
        return
    old = doc.kernel == "graphon-0.5"
    for index, reason in enumerate(reasons):
        where = f"graph_execution.pause_reasons[{index}]"
        kind = reason.get("TYPE") if isinstance(reason, dict) else None
        needed: Mapping[str, tuple[str, ...]] = {
            "scheduled_pause": ("message",),
            "human_input_required": ("form_id", "node_id", "node_title"),
            **({} if old else {"hitl_required": ("session_id", "node_id", "node_title")}),
        }
        if not isinstance(kind, str) or kind not in needed:
            yield Fault(where, f"{doc.kernel} knows no pause reason {kind!r}.")
            continue
        assert isinstance(reason, dict)
        for key in needed[kind]:
            if not isinstance(reason.get(key), str):
                yield Fault(f"{where}.{key}", f"{where}.{key} is no text.")
        extra = set(reason) - {"TYPE", *needed[kind]}
        if kind == "hitl_required" and extra:
            yield Fault(where, f"{where} has the key {min(extra)!r}, which such a reason does not have.")


def _frames(doc: Document) -> Iterator[Fault]:
    frames = doc.value((*(doc.state_path or ()), "container_frames"))
    for index, frame in enumerate(frames if isinstance(frames, list) else ()):
        where = f"container_frames[{index}]"
        data = frame.get("runtime_data") if isinstance(frame, dict) else None
        if not isinstance(data, dict):
            yield Fault(where, f"{where} has no runtime_data.")
            continue
        if data.get("variable_pool") != "parent":
            yield from pool_faults(data.get("variable_pool"), f"{where}.variable_pool")
        for key in ("graph_node_states", "graph_edge_states"):
            yield from _states(data.get(key), f"{where}.{key}")


def _graph_states(doc: Document) -> Iterator[Fault]:
    state = doc.state()
    if state.get("version") == "1.0":
        held = state.get("graph_state")
        held = held if isinstance(held, dict) else {}
        nodes, edges = held.get("nodes"), held.get("edges")
    else:
        nodes, edges = state.get("graph_node_states"), state.get("graph_edge_states")
    strict = _is_strict(doc)
    for value, where in ((nodes, "node states"), (edges, "edge states")):
        for found in _states(value, where):
            yield found if strict else Fault(found.where, found.message, refused=False)
    if isinstance(nodes, dict) and isinstance(edges, dict) and doc.graph is not None:
        yield from _against_graph(doc, nodes, edges)


def _states(value: Any, where: str) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield Fault(where, f"The {where} are no mapping.")
        return
    for name, state in value.items():
        if state not in STATES:
            yield Fault(f"{where}.{name}", f"{where}: {name} is {state!r}; valid: {', '.join(STATES)}.")


def _against_graph(doc: Document, nodes: Mapping[str, Any], edges: Mapping[str, Any]) -> Iterator[Fault]:
    """0.8 demands exactly the graph that was saved; older engines take what fits and drop the rest."""
    assert doc.graph is not None
    whole = doc.version != "3.0"
    graph = scope_of(doc.graph, whole=whole or Rules.of(doc.kernel).whole)
    exact = doc.kernel == "graphon-0.8" and bool(nodes or edges)
    saved_edges = {doc.dsl_edge(edge) for edge in edges}
    pairs = (
        ("node", set(nodes), set(graph.nodes)),
        ("edge", saved_edges, set(graph.edges)),
    )
    for what, saved, known in pairs:
        for name in sorted(saved - known)[:5]:
            yield Fault(
                f"{what}:{name}",
                f"The state has the {what} {name!r}, which the app does not have.",
                refused=exact,
            )
        for name in sorted(known - saved)[:5]:
            yield Fault(
                f"{what}:{name}",
                f"The app has the {what} {name!r}, which the state does not have.",
                refused=exact,
            )
