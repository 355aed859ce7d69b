"""Containers and streaming: an Answer inside one is never streamed, and a stream out of one breaks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from workbench.core.blocking import variables_of
from workbench.core.finding import Finding
from workbench.core.findings.evidence import Evidence
from workbench.core.findings.naming import node_name, node_names, reference
from workbench.core.findings.streaming import container_of, is_streamed
from workbench.core.graph import Graph, Node

INSIDE = "answer-in-container"
CLOSED = "stream-closed-twice"


def of_app(graph: Graph) -> Iterator[Finding]:
    """What will go wrong when this app runs."""
    for node in graph.nodes.values():
        if node.kind == "response" and node.parent is not None:
            yield _inside(graph, node, "warning", "is", ())
        if node.kind == "response" and node.parent is None:
            yield from _from_inside(graph, node)


def of_run(evidence: Evidence) -> Iterator[Finding]:
    """What went wrong in a run."""
    graph = evidence.graph
    for node in graph.nodes.values():
        if node.kind == "response" and node.parent is not None and node.id in evidence.executions:
            steps = tuple(execution.step for execution in evidence.executions[node.id])
            yield _inside(graph, node, "error", _times(len(steps)), steps)
    for step in evidence.died_at.values():
        event = evidence.timeline.journal.events[step - 1]
        if event["kind"] == "NodeRunStreamChunk":
            yield _closed(evidence, tuple(event["selector"]), step)


def _times(count: int) -> str:
    return "ran once" if count == 1 else f"ran {count} times"


def _inside(
    graph: Graph, node: Node, severity: Literal["error", "warning"], ran: str, steps: tuple[int, ...]
) -> Finding:
    box = container_of(graph, node)
    inside = f" inside {node_name(graph, box.id)}" if box else " inside a container"
    where = f"is{inside}" if ran == "is" else f"{ran}{inside}"
    return Finding(
        code=INSIDE,
        severity=severity,
        node_id=node.id,
        message=(
            f"{node_name(graph, node.id)} {where}, where nothing is streamed: the gate knows only the root "
            "graph, and no path leads from there into a container. Its text is in the run's outputs only."
        ),
        advice="Collect the text in the loop or iteration and put an Answer behind it.",
        steps=steps,
        versions=("1.15", None),
    )


def _from_inside(graph: Graph, answer: Node) -> Iterator[Finding]:
    for selector in sorted(variables_of(answer)):
        source = graph.nodes.get(selector[0]) if selector else None
        if source is None or source.parent is None or not is_streamed(graph, selector):
            continue
        box = container_of(graph, source)
        yield Finding(
            code=CLOSED,
            severity="warning",
            node_id=answer.id,
            message=(
                f"{node_name(graph, answer.id)} names {reference(selector)}, which is streamed inside "
                f"{node_name(graph, box.id) if box else 'a container'}. In the second round the gate fails "
                "with "
                f'"Stream {".".join(selector)} is already closed", and nothing is streamed any more.'
            ),
            advice="Let the Answer name the container's own output instead.",
        )


def _closed(evidence: Evidence, selector: tuple[str, ...], step: int) -> Finding:
    graph = evidence.graph
    source = graph.nodes.get(selector[0])
    box = container_of(graph, source) if source else None
    naming = [
        node.id for node in graph.nodes.values() if node.kind == "response" and selector in variables_of(node)
    ]
    why = (
        f" It runs once a round in {node_name(graph, box.id)}, and its stream ended in an earlier one."
        if box
        else " Its stream had ended before."
    )
    later = [r for r, ran in evidence.executions.items() if ran[-1].step > step and evidence.text_of(r) == ""]
    lost = f" {node_names(graph, later)} stayed silent after that." if later else ""
    return Finding(
        code=CLOSED,
        severity="error",
        node_id=naming[0] if naming else selector[0],
        message=(
            f'At step {step} the gate failed with "Stream {".".join(selector)} is already closed": '
            f"{node_name(graph, selector[0])} streamed again, and {node_names(graph, naming)} names its "
            f"text.{why} From there on nothing is streamed.{lost}"
        ),
        advice=(
            "Let the Answer name the container's own output instead of a node inside it."
            if box
            else "Name the node's text in no Answer that can be reached while the node may run again."
        ),
        steps=(step,),
    )


HELP = {
    INSIDE: """\
# answer-in-container

An Answer (or End) stands inside a loop or an iteration. Its text is in the run's outputs, the chat shows
nothing.

**Why.** The stream gate belongs to the root graph. graphon 0.8 does not register Answers of a container at
all; 0.5 to 0.7 register them, find no path to them, and keep them locked for ever. Runs inside a container
have no gate of their own. Dify 1.14 still streamed such Answers; Dify 1.16 to 1.17.1 do not.

**What to do.** Gather the text inside (an iteration's output, a loop variable), and put one Answer behind
the container that names it.
""",
    CLOSED: """\
# stream-closed-twice

The gate failed with "Stream ... is already closed". The run goes on, its outputs are right, but from that
step on nothing at all is streamed, not even other Answers.

**Why.** A node's stream ends with a final chunk. When the same node streams again, the gate refuses. That
happens when an Answer of the root graph names the text of an LLM, agent or tool that stands inside a loop
or iteration: in its second round the stream is closed.

**What to do.** Let the Answer name what the container gives (its output or a loop variable), not a node
inside it. `workbench check` tells this before a run (severity warning).
""",
}
