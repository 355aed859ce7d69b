"""Small recorded runs, written by hand as the engine tells them; nothing here needs an engine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench.core.graph import Box, Edge, Graph, Node, Text, Variable
from workbench.core.graph_of import graph_of
from workbench.core.replay import Timeline
from workbench.core.state import Journal, Segment
from workbench.records.app import App, read_app

Event = Mapping[str, Any]
REFUND = Path(__file__).parents[2] / "fixtures" / "examples" / "refund-approval" / "app.yml"
FORM = {
    "type": "human_input_required",
    "node_id": "approval",
    "node_title": "Ask the team lead",
    "form_id": "f-1",
    "content": "A customer asks for a refund of 250: hi",
    "actions": [
        {"id": "approve", "title": "Approve", "style": "primary"},
        {"id": "reject", "title": "Reject", "style": "default"},
    ],
    "fields": [{"name": "note", "type": "paragraph", "default": ""}],
}


def started(node: str, **more: Any) -> Event:
    return {"kind": "NodeRunStarted", "node": node, "xid": f"x-{node}", **more}


def succeeded(node: str, outputs: Mapping[str, Any] | None = None, **more: Any) -> Event:
    return {
        "kind": "NodeRunSucceeded",
        "node": node,
        "xid": f"x-{node}",
        "outputs": dict(outputs or {}),
        **more,
    }


def edge(graph: Graph, edge_id: str, *, taken: bool = True) -> Event:
    found = graph.edges[edge_id]
    kind = "GraphEdgeTaken" if taken else "GraphEdgeSkipped"
    return {
        "kind": kind,
        "edge": edge_id,
        "source": found.source,
        "target": found.target,
        "handle": found.handle,
    }


def chunk(node: str, text: str, *, final: bool = False) -> Event:
    event = {
        "kind": "NodeRunStreamChunk",
        "node": node,
        "xid": f"x-{node}",
        "selector": [node, "text"],
        "text": text,
    }
    return event | {"final": True} if final else event


def refund_app() -> App:
    return read_app(REFUND.read_bytes(), "refund")


def refund_events(graph: Graph, *, resumed: bool) -> list[Event]:
    """The bundled example: to its pause, and on from there when `resumed`."""
    events: list[Event] = [
        {"kind": "GraphRunStarted", "reason": "initial"},
        started("start"),
        edge(graph, "start-source-large-target"),
        succeeded("start", {"amount": 250}, inputs={"amount": 250}),
        started("large"),
        edge(graph, "large-false-small-target", taken=False),
        edge(graph, "large-true-approval-target"),
        succeeded("large", {"result": True}, handle="true"),
        started("approval"),
        {"kind": "NodeRunPauseRequested", "node": "approval", "xid": "x-approval", "reason": FORM},
        {"kind": "GraphRunPaused", "reasons": [FORM]},
    ]
    if resumed:
        events += [
            {"kind": "GraphRunStarted", "reason": "resumption"},
            started("approval"),
            {
                "kind": "NodeRunHumanInputFormFilled",
                "node": "approval",
                "title": "Ask the team lead",
                "action": "approve",
                "action_text": "Approve",
                "fields": {"note": "well"},
            },
            edge(graph, "approval-reject-refused-target", taken=False),
            edge(graph, "approval-approve-answer-target"),
            succeeded("approval", {"note": "well"}, handle="approve"),
            started("answer"),
            succeeded("answer", {"answer": "Your refund of 250 is approved. well"}),
            {"kind": "GraphRunSucceeded", "outputs": {"answer": "Your refund of 250 is approved. well"}},
        ]
    return events


def refund(gate: str | None) -> tuple[Graph, Timeline]:
    """The bundled example; `gate` None stops at the pause, else it is how the gate goes on ("fresh",
    "restored").
    """
    app = refund_app()
    graph = graph_of(app.graph, app.root)
    events = refund_events(graph, resumed=gate is not None)
    segments = [Segment(1)]
    if gate is not None:
        segments.append(Segment(12, gate_mode=gate))
    pool = {"start": {"amount": 250}, "sys": {"query": "hi"}}
    return graph, Timeline(graph, Journal(pool, tuple(segments), tuple(events)))


def parallel() -> tuple[Graph, Timeline]:
    """Two models side by side; the second Answer queues behind the first, its buffer fills."""
    nodes = [
        Node("start", "start", "Start", "root", box=Box(0, 100, 244, 90)),
        Node("slow", "llm", "Slow model", "executable", box=Box(300, 0, 244, 90)),
        Node("fast", "llm", "Fast model", "executable", box=Box(300, 200, 244, 90)),
        Node(
            "one",
            "answer",
            "First answer",
            "response",
            template=(Text("A: "), Variable(("slow", "text"))),
            text_selector=("one", "answer"),
            box=Box(600, 0, 244, 90),
        ),
        Node(
            "two",
            "answer",
            "Second answer",
            "response",
            template=(Text("B: "), Variable(("fast", "text"))),
            text_selector=("two", "answer"),
            box=Box(600, 200, 244, 90),
        ),
    ]
    pairs = [("start", "slow"), ("start", "fast"), ("slow", "one"), ("fast", "two")]
    edges = {f"{a}-{b}": Edge(f"{a}-{b}", a, b) for a, b in pairs}
    graph = Graph({n.id: n for n in nodes}, edges, "start")
    events: list[Event] = [
        {"kind": "GraphRunStarted", "reason": "initial"},
        started("start"),
        edge(graph, "start-slow"),
        edge(graph, "start-fast"),
        succeeded("start"),
        started("slow"),
        started("fast"),
        chunk("fast", "quick "),
        chunk("fast", "words"),
        chunk("slow", "slow "),
    ]
    return graph, Timeline(graph, Journal({"sys": {"query": "hi"}}, (Segment(1),), tuple(events)))


def looped() -> tuple[Graph, Timeline]:
    """A loop with a node inside, and an Answer behind it."""
    nodes = [
        Node("start", "start", "Start", "root", box=Box(0, 100, 244, 90)),
        Node("loop", "loop", "Three rounds", "container", box=Box(300, 100, 700, 300)),
        Node("begin", "loop-start", "Begin", "executable", parent="loop", box=Box(20, 60, 44, 44)),
        Node("add", "code", "Add one", "executable", parent="loop", box=Box(320, 60, 244, 90)),
        Node(
            "say",
            "answer",
            "Say it",
            "response",
            template=(Text("done"),),
            text_selector=("say", "answer"),
            box=Box(1100, 100, 244, 90),
        ),
    ]
    edges = {
        "in": Edge("in", "start", "loop"),
        "inner": Edge("inner", "begin", "add", parent="loop"),
        "out": Edge("out", "loop", "say"),
    }
    graph = Graph({n.id: n for n in nodes}, edges, "start")
    events: list[Event] = [
        {"kind": "GraphRunStarted", "reason": "initial"},
        started("start"),
        edge(graph, "in"),
        succeeded("start"),
        started("loop"),
        {"kind": "NodeRunLoopStarted", "node": "loop", "xid": "x-loop", "title": "Three rounds"},
        started("begin", container="loop", index=0),
        {**edge(graph, "inner"), "container": "loop", "index": 0},
        succeeded("begin", container="loop", index=0),
        started("add", container="loop", index=0),
    ]
    return graph, Timeline(graph, Journal({}, (Segment(1),), tuple(events)))
