"""The Answer whose turn it is waits for a variable that never comes, and all others wait behind it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from workbench.core.finding import Finding
from workbench.core.findings.evidence import Evidence
from workbench.core.findings.naming import node_name, node_names, reference
from workbench.core.gate import Gate
from workbench.core.graph import Graph, Selector, Variable

STARVED = "queue-head-starved"
_OPEN = ("sys", "env", "conversation", "rag")
"""Selectors that begin so name no node."""


def of_run(evidence: Evidence) -> Iterator[Finding]:
    """At the end of a run, or at a pause when what the head waits for can't come any more."""
    if not evidence.finished and not evidence.paused:
        return
    done = {node for node, status in evidence.state.status.items() if status in ("succeeded", "exception")}
    yield from of_gate(
        evidence.graph,
        evidence.gate,
        done,
        evidence.state.status,
        over=evidence.finished,
        steps=evidence.chunk_steps,
    )


def of_gate(
    graph: Graph,
    gate: Gate,
    done: Collection[str],
    status: Mapping[str, str],
    *,
    over: bool,
    steps: Mapping[Selector, list[int]] | None = None,
) -> Iterator[Finding]:
    """The starved head of a gate's queue, if it is one.

    Args:
        done: nodes that have completed.
        over: nothing runs any more.
    """
    session = gate.state.active
    if session is None:
        return
    template = gate.scope.nodes[session.node_id].template
    part = template[session.index] if session.index < len(template) else None
    if not isinstance(part, Variable) or not (over or _never(graph, gate, done, part.selector)):
        return
    behind = [waiting.node_id for waiting in gate.state.waiting]
    others = f" {node_names(graph, behind)} must wait behind it and stays silent too." if behind else ""
    yield Finding(
        code=STARVED,
        severity="error",
        node_id=session.node_id,
        message=(
            f"{node_name(graph, session.node_id)} has its turn and waits for {reference(part.selector)}, "
            f"which does not come: {_reason(graph, gate, status, part.selector)}.{others}"
        ),
        advice=_advice(graph, gate, part.selector),
        steps=tuple((steps or {}).get(part.selector, [])[-1:]),
    )


def _never(graph: Graph, gate: Gate, done: Collection[str], selector: Selector) -> bool:
    """Can this variable not come any more, although the run is only paused?"""
    source = selector[0] if selector else ""
    if source in graph.nodes:
        return source in done
    writers = [node.id for node in graph.nodes.values() if selector[:2] in node.writes]
    return not writers or all(writer in done for writer in writers)


def _reason(graph: Graph, gate: Gate, status: Mapping[str, str], selector: Selector) -> str:
    source = selector[0] if selector else ""
    name = node_name(graph, source)
    if selector in gate.state.buffers:
        count = len(gate.state.buffers[selector])
        if status.get(source) == "exception":
            return (
                f"{name} broke off after {count} chunks and went on with its error strategy, which never "
                "ends the stream"
            )
        return f"{name} streamed {count} chunks and never ended the stream"
    if source in graph.nodes:
        if source not in status:
            return f"{name} has not run"
        if status[source] in ("succeeded", "exception"):
            return f"{name} has run and gave no such output"
        return f"{name} did not complete"
    if source in _OPEN:
        return f"there is no such {source} variable"
    return "no node of the app has that id"


def _advice(graph: Graph, gate: Gate, selector: Selector) -> str:
    if selector in gate.state.buffers:
        source = selector[0]
        return (
            f"Give {node_name(graph, source)} a fail branch instead of a default value, or let the Answer "
            "name a variable aggregator or template behind it."
        )
    return "Correct the reference in the Answer, or let it name a variable that always has a value."


HELP = {
    STARVED: """\
# queue-head-starved

Answers stream one after another, in the order in which they open. The one whose turn it is waits for a
variable that never comes. Its own rest and every Answer behind it stay silent, although they run and the
outputs are right.

**How it comes to that**

* The Answer names an output that the node does not have, or a variable that does not exist. An Answer node
  itself writes such a reference out as plain text (`llm.nothing`), the gate waits for it.
* An LLM broke off after its first chunks and went on with a default value: its stream has begun and never
  ends, so the gate does not look at the default value. When it breaks off before the first chunk all is
  well.
* The node that gives the variable was never reached, while the Answer was (a join of branches).

A variable of a *skipped* node does not starve the queue: the gate passes over it.

**What to do.** Correct the reference; use a fail branch instead of a default value on nodes that stream;
where branches join, name a variable aggregator in the Answer.
""",
}
