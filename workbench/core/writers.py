"""Who wrote a variable, and at which step: from a run's journal where there is one, else from the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.graph import Graph


@dataclass(frozen=True, slots=True)
class Written:
    """`by` whom, in words; `step` is None for what was there before the journal begins."""

    by: str
    step: int | None = None


def written_at(events: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], int]:
    """The step at which each variable was written last: outputs of nodes, and updates by assigners."""
    found: dict[tuple[str, str], int] = {}
    for step, event in enumerate(events, 1):
        kind = event.get("kind")
        if kind in ("NodeRunSucceeded", "NodeRunException"):
            for name in event.get("outputs") or {}:
                found[str(event.get("node")), str(name)] = step
        elif kind == "NodeRunVariableUpdated" and len(event.get("selector") or ()) > 1:
            node, name = event["selector"][:2]
            found[str(node), str(name)] = step
    return found


def written(
    graph: Graph,
    nodes: Mapping[str, str],
    variables: Mapping[str, Mapping[str, Any]],
    events: Sequence[Mapping[str, Any]],
) -> dict[str, dict[str, Written]]:
    """Who wrote each variable of a run, by node and name; `events` are those up to the step in question."""
    steps = written_at(events)
    return {
        node: {name: _written(graph, nodes, node, name, steps, events) for name in values}
        for node, values in variables.items()
    }


def writer(graph: Graph | None, nodes: Mapping[str, str], node: str, name: str) -> str:
    """Who writes a variable, as graph and node states tell."""
    known = {"sys": "Dify", "env": "the app's environment"}
    if node in known:
        return known[node]
    if node == "conversation":
        writers = [
            each.title or each.id
            for each in (graph.nodes.values() if graph else ())
            if (node, name) in each.writes and nodes.get(each.id) == "taken"
        ]
        return ", ".join(writers) or "the conversation before this run"
    if graph is not None and node == graph.root:
        return "the start form" if "." not in name else "Dify"
    return _title(graph, node) or node


def _written(
    graph: Graph,
    nodes: Mapping[str, str],
    node: str,
    name: str,
    steps: Mapping[tuple[str, str], int],
    events: Sequence[Mapping[str, Any]],
) -> Written:
    step = steps.get((node, name))
    if step is None or node == graph.root:
        if node == "conversation":  # no journal says that a node of this run wrote it
            nodes = {}
        return Written(writer(graph, nodes, node, name), step)
    author = str(events[step - 1].get("node") or node)
    return Written(_title(graph, author) or author, step)


def _title(graph: Graph | None, node: str) -> str:
    found = graph.nodes.get(node) if graph else None
    return found.title if found else ""
