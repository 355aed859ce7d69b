"""A change of the graph after which a form does no harm any more, on a Dify that loses the gate's state too.

Every change is tried before it is told: the changed app is walked the same ways, must run the same nodes and
stream the same texts in the same order, and must be without harm.

* One more edge from the start to the form: where the form comes in every run, it only waits for what it
  waits for anyway, and the Answers behind it no longer hang on edges from before the pause.
* The decision taken again behind the form: a template holds which button was pressed (it also runs when the
  form does not come, by an edge from the start), and an if-else leads on where the form led.
* An if-else that always holds before an Answer that would be repeated: after the pause it is locked, and it
  has been streamed before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final

from workbench.core.blocking import Scope, scope_of
from workbench.core.findings.foretelling.harm import Harm, harms, visits_of, walks
from workbench.core.findings.foretelling.walk import Decide, Walk, Walker
from workbench.core.findings.naming import node_name, node_names
from workbench.core.graph import Edge, Graph, Node

MOST_REPEATED: Final = 4
MOST_TRIED: Final = 200_000
"""Nodes that may be visited while changes are tried, over all forms of an app: about a second."""


@dataclass
class Budget:
    """What is left of `MOST_TRIED`; when it is used up, no more changes are tried."""

    left: int = MOST_TRIED

    def spend(self, graph: Graph, walk: Walk | None = None) -> None:
        """A changed graph was made, or a walk through it: every gate since a pause was fed, too."""
        self.left -= len(graph.nodes) if walk is None else visits_of(walk)


@dataclass(frozen=True, slots=True)
class NewNode:
    """A node to add; `data` is its DSL data. `beside` says where on the canvas."""

    id: str
    type: str
    title: str
    data: Mapping[str, Any]
    beside: str


@dataclass(frozen=True, slots=True)
class NewEdge:
    source: str
    handle: str
    target: str


@dataclass(frozen=True, slots=True)
class Remedy:
    """Changes to a graph, and how to say them.

    Attributes:
        removed: ids of edges to delete.
        follows: if-else nodes of it that go where a form went ({if-else: form}); all others hold always.
    """

    words: str
    nodes: tuple[NewNode, ...] = ()
    edges: tuple[NewEdge, ...] = ()
    removed: tuple[str, ...] = ()
    follows: Mapping[str, str] | None = None

    def joined(self, other: Remedy) -> Remedy:
        return Remedy(
            f"{self.words} {other.words}",
            (*self.nodes, *other.nodes),
            (*self.edges, *other.edges),
            (*self.removed, *other.removed),
            {**(self.follows or {}), **(other.follows or {})},
        )


def remedy_for(
    graph: Graph,
    scope: Scope,
    harm: Harm,
    walked: list[Walk] | None = None,
    budget: Budget | None = None,
) -> Remedy | None:
    """The smallest change found that takes the harm away and nothing else; None when none was found.

    Args:
        budget: shared by all forms of an app.
    """
    walked = list(walks(graph, scope)) if walked is None else walked
    budget = budget or Budget()
    for remedy in _candidates(graph, scope, harm):
        if budget.left <= 0:
            break
        if _holds(graph, harm.form, remedy, walked, budget):
            return remedy
    return None


def changed(graph: Graph, remedy: Remedy) -> Graph:
    """The graph with the changes made."""
    nodes, edges = dict(graph.nodes), dict(graph.edges)
    for new in remedy.nodes:
        kind = "branch" if new.type == "if-else" else "executable"
        nodes[new.id] = Node(new.id, new.type, new.title, kind, data=new.data)  # type: ignore[arg-type]
    for edge in remedy.removed:
        edges.pop(edge, None)
    for made in remedy.edges:
        edge_id = edge_id_of(made)
        edges[edge_id] = Edge(edge_id, made.source, made.target, made.handle)
    return replace(graph, nodes=nodes, edges=edges)


def edge_id_of(edge: NewEdge) -> str:
    """The id of a new edge, in Dify's way."""
    return f"{edge.source}-{edge.handle}-{edge.target}-target"


def _candidates(graph: Graph, scope: Scope, harm: Harm) -> Iterator[Remedy]:
    ways = [_edge(graph, scope, harm), _decide_again(graph, scope, harm)] if harm.silent else [None]
    again = list(harm.again)[:MOST_REPEATED]
    extras: list[Remedy | None] = []
    for count in range(len(again), -1, -1) if again else [0]:
        for chosen in combinations(again, count):
            extras.append(_locks(graph, scope, chosen) if chosen else None)
    for way in ways:
        for extra in reversed(extras) if not again else extras:
            if way is not None and extra is not None:
                yield extra.joined(way)
            elif way is not None or extra is not None:
                yield way or extra  # type: ignore[misc]


def _edge(graph: Graph, scope: Scope, harm: Harm) -> Remedy | None:
    new = NewEdge(scope.root, "source", harm.form)
    if not harm.always or edge_id_of(new) in graph.edges:
        return None
    return Remedy(
        f"Draw one more edge, from {node_name(graph, scope.root)} to {node_name(graph, harm.form)}: it still "
        "waits for all that leads to it, but what is behind it hangs on no edge from before the pause.",
        edges=(new,),
    )


def _decide_again(graph: Graph, scope: Scope, harm: Harm) -> Remedy | None:
    form = harm.form
    leaving = [edge for edge in scope.out.get(form, ()) if edge.handle != "__timeout"]
    handles = list(dict.fromkeys(edge.handle for edge in leaving))
    if not handles:
        return None
    held, again = _free_id(graph, f"{form}_action"), _free_id(graph, f"{form}_again")
    title = graph.nodes[form].title or form
    template = NewNode(
        held,
        "template-transform",
        f"Action of {title}",
        {
            "template": "{{ action }}",
            "variables": [{"variable": "action", "value_selector": [form, "__action_id"]}],
        },
        form,
    )
    decision = NewNode(again, "if-else", f"After {title}", {"cases": [_case(h, held) for h in handles]}, form)
    edges = [
        NewEdge(scope.root, "source", held),
        *(NewEdge(form, handle, held) for handle in handles),
        NewEdge(held, "source", again),
        *(NewEdge(again, edge.handle, edge.target) for edge in leaving),
    ]
    return Remedy(
        f"Decide again behind {node_name(graph, form)}: a template that holds its __action_id, with an edge "
        f"from each of its buttons and one from {node_name(graph, scope.root)}, and behind the template an "
        f"if-else with a case for each button ({', '.join(handles)}), which leads to "
        f"{node_names(graph, list(dict.fromkeys(edge.target for edge in leaving)))} instead of the form.",
        (template, decision),
        tuple(edges),
        tuple(edge.id for edge in leaving),
        {again: form},
    )


def _case(handle: str, held: str) -> dict[str, Any]:
    condition = {
        "id": f"{handle}-is",
        "variable_selector": [held, "output"],
        "comparison_operator": "is",
        "value": handle,
        "varType": "string",
    }
    return {"id": handle, "case_id": handle, "logical_operator": "and", "conditions": [condition]}


def _locks(graph: Graph, scope: Scope, responses: tuple[str, ...]) -> Remedy:
    nodes, edges, removed = [], [], []
    for response in responses:
        lock = _free_id(graph, f"{response}_lock")
        condition = {
            "id": "always",
            "variable_selector": ["sys", "workflow_run_id"],
            "comparison_operator": "not empty",
            "value": "",
            "varType": "string",
        }
        case = {"id": "true", "case_id": "true", "logical_operator": "and", "conditions": [condition]}
        title = f"Before {graph.nodes[response].title or response}"
        nodes.append(NewNode(lock, "if-else", title, {"cases": [case]}, response))
        for edge in scope.edges.values():
            if edge.target == response:
                removed.append(edge.id)
                edges.append(NewEdge(edge.source, edge.handle, lock))
        edges.append(NewEdge(lock, "true", response))
    return Remedy(
        f"Put an if-else that always holds (sys.workflow_run_id is not empty) before "
        f"{node_names(graph, list(responses))}: what has been streamed is locked after the pause.",
        tuple(nodes),
        tuple(edges),
        tuple(removed),
    )


def _free_id(graph: Graph, wanted: str) -> str:
    """An id that a reference can name: letters, digits and _, at most 50 of them."""
    made = re.sub(r"[^A-Za-z0-9_]", "_", wanted)[-45:]
    found, count = made, 1
    while found in graph.nodes:
        count += 1
        found = f"{made}_{count}"
    return found


def _holds(graph: Graph, form: str, remedy: Remedy, walked: list[Walk], budget: Budget) -> bool:
    """The changed app runs and streams the same on every way, and the form does no harm."""
    other = changed(graph, remedy)
    budget.spend(other)
    scope = scope_of(other)
    walker = Walker(other, scope)
    added = {node.id for node in remedy.nodes}
    for walk in walked:
        if budget.left <= 0:
            return False
        mine = walker.walk(_same_way(walk, remedy))
        budget.spend(other, mine)
        if [node for node in _by_name(mine.ran) if node not in added] != _by_name(walk.ran):
            return False
        if mine.texts != walk.texts or mine.stream != walk.stream or _answered(mine) != _answered(walk):
            return False
        for pause in mine.pauses:
            if pause.answered != form:
                continue
            for response in scope.responses:
                whole, before = mine.texts.get(response, ""), pause.before.get(response, "")
                fresh = pause.texts.get(response, "")
                if (before and fresh) or (whole != before and fresh != whole):
                    return False
    return True


def _by_name(nodes: list[str]) -> list[str]:
    return sorted(nodes)


def _answered(walk: Walk) -> list[str]:
    return [pause.answered for pause in walk.pauses]


def _same_way(walk: Walk, remedy: Remedy) -> Decide:
    turns = iter(_answered(walk))
    follows = remedy.follows or {}
    decisions = dict(walk.decisions)
    added = {node.id for node in remedy.nodes}

    def decide(node: str, options: tuple[str, ...]) -> str:
        if not node:
            for turn in turns:
                if turn in options:
                    return turn
            return options[0]
        wanted = decisions.get(
            follows.get(node, node), "" if node in follows else "true" if node in added else ""
        )
        if node in follows and wanted not in options:
            return ""
        if wanted in options:
            return wanted
        # The form's handles were moved on: it leads to the template by the same button.
        return wanted if not options else options[0]

    return decide


__all__ = ["Budget", "Harm", "NewEdge", "NewNode", "Remedy", "changed", "edge_id_of", "harms", "remedy_for"]
