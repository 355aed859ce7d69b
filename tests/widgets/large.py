"""A run of 100 nodes and 10,000 events, and how long the front end takes with it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

from tests.bench.samples import wide_graph
from tests.widgets.page import Shown
from workbench import widgets
from workbench.core.graph import Variable
from workbench.core.replay import Timeline
from workbench.core.secrets import mask_for
from workbench.core.state import Journal, Segment

NODES, EVENTS = 100, 10_000


def large_run() -> Any:
    """As `Run`: through all nodes, each with as many chunks as make 10,000 events."""
    graph = wide_graph(NODES)
    (answer,) = [node for node in graph.nodes.values() if node.kind == "response"]
    template = tuple(Variable((node, "text")) for node in graph.nodes if node not in ("n0", answer.id))
    graph = replace(graph, nodes={**graph.nodes, answer.id: replace(answer, template=template)})
    fixed = 2 + 2 * len(graph.nodes) + len(graph.edges)
    each, rest = divmod(EVENTS - fixed, len(graph.nodes))
    events: list[dict[str, Any]] = [{"kind": "GraphRunStarted", "reason": "initial"}]
    for at, node in enumerate(graph.nodes):
        events.append({"kind": "NodeRunStarted", "node": node, "xid": f"x-{node}"})
        for edge in graph.edges.values():
            if edge.target == node:
                told = {"edge": edge.id, "source": edge.source, "target": node, "handle": edge.handle}
                events.append({"kind": "GraphEdgeTaken", **told})
        for count in range(each + (at < rest)):
            chunk = {"text": f"word {count} ", "selector": [node, "text"]}
            events.append({"kind": "NodeRunStreamChunk", "node": node, "xid": f"x-{node}", **chunk})
        events.append({"kind": "NodeRunSucceeded", "node": node, "xid": f"x-{node}", "outputs": {"x": at}})
    events.append({"kind": "GraphRunSucceeded", "outputs": {}})
    timeline = Timeline(graph, Journal({}, (Segment(1),), tuple(events)))
    row = SimpleNamespace(app="large", status="succeeded", kernel="graphon-0.8", run_id="large")
    loaded = SimpleNamespace(graph=graph, timeline=timeline, run=row)
    return SimpleNamespace(id="large", loaded=loaded, mask=mask_for(()), bench=None)


@dataclass(frozen=True)
class Measured:
    """Seconds, and bytes of messages."""

    python: float
    first_draw: float
    step: float
    worst_step: float
    opening: int
    bytes_a_step: float


def measure(page: Any, steps: int = 60) -> Measured:
    """Open the player and move the slider to places all over the run."""
    run = large_run()
    began = time.perf_counter()
    player = widgets.player(run, 5_000)
    python = time.perf_counter() - began
    began = time.perf_counter()
    shown = Shown(page, player)
    page.wait_for_selector(".wb-node[data-look]", state="attached")
    drawn = time.perf_counter() - began
    opening = len(str(player.get_state(["_picture", "_first", "_kinds", "_pauses", "_title"])))
    page.wait_for_timeout(300)
    times, size = page.evaluate(STEPS, steps)
    shown.push()
    times.sort()
    return Measured(python, drawn, times[len(times) // 2] / 1000, times[-1] / 1000, opening, size / steps)


STEPS = """
async (count) => {
  const slider = document.querySelector(".wb-slider");
  const what = document.querySelector(".wb-what");
  const times = [];
  window.bytes = 0;
  const told = () => document.querySelector(".wb").dataset.step;
  for (let at = 0; at < count; at += 1) {
    const step = 1 + ((at * 1543) % 9998);
    const began = performance.now();
    slider.value = step;
    slider.dispatchEvent(new Event("input"));
    while (told() !== String(step)) await new Promise((go) => setTimeout(go, 0));
    document.body.getBoundingClientRect();
    times.push(performance.now() - began);
  }
  await new Promise((go) => setTimeout(go, 100));
  return [times, window.bytes];
}
"""
