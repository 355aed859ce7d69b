"""Would this engine load this state? The models of `models`, and the rules between the parts.

Compared with the real loaders in tests/core/edits/test_rules_against_graphon.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from workbench.core.blocking import scope_of
from workbench.core.edits import models
from workbench.core.edits.context_rules import context_faults, half_faults
from workbench.core.edits.document import Document
from workbench.core.edits.gate_rules import gate_faults
from workbench.core.edits.schema import Check, Fault
from workbench.core.edits.task_rules import idle_faults
from workbench.core.state import Rules

LOADS: Final[Mapping[str, frozenset[str]]] = {
    "graphon-0.5": frozenset({"1.0"}),
    "graphon-0.6": frozenset({"1.0"}),
    "graphon-0.7": frozenset({"1.0", "2.0"}),
    "graphon-0.8": frozenset({"1.0", "2.0", "3.0"}),
}
"""Runtime states that an engine kernel loads."""


def faults(doc: Document) -> Iterator[Fault]:
    """What the document's engine would refuse, and what it would load but stumble over."""
    if doc.state_path is not None:
        yield from _state_faults(doc)
        yield from half_faults(doc)
        yield from idle_faults(doc)
    yield from context_faults(doc)
    if doc.gate_path is not None and doc.gate() is not None:
        yield from gate_faults(doc)


def refusals(doc: Document) -> tuple[Fault, ...]:
    """What the document's engine would refuse."""
    return tuple(fault for fault in faults(doc) if fault.refused)


def _state_faults(doc: Document) -> Iterator[Fault]:
    state = doc.state()
    version = state.get("version")
    if not isinstance(version, str) or version not in LOADS.get(doc.kernel, ()):
        yield Fault("version", f"{doc.kernel} loads no runtime state of version {version!r}.")
    old = is_old(doc.kernel)
    check: Check = models.OLD_1 if old else models.NEW_1 if version == "1.0" else models.NEW_2
    yield from check(state, "")
    yield from _nested(doc, "graph_execution", _execution_check(doc))
    yield from _nested(doc, "ready_queue", _queue_check(doc, "ready_queue"))
    if version in ("2.0", "3.0"):
        yield from _nested(doc, "deferred_ready_tasks", _queue_check(doc, "deferred_ready_tasks"))
    yield from _tasks(doc)
    yield from _lifecycle(doc)
    yield from _against_graph(doc)


def is_old(kernel: str) -> bool:
    """0.5 and 0.6 take defaults for what is missing in a state; later engines demand every key."""
    return kernel in ("graphon-0.5", "graphon-0.6")


def _execution_check(doc: Document) -> Check:
    version = doc.execution().get("version")
    check = models.execution(version, doc.kernel)
    known = ("1.0",) if is_old(doc.kernel) else ("1.0", "2.0")

    def with_version(value: Any, where: str) -> Iterator[Fault]:
        if isinstance(value, dict) and version not in known and not (version is None and is_old(doc.kernel)):
            yield Fault(f"{where}.version", f"{doc.kernel} loads no {where} of version {version!r}.")
        yield from check(value, where)

    return with_version


def _queue_check(doc: Document, key: str) -> Check:
    path = doc.nested(key)
    version = doc.value((*path, "version")) if path is not None else None
    if is_old(doc.kernel):
        return models.OLD_QUEUE
    return models.QUEUE_1 if version == "1.0" else models.QUEUE_2


def _nested(doc: Document, key: str, check: Check) -> Iterator[Fault]:
    """A JSON text in the runtime state."""
    value = doc.state().get(key)
    if value is None and is_old(doc.kernel):
        return
    path = doc.nested(key)
    if path is None or not isinstance(value, str):
        yield Fault(key, f"{key} is no JSON text that holds a mapping.")
    else:
        yield from check(doc.value(path), key)


def _tasks(doc: Document) -> Iterator[Fault]:
    """Tasks of frames and nodes that are not there: the engine loads them and fails when it comes to them."""
    frames = doc.value((*(doc.state_path or ()), "container_frames"))
    known = (
        {each.get("frame_id") for each in frames if isinstance(each, dict)}
        if isinstance(frames, list)
        else set()
    )
    for key in ("ready_queue", "deferred_ready_tasks"):
        path = doc.nested(key)
        found = doc.value((*path, "items")) if path is not None else None
        for index, task in enumerate(found if isinstance(found, list) else ()):
            where = f"{key}[{index}]"
            frame = task.get("frame_id") if isinstance(task, dict) else None
            node = task.get("node_id") if isinstance(task, dict) else task
            if isinstance(frame, str) and frame not in known | {"root"}:
                message = f"{where} is a task of the frame {frame!r}, which the state does not have."
                yield Fault(where, message, refused=False)
            yield from _known_node(doc, node, where)
    for key in ("paused_nodes", "deferred_nodes"):
        nodes = doc.state().get(key)
        for index, node in enumerate(nodes if isinstance(nodes, list) else ()):
            yield from _known_node(doc, node, f"{key}[{index}]")


def _known_node(doc: Document, node: Any, where: str) -> Iterator[Fault]:
    """0.8 refuses a 1.0 state whose tasks are not of its root graph (`v1._reject_unrestorable_tasks`)."""
    if doc.graph is None or not isinstance(node, str):
        return
    exact = doc.kernel == "graphon-0.8" and doc.version == "1.0" and _has_graph_states(doc)
    if node not in doc.graph.nodes:
        yield Fault(where, f"{where} starts the node {node!r}, which the app does not have.", refused=exact)
    elif exact and doc.graph.nodes[node].parent is not None:
        yield Fault(
            where, f"{where} starts {node!r} inside a container; this version does not say which round."
        )


def _lifecycle(doc: Document) -> Iterator[Fault]:
    data = doc.execution()
    if data.get("paused") is False and data.get("completed") is not True:
        message = "The run does not say that it is paused: a resume may not go on."
        yield Fault("graph_execution.paused", message, refused=False)
    for key in ("completed", "aborted"):
        if data.get(key) is True:
            yield Fault(
                f"graph_execution.{key}", f"The run says that it is {key}: nothing goes on.", refused=False
            )


def _graph_states(doc: Document) -> tuple[Any, Any]:
    state = doc.state()
    if state.get("version") == "1.0":
        held = state.get("graph_state")
        return (held.get("nodes"), held.get("edges")) if isinstance(held, dict) else (None, None)
    return state.get("graph_node_states"), state.get("graph_edge_states")


def _has_graph_states(doc: Document) -> bool:
    return any(_graph_states(doc))


def _against_graph(doc: Document) -> Iterator[Fault]:
    """0.8 demands exactly the graph that was saved; older engines take what fits and drop the rest."""
    nodes, edges = _graph_states(doc)
    if doc.graph is None or not isinstance(nodes, dict) or not isinstance(edges, dict):
        return
    if is_old(doc.kernel):
        for what, held in (("node", nodes), ("edge", edges)):
            for name, state in held.items():
                if state not in ("unknown", "taken", "skipped"):
                    message = f"The state of the {what} {name} is {state!r}; the engine drops it."
                    yield Fault(f"{what}:{name}", message, refused=False)
    whole = doc.version != "3.0" or Rules.of(doc.kernel).whole
    graph = scope_of(doc.graph, whole=whole)
    exact = doc.kernel == "graphon-0.8" and bool(nodes or edges)
    for what, saved, known in (
        ("node", set(nodes), set(graph.nodes)),
        ("edge", {doc.dsl_edge(edge) for edge in edges}, set(graph.edges)),
    ):
        for name in sorted(saved - known)[:5]:
            message = f"The state has the {what} {name!r}, which the app does not have."
            yield Fault(f"{what}:{name}", message, refused=exact)
        for name in sorted(known - saved)[:5]:
            message = f"The app has the {what} {name!r}, which the state does not have."
            yield Fault(f"{what}:{name}", message, refused=exact)
