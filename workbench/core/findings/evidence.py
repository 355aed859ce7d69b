"""What a run shows, gathered once for all findings: what ran, what was streamed, and when."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from workbench.core.gate import Chunk, Gate
from workbench.core.graph import Graph, Selector
from workbench.core.machine import Machine
from workbench.core.replay import Timeline
from workbench.core.state import State

FINISHED = frozenset({"GraphRunSucceeded", "GraphRunPartialSucceeded"})


@dataclass(frozen=True, slots=True)
class Execution:
    """One completed execution of a response node; `text` is its own `answer` output (None for an End)."""

    node: str
    step: int
    text: str | None


@dataclass(frozen=True, slots=True)
class Resume:
    """A segment that goes on from a pause.

    Attributes:
        first_step: the step of its first event.
        fresh: it began without the saved gate state.
        from_file: the part before is not in this journal.
    """

    index: int
    first_step: int
    fresh: bool
    from_file: bool


@dataclass
class Evidence:
    """Filled by `gather`, then only read.

    Attributes:
        state, machine: at the last step.
        taken_at: the newest step that took an edge.
        executions: of each response node, in order.
        streamed: what was streamed in each Answer's turn, with its step.
        chunk_steps: steps of the raw chunks of a selector, let through or not.
        retries: steps at which a node was tried again.
        died_at: segment index -> the step at which its stream died.
        run_end: kind of the newest GraphRun* event.
    """

    graph: Graph
    timeline: Timeline
    state: State
    machine: Machine
    taken_at: dict[str, int] = field(default_factory=dict)
    executions: dict[str, list[Execution]] = field(default_factory=dict)
    streamed: dict[str, list[tuple[int, Chunk]]] = field(default_factory=dict)
    chunk_steps: dict[Selector, list[int]] = field(default_factory=dict)
    retries: dict[str, list[int]] = field(default_factory=dict)
    died_at: dict[int, int] = field(default_factory=dict)
    run_end: str | None = None

    @property
    def gate(self) -> Gate:
        return self.machine.gate

    @property
    def finished(self) -> bool:
        """The run came to its own good end."""
        return self.run_end in FINISHED

    @property
    def paused(self) -> bool:
        return self.run_end == "GraphRunPaused"

    @cached_property
    def resumes(self) -> tuple[Resume, ...]:
        found = []
        for index, segment in enumerate(self.timeline.segments):
            from_file = segment.base is not None
            if index or from_file:
                goes_on = index > 0 and segment.gate_mode in ("restored", "healed")
                fresh = segment.gate is None and not goes_on
                found.append(Resume(index, segment.first_step, fresh, from_file))
        return tuple(found)

    def text_of(self, answer: str) -> str:
        """All that was streamed in an Answer's turn, over the whole run."""
        return "".join(chunk.text for _, chunk in self.streamed.get(answer, ()))

    def expected(self, answer: str) -> str | None:
        """The texts of an Answer's executions together; None when it never ran or is no Answer."""
        ran = self.executions.get(answer, [])
        texts = [execution.text for execution in ran if execution.text is not None]
        return "".join(texts) if texts else None

    def stream_died(self, step: int) -> bool:
        """Was the stream dead when this step came?"""
        died = self.died_at.get(self.timeline.segment_of(step))
        return died is not None and died <= step


def gather(graph: Graph, timeline: Timeline) -> Evidence:
    """Read a timeline once."""
    found = Evidence(graph, timeline, timeline.at(timeline.steps), timeline.machine_at(timeline.steps))
    for step, event in enumerate(timeline.journal.events, 1):
        kind = event["kind"]
        if kind == "NodeRunStreamChunk":
            found.chunk_steps.setdefault(tuple(event["selector"]), []).append(step)
        elif kind == "GraphEdgeTaken":
            found.taken_at[event["edge"]] = step
        elif kind == "NodeRunRetry":
            found.retries.setdefault(event["node"], []).append(step)
        elif kind == "NodeRunSucceeded":
            node = graph.nodes.get(event["node"])
            if node is not None and node.kind == "response":
                text = event.get("outputs", {}).get("answer") if node.type == "answer" else None
                execution = Execution(node.id, step, text if isinstance(text, str) else None)
                found.executions.setdefault(node.id, []).append(execution)
        elif kind.startswith("GraphRun"):
            found.run_end = kind
        for chunk in timeline.chunks_at(step):
            found.streamed.setdefault(chunk.answer, []).append((step, chunk))
    for step in timeline.stream_deaths:
        found.died_at[timeline.segment_of(step)] = step
    return found
