"""Makes the events of a run without an engine: enough of graphon's order of events for tests of core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.graph import Edge, Graph, Kind, Node, Text, Variable
from workbench.core.replay import Base, Journal, Segment, Timeline
from workbench.core.template import answer_template


def node(
    node_id: str,
    kind: Kind = "executable",
    node_type: str = "llm",
    *,
    text: str = "",
    parent: str | None = None,
    **more: Any,
) -> Node:
    """A node; `text` is an Answer's template."""
    if kind == "response":
        more |= {"template": answer_template(text), "text_selector": (node_id, "answer")}
        node_type = "answer"
    return Node(node_id, node_type, f"The {node_id}", kind, parent=parent, **more)


def graph(nodes: list[Node], *edges: str) -> Graph:
    """Edges are written "a>b" or "a:handle>b"; that is their id, too."""
    made = {}
    by_id = {n.id: n for n in nodes}
    for written in edges:
        source, target = written.split(">")
        source, _, handle = source.partition(":")
        made[written] = Edge(written, source, target, handle or "source", by_id[source].parent)
    return Graph(by_id, made, nodes[0].id)


START = node("start", "root", "start")
HUMAN = node("human", "branch", "human-input", data={"inputs": [{"output_variable_name": "note"}]})
BRANCH = node("branch", "branch", "if-else")


class Run:
    """Runs a graph by hand: say which node completes, and how.

    Attributes:
        pool: the variables as the engine would have them.
    """

    def __init__(self, app: Graph, variables: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self.graph = app
        self.first = {node: dict(names) for node, names in (variables or {}).items()}
        self.pool = {node: dict(names) for node, names in self.first.items()}
        self.events: list[dict[str, Any]] = []
        self.segments = [Segment(1)]
        self.edges = dict.fromkeys(app.edges, "unknown")
        self.tell("GraphRunStarted", reason="initial")

    def tell(self, kind: str, **keys: Any) -> Run:
        self.events.append({"kind": kind, **keys})
        return self

    def chunks(self, node_id: str, *texts: str, end: bool = True) -> Run:
        for text in texts:
            self.tell(
                "NodeRunStreamChunk", node=node_id, xid="x-" + node_id, selector=[node_id, "text"], text=text
            )
        if end:
            self.tell(
                "NodeRunStreamChunk",
                node=node_id,
                xid="x-" + node_id,
                selector=[node_id, "text"],
                text="",
                final=True,
            )
        return self

    def start(self, node_id: str) -> Run:
        found = self.graph.nodes[node_id]
        return self.tell(
            "NodeRunStarted", node=node_id, xid="x-" + node_id, type=found.type, title=found.title
        )

    def complete(
        self, node_id: str, handle: str | None = None, *, kind: str = "NodeRunSucceeded", **outputs: Any
    ) -> Run:
        """Start, stream if it has streamed before this call, store outputs, take and skip edges, succeed."""
        if not any(e["kind"] == "NodeRunStarted" and e["node"] == node_id for e in self.events):
            self.start(node_id)
        if self.graph.nodes[node_id].kind == "response" and not outputs:
            outputs = {"answer": self.answer(node_id)}
        self.pool.setdefault(node_id, {}).update(outputs)
        leaving = [edge for edge in self.graph.edges.values() if edge.source == node_id]
        for edge in leaving:
            if handle is not None and edge.handle != handle:
                self.skip(edge)
        for edge in leaving:
            if handle is None or edge.handle == handle:
                self.edges[edge.id] = "taken"
                self.tell("GraphEdgeTaken", edge=edge.id, source=edge.source, target=edge.target)
        return self.tell(kind, node=node_id, xid="x-" + node_id, outputs=outputs)

    def skip(self, edge: Edge) -> None:
        self.edges[edge.id] = "skipped"
        self.tell("GraphEdgeSkipped", edge=edge.id, source=edge.source, target=edge.target)
        into = [other for other in self.graph.edges.values() if other.target == edge.target]
        if all(self.edges[other.id] == "skipped" for other in into):
            for following in self.graph.edges.values():
                if following.source == edge.target:
                    self.skip(following)

    def answer(self, node_id: str) -> str:
        """What an Answer node gives: values, or the name of what has none."""
        told = []
        for part in self.graph.nodes[node_id].template:
            if isinstance(part, Text):
                told.append(part.text)
            elif isinstance(part, Variable):
                told.append(
                    str(self.pool.get(part.selector[0], {}).get(part.selector[1], ".".join(part.selector)))
                )
        return "".join(told)

    def pause(self, node_id: str) -> Run:
        self.start(node_id)
        self.tell("NodeRunPauseRequested", node=node_id, xid="x-" + node_id, reason={})
        return self.tell("GraphRunPaused", reasons=[])

    def resume(self, gate: str = "restored") -> Run:
        saved = self.timeline.at(len(self.events)).gate if gate == "restored" else None
        self.segments.append(Segment(len(self.events) + 1, gate, saved))
        return self.tell("GraphRunStarted", reason="resumption")

    def end(self, kind: str = "GraphRunSucceeded") -> Run:
        return self.tell(kind, outputs={})

    @property
    def journal(self) -> Journal:
        return Journal(self.first, tuple(self.segments), tuple(self.events))

    @property
    def timeline(self) -> Timeline:
        return Timeline(self.graph, self.journal)

    def base(self) -> Base:
        """What a runtime state saved now would say."""
        state = self.timeline.at(len(self.events))
        return Base(state.variables, {}, state.nodes, state.edges)
