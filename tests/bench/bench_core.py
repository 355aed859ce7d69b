"""The gate and the timeline: what graphon can't do at all, and any step of a long run."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Mapping
from typing import Any

from tests.bench.frame import Place, Row, bench, in_turns, ms
from tests.bench.samples import Nowhere, llm_app, llm_order
from workbench.core.gate import Gate
from workbench.core.graph import Edge, Graph, Node, Variable
from workbench.core.graph_of import graph_of
from workbench.core.pool import Pool
from workbench.core.replay import Journal, Segment, Timeline
from workbench.engine import execute

DIAMONDS = 1_000
EVENTS = 10_000


def diamonds(count: int) -> Graph:
    """start, then `count` times a branch whose two sides meet again, then an Answer: 2^count paths."""
    nodes = {"start": Node("start", "start", "Start", "root")}
    edges: dict[str, Edge] = {}

    def edge(source: str, target: str, handle: str = "source") -> None:
        name = f"{source}-{handle}-{target}"
        edges[name] = Edge(name, source, target, handle)

    last = "start"
    for i in range(count):
        nodes[f"if{i}"] = Node(f"if{i}", "if-else", "If", "branch")
        edge(last, f"if{i}")
        for side in ("true", "false"):
            nodes[f"{side}{i}"] = Node(f"{side}{i}", "template-transform", "T", "executable")
            edge(f"if{i}", f"{side}{i}", side)
            edge(f"{side}{i}", f"meet{i}")
        nodes[f"meet{i}"] = last_node = Node(f"meet{i}", "template-transform", "Meet", "executable")
        last = last_node.id
    template = (Variable(("start", "text")),)
    nodes["answer"] = Node(
        "answer", "answer", "Answer", "response", template=template, text_selector=("answer", "answer")
    )
    edge(last, "answer")
    return Graph(nodes, edges, "start")


@bench
def gate_of_diamonds(_: Place) -> Row:
    """graphon's filter lists 2^1000 paths here; it stops being usable at 20 diamonds."""
    graph = diamonds(DIAMONDS)
    (seconds,) = in_turns(lambda: Gate(graph, Pool()))
    return Row(
        f"gate of {DIAMONDS:,} diamonds, set up",
        ms(seconds),
        "graphon: never ends past 20",
        target="100 ms",
        kept=seconds < 0.1,
    )


class Keep(Nowhere):
    """A sink that keeps the journal."""

    def __init__(self) -> None:
        super().__init__()
        self.variables: dict[str, dict[str, Any]] = {}
        self.kept: list[Mapping[str, Any]] = []

    def pool(self, variables: Mapping[str, Any]) -> None:
        self.variables = {
            node: {name: told["value"] for name, told in names.items()} for node, names in variables.items()
        }

    def event(self, n: int, at: float, event: Mapping[str, Any]) -> None:
        self.kept.append(event)


@bench
def any_step(place: Place) -> list[Row]:
    """A run of the real engine with 10,000 events: opened once, then steps here and there."""
    sink = Keep()
    execute(llm_order(EVENTS), sink, place.home)
    journal = Journal(sink.variables, (Segment(1),), tuple(sink.kept))
    app = llm_app()
    graph = graph_of(app.graph, app.root)
    began = time.perf_counter()
    timeline = Timeline(graph, journal)
    opened = time.perf_counter() - began
    steps = random.Random(1).choices(range(timeline.steps + 1), k=60)
    taken = []
    for step in steps:
        began = time.perf_counter()
        timeline.at(step)
        taken.append(time.perf_counter() - began)
    worst = max(taken)
    return [
        Row(f"run of {timeline.steps:,} events, opened", ms(opened)),
        Row(
            "any step of it, worst of 60",
            ms(worst),
            f"median {ms(statistics.median(taken))}",
            target="50 ms",
            kept=worst < 0.05,
        ),
    ]
