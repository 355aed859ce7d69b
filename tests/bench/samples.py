"""What the benchmarks run: apps and orders of any size, made here."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.core.graph import Box, Edge, Graph, Node, Text
from workbench.core.replay import Timeline
from workbench.core.state import Journal, Segment
from workbench.engine.order import Order
from workbench.records.app import App, read_app
from workbench.records.inputs import system_variables

ROOT = Path(__file__).resolve().parents[2]
LLM_APP = ROOT / "fixtures" / "nodes" / "llm" / "app.yml"


def llm_app() -> App:
    """start -> llm -> answer."""
    return read_app(LLM_APP.read_bytes())


def llm_order(chunks: int, run_id: str = "bench", kernel: str = "graphon-0.8", **more: Any) -> Order:
    """A run of `llm_app` whose model says `chunks` words."""
    app = llm_app()
    script = {"nodes": {"llm": {"chunks": ["word "] * chunks}}}
    system = system_variables(app, query="hi", run_id=run_id)
    return Order(kernel, run_id, app.payload(), script=script, system=system, **more)


class Nowhere:
    """A sink that only counts."""

    def __init__(self) -> None:
        self.events = 0

    def graph(self, message: Mapping[str, Any]) -> None: ...

    def pool(self, variables: Mapping[str, Any]) -> None: ...

    def event(self, n: int, at: float, event: Mapping[str, Any]) -> None:
        self.events += 1

    def stream(self, n: int, chunks: Sequence[Sequence[Any]], error: str | None) -> None: ...

    def note(self, text: str) -> None: ...


def wide_graph(nodes: int = 100, edges: int = 200) -> Graph:
    """Ten columns of nodes with edges to the right of each, an Answer last, as an author might place them."""
    chance = random.Random(1)
    made = {}
    for at in range(nodes):
        column, row = divmod(at, 10)
        last = at == nodes - 1
        made[f"n{at}"] = Node(
            f"n{at}",
            "start" if at == 0 else "answer" if last else "code",
            f"Node number {at}",
            "root" if at == 0 else "response" if last else "executable",
            template=(Text("done"),) if last else (),
            text_selector=(f"n{at}", "answer") if last else (),
            box=Box(column * 320, row * 140, 244, 90),
        )
    pairs = {(chance.randrange(max(0, at - 14), at), at) for at in range(1, nodes)}
    while len(pairs) < edges:
        source = chance.randrange(nodes - 1)
        pairs.add((source, chance.randrange(source + 1, min(nodes, source + 25))))
    return Graph(made, {f"{a}-{b}": Edge(f"{a}-{b}", f"n{a}", f"n{b}") for a, b in sorted(pairs)}, "n0")


def wide_run() -> tuple[Graph, Timeline]:
    """A run through all nodes of `wide_graph`, every edge taken."""
    graph = wide_graph()
    events: list[dict[str, Any]] = [{"kind": "GraphRunStarted", "reason": "initial"}]
    for node in graph.nodes:
        events.append({"kind": "NodeRunStarted", "node": node, "xid": f"x-{node}"})
        for edge in graph.edges.values():
            if edge.source == node:
                told = {"edge": edge.id, "source": node, "target": edge.target, "handle": edge.handle}
                events.append({"kind": "GraphEdgeTaken", **told})
        events.append({"kind": "NodeRunSucceeded", "node": node, "xid": f"x-{node}", "outputs": {"x": 1}})
    events.append({"kind": "GraphRunSucceeded", "outputs": {}})
    return graph, Timeline(graph, Journal({}, (Segment(1),), tuple(events)))
