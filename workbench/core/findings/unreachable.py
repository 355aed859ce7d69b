"""Answers that never run, whatever is decided: no edge leads to them, or none that can ever be taken.

graphon starts a node when all its incoming edges are decided and one of them was taken; it skips a node when
all were skipped. So an edge from a node that neither runs nor is skipped holds its target for ever
(graph_engine/state_management, graph_traversal; the same in 0.5 to 0.8).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from workbench.core.blocking import Scope, scope_of
from workbench.core.finding import Finding
from workbench.core.findings.handles import possible_handles
from workbench.core.findings.naming import LISTED, edge_name, listing, node_name
from workbench.core.graph import Edge, Graph

UNREACHABLE: Final = "answer-unreachable"
CHATFLOW: Final = "advanced-chat"


def of_app(
    graph: Graph, mode: str | None = None, *, ran: Collection[str] = (), scope: Scope | None = None
) -> Iterator[Finding]:
    """What can't ever be answered.

    Args:
        mode: "advanced-chat" needs an Answer; None: not known.
        ran: nodes that did run after all, in a run that is explained.
        scope: of the graph, where it is known.
    """
    scope = scope or scope_of(graph)
    responses = [node for node in scope.nodes.values() if node.kind == "response"]
    if mode == CHATFLOW and not any(node.type == "answer" for node in graph.nodes.values()):
        yield _no_answer()
    if not responses:
        return
    ways = _Ways(scope)
    never = [node.id for node in responses if node.id not in ways.runs and node.id not in ran]
    alone = len(never) == len(responses)
    for response in never[: LISTED + 1]:
        yield _finding(graph, ways, response, alone)


def _no_answer() -> Finding:
    return Finding(
        code=UNREACHABLE,
        severity="error",
        node_id=None,
        message="This chatflow has no Answer: its runs succeed, and the chat shows nothing.",
        advice="Add an Answer behind the last node. Where no chat is wanted, make it a workflow.",
    )


@dataclass(frozen=True, slots=True)
class _Cause:
    """Why a node never runs: the place where the way there breaks off.

    Attributes:
        kind: loose: no edge leads to `node`. dead: `edge` leaves by a handle that its source does not have.
            held: `node` waits for `edge`, which is never decided. circle: `node` waits for itself.
    """

    kind: Literal["loose", "dead", "held", "circle"]
    node: str
    edge: Edge | None = None


class _Ways:
    """Which nodes can run, from any entry of the app.

    Attributes:
        runs: nodes that run when every branch decides for them.
        settled: nodes that will have run or been skipped when a run is over, so that their edges are decided.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.into: dict[str, list[Edge]] = {}
        for edge in scope.edges.values():
            self.into.setdefault(edge.target, []).append(edge)
        self.entries = {scope.root, *(node.id for node in scope.nodes.values() if node.kind == "root")}
        handles = {node.id: possible_handles(node) for node in scope.nodes.values()}
        self.dead = {
            edge.id
            for edge in scope.edges.values()
            if (known := handles[edge.source]) is not None and edge.handle not in known
        }
        self.settled = self._settled()
        self.runs = self._runs()

    def _settled(self) -> set[str]:
        open_edges = {node: len(edges) for node, edges in self.into.items()}
        settled = set(self.entries)
        todo = list(settled)
        while todo:
            for edge in self.scope.out.get(todo.pop(), ()):
                open_edges[edge.target] -= 1
                if not open_edges[edge.target] and edge.target not in settled:
                    settled.add(edge.target)
                    todo.append(edge.target)
        return settled

    def _runs(self) -> set[str]:
        runs = set(self.entries)
        todo = list(runs)
        while todo:
            for edge in self.scope.out.get(todo.pop(), ()):
                if edge.target in self.settled and edge.target not in runs and edge.id not in self.dead:
                    runs.add(edge.target)
                    todo.append(edge.target)
        return runs

    def cause(self, node: str) -> _Cause:
        """Where the way to a node that never runs breaks off."""
        seen: set[str] = set()
        while node not in seen:
            seen.add(node)
            edges = self.into.get(node, [])
            if not edges:
                return _Cause("loose", node)
            reached = [edge for edge in edges if edge.source in self.runs]
            for edge in reached:
                if edge.id in self.dead:
                    continue
                held = next(each for each in edges if each.source not in self.settled)
                return _Cause("held", node, held)
            if reached:
                return _Cause("dead", node, reached[0])
            node = edges[0].source
        return _Cause("circle", node)


def _finding(graph: Graph, ways: _Ways, response: str, alone: bool) -> Finding:
    cause = ways.cause(response)
    leftover = cause.kind == "loose" and cause.node == response
    word = "Answer" if graph.nodes[response].type == "answer" else "End"
    effect = f" No {word} of the app ever runs, so nothing is shown." if alone else ""
    return Finding(
        code=UNREACHABLE,
        severity="error" if alone else "info" if leftover else "warning",
        node_id=response,
        message=f"{node_name(graph, response)} never runs: {_why(graph, ways, cause, response)}.{effect}",
        advice=_advice(graph, cause, response),
        edges=(cause.edge.id,) if cause.edge else (),
    )


def _why(graph: Graph, ways: _Ways, cause: _Cause, response: str) -> str:
    here = "it" if cause.node == response else node_name(graph, cause.node)
    behind = "" if cause.node == response else f"it stands behind {here}, and "
    if cause.kind == "loose":
        return f"{behind}no edge leads to {here}" if behind else "no edge leads to it"
    if cause.kind == "circle" or cause.edge is None:
        return f"the way there runs in a circle at {here}, and every node of a circle waits for the others"
    edge = edge_name(graph, cause.edge.id)
    if cause.kind == "dead":
        known = possible_handles(graph.nodes[cause.edge.source]) or ()
        has = listing([f"[{handle}]" for handle in known])
        return (
            f"{behind}the way there is {edge}, but {node_name(graph, cause.edge.source)} never leaves by "
            f"[{cause.edge.handle}], only by {has}"
        )
    root = ways.cause(cause.edge.source)
    loose = f", because no edge leads to {node_name(graph, root.node)}" if root.kind == "loose" else ""
    return (
        f"{behind}{here} also waits for {edge}, which is never decided: its source neither runs nor is "
        f"skipped{loose}"
    )


def _advice(graph: Graph, cause: _Cause, response: str) -> str:
    if cause.kind == "loose":
        what = node_name(graph, cause.node)
        return f"Connect {what} to what should come before it, or delete it if it is a leftover."
    if cause.kind == "dead":
        return "Draw that edge again from a case, class or button that the node has."
    if cause.kind == "held":
        return "Delete that edge, or connect its source to the rest of the app."
    return f"Delete the edge that leads back, or use a loop. {node_name(graph, response)} can run then."


HELP = {
    UNREACHABLE: """\
# answer-unreachable

An Answer (or End) that can't run, whatever the branches decide. The run succeeds and the chat shows nothing
of it; where it holds for every Answer, or a chatflow has none at all, the chat stays empty.

**Why.** A run goes along edges. graphon starts a node when *all* its incoming edges are decided and at least
one of them was taken, and it skips a node when all of them were skipped. So an Answer never runs when

* **no edge leads to it**, or to a node before it: a leftover on the canvas, or a connection that was lost;
* **the edge leaves by a handle that its node does not have** any more: a case of an if-else, a class of a
  classifier or a button of a form was deleted or got a new id, and its edge stayed in the file;
* **it also waits for an edge that is never decided**: the source of that edge hangs on nothing, so it neither
  runs nor is skipped. This one looks well on the canvas, because another edge does lead to the Answer;
* **edges run in a circle**: each node waits for the others (graphon 0.8 refuses such a graph).

**How grave.** An error where no Answer of the app can run, a warning where the author connected the Answer
to something, information where it stands alone, as a leftover does. On every Dify.

**What to do.** Connect it, delete the edge that holds it, or delete the leftover.
""",
}
