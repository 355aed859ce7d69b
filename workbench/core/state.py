"""What a replay starts from and what it tells: the journal of a run, and the state at one of its steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from workbench.core.finding import AnswerState
from workbench.core.gate import Chunk

DEFAULT_KERNEL: Final = "graphon-0.8"

Event = Mapping[str, Any]
"""EVENT of kernels/PROTOCOL.md."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Where the engine generations differ for a replay.

    Attributes:
        whole: the filter sees the containers' children too.
        shared_loops: a loop's rounds write into the parent's variables (graphon 0.8 gives each round a
            copy).
        loose_updates: an assigner in any container changes the root's variables (graphon 0.5, 0.6: its
            event passes through the root engine).
    """

    whole: bool
    shared_loops: bool
    loose_updates: bool

    @staticmethod
    def of(kernel: str) -> Rules:
        """The rules of an engine kernel; an unknown one counts as the newest."""
        generation = kernel.removeprefix("graphon-")
        old = generation in ("0.5", "0.6")
        return Rules(
            whole=old or generation == "0.7", shared_loops=old or generation == "0.7", loose_updates=old
        )


@dataclass(frozen=True, slots=True)
class Base:
    """What a saved runtime state says: the start of a run that goes on from a file, a pause or a fork.

    Attributes:
        variables: plain values by node id and name.
        variable_types: graphon's value types beside them.
        node_states, edge_states: "unknown", "taken" or "skipped"; edge ids are the DSL's.
    """

    variables: Mapping[str, Mapping[str, Any]]
    variable_types: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    node_states: Mapping[str, str] = field(default_factory=dict)
    edge_states: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a run from a start or resume to a pause or the end.

    Attributes:
        first_step: the step of its first event (1 for the first segment).
        gate_mode: "fresh" (also of a start), "restored" or "healed".
        gate: the saved filter state it went on from, edge ids of the DSL; None goes on with the gate as the
            segment before left it, or starts fresh where there is none.
        base: the runtime state it went on from; None goes on from the segment before.
        kernel: the engine kernel of this segment; None takes the journal's.
    """

    first_step: int
    gate_mode: str | None = "fresh"
    gate: Mapping[str, Any] | None = None
    base: Base | None = None
    kernel: str | None = None


@dataclass(frozen=True, slots=True)
class Journal:
    """All that is kept of a run: the first variables, the segments, and the raw events in order.

    Attributes:
        variables: the pool before the first event, as plain values.
        kernel: the engine kernel that ran it.
    """

    variables: Mapping[str, Mapping[str, Any]]
    segments: tuple[Segment, ...]
    events: tuple[Event, ...]
    kernel: str = DEFAULT_KERNEL


@dataclass(frozen=True, slots=True)
class State:
    """Everything at one step; step N is after N events, step 0 before the first.

    Attributes:
        segment: index of the segment that the step is in.
        event: the event that led to this step; None at step 0.
        gate: the filter's own keys (`ResponseStreamFilter.dumps()`).
        nodes, edges: "unknown", "taken" or "skipped"; in a container those of the newest round.
        status: "running", "succeeded", "failed", "exception", "paused" or "retry", of nodes that were
            started.
        variables: the root's variables. Outputs of a node are there before the edges that leave it are
            taken.
        chunks: what the filter has let through so far, over all segments.
        streamed: the same as one text, as the chat user sees it; `segment_streamed` of this segment only.
        stream_error: why the stream is dead in this segment, or None.
    """

    step: int
    steps: int
    segment: int
    event: Event | None
    gate: Mapping[str, Any]
    nodes: Mapping[str, str]
    edges: Mapping[str, str]
    status: Mapping[str, str]
    variables: Mapping[str, Mapping[str, Any]]
    chunks: tuple[Chunk, ...]
    streamed: str
    segment_streamed: str
    stream_error: str | None
    answers: tuple[AnswerState, ...]
