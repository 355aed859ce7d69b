"""Tasks of a saved pause that an engine loads without a word, though they do not fit the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workbench.core.edits.document import Document
from workbench.core.edits.gate_paths import states_taken
from workbench.core.edits.schema import Fault


def idle_faults(doc: Document) -> Iterator[Fault]:
    """Nothing left to run, and nodes that start though nothing led to them."""
    tasks = list(_tasks(doc))
    if not tasks:
        message = "No task is left, ready or deferred: a resume ends at once, and no node runs."
        yield Fault("deferred_ready_tasks", message, refused=False)
    for where, task in tasks:
        node = _root_node(task)
        if node is not None and _unreached(doc, node):
            message = f"{where} starts {node!r}, though no edge that leads to it was taken."
            yield Fault(where, message, refused=False)


def _tasks(doc: Document) -> Iterator[tuple[str, Any]]:
    """(place, task) of all lists of tasks, those of older formats too."""
    for key in ("ready_queue", "deferred_ready_tasks"):
        path = doc.nested(key)
        yield from _listed(key, None if path is None else doc.value((*path, "items")))
    for key in ("paused_nodes", "deferred_nodes"):
        yield from _listed(key, doc.state().get(key))


def _listed(key: str, items: Any) -> Iterator[tuple[str, Any]]:
    for index, item in enumerate(items if isinstance(items, list) else ()):
        yield f"{key}[{index}]", item


def _root_node(task: Any) -> str | None:
    """The node that a task of the root frame starts."""
    if not isinstance(task, Mapping):
        return task if isinstance(task, str) else None
    node = task.get("node_id")
    return node if task.get("frame_id") == "root" and isinstance(node, str) else None


def _unreached(doc: Document, node: str) -> bool:
    """Whether edges lead to a node of the root graph and none was taken."""
    if doc.graph is None or node not in doc.graph.nodes or doc.graph.nodes[node].parent is not None:
        return False
    leading = {edge.id for edge in doc.graph.edges.values() if edge.target == node}
    return bool(leading) and leading.isdisjoint(states_taken(doc))
