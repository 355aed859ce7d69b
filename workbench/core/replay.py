"""A recorded run, replayed: its state at any step; and a player that follows a run while it happens."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any, Final

from workbench.core.answers import answer_states
from workbench.core.blocking import Scope, scope_of
from workbench.core.gate import Chunk, Gate, StreamClosedError
from workbench.core.graph import Graph
from workbench.core.machine import BETWEEN, COMPLETIONS, EDGES, Machine, effects
from workbench.core.reachable import Reachable
from workbench.core.state import DEFAULT_KERNEL, Base, Event, Journal, Rules, Segment, State

__all__ = ["Base", "Event", "Journal", "Player", "Segment", "State", "Timeline"]

CHECKPOINT: Final = 250
"""Steps between two kept states: a step is never further from one than this."""


class Scopes:
    """The scopes of one graph, made when first asked for and then shared."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._made: dict[bool, Scope] = {}

    def of(self, rules: Rules) -> Scope:
        if rules.whole not in self._made:
            self._made[rules.whole] = scope_of(self._graph, whole=rules.whole)
        return self._made[rules.whole]


class Timeline:
    """A journal replayed once, with checkpoints: a step costs no more than the steps since the last one.

    Attributes:
        segments: the journal's, or one fresh segment where it tells none.
        steps: the number of the last step.
        stream_deaths: the steps at which the real filter fails, one a segment at most.
        kept: steps taken over from a shorter timeline of the same run (see `extended`), else 0.
    """

    def __init__(self, graph: Graph, journal: Journal, *, before: Timeline | None = None) -> None:
        self.graph: Final = graph
        self.journal: Final = journal
        self.segments: Final = journal.segments or (Segment(first_step=1),)
        self.steps: Final = len(journal.events)
        self._scopes = Scopes(graph)
        self._starts = {segment.first_step: index for index, segment in enumerate(self.segments)}
        self._chunks: list[Chunk] = []
        self._counts: list[int] = [0]
        self._checkpoints: list[Machine] = []
        self.stream_deaths: list[int] = []
        self._changes: tuple[int, ...] = ()
        self._changes_known = 0
        self.kept = 0 if before is None else self._take_over(before)
        self._effects: dict[int, list[Event]] = {} if before is None else dict(before._effects)
        self._effects |= effects(journal.events, graph, 0 if before is None else before.steps)
        self._run_through()

    def extended(self, journal: Journal) -> Timeline:
        """The timeline of a journal that goes on where this one's ends; only what is new is replayed."""
        old = self.journal
        same = len(journal.events) >= self.steps and journal.variables == old.variables
        if not (self.steps and same and journal.segments[: len(self.segments)] == self.segments):
            return Timeline(self.graph, journal)
        return Timeline(self.graph, journal, before=self)

    def _take_over(self, before: Timeline) -> int:
        """Keep what more events can't change; the number of steps that are kept.

        Edge events at the end wait for the node that they leave: what its outputs do to them is not known.
        """
        settled, events = before.steps, before.journal.events
        while settled and (events[settled - 1]["kind"] in EDGES or events[settled - 1]["kind"] in BETWEEN):
            settled -= 1
        last = min(settled // CHECKPOINT, len(before._checkpoints) - 1)
        kept = last * CHECKPOINT
        self._scopes = before._scopes
        self._checkpoints = before._checkpoints[:last]
        self._counts = before._counts[: kept + 1]
        self._chunks = before._chunks[: self._counts[kept]]
        self.stream_deaths = [step for step in before.stream_deaths if step <= kept]
        self._changes_known = min(kept, before._changes_known)
        self._changes = tuple(step for step in before._changes if step <= self._changes_known)
        self._resumed = before._checkpoints[last]
        return kept

    def _run_through(self) -> None:
        machine = self._resumed.copy() if self.kept else self._beginning()
        for step in range(self.kept + 1, self.steps + 1):
            if (step - 1) % CHECKPOINT == 0:
                self._checkpoints.append(machine.copy())
            dead = machine.stream_error is not None and step not in self._starts
            self._chunks += self._advance(machine, step)
            if machine.stream_error is not None and not dead:
                self.stream_deaths.append(step)
            self._counts.append(len(self._chunks))
        if not self._checkpoints:
            self._checkpoints.append(machine)
        machine.gate.dump()  # lists or counts the paths now, so that no step has to

    def _beginning(self) -> Machine:
        rules = self._rules(self.segments[0])
        machine = Machine(self.graph, self._scopes.of(rules), rules, self.journal.variables)
        self._enter(machine, 0)
        return machine

    def _rules(self, segment: Segment) -> Rules:
        return Rules.of(segment.kernel or self.journal.kernel)

    def _enter(self, machine: Machine, index: int) -> None:
        segment = self.segments[index]
        rules = self._rules(segment)
        gate: Mapping[str, Any] | str | None = segment.gate
        if gate is None and (segment.gate_mode not in ("restored", "healed") or index == 0):
            gate = "fresh"
        machine.enter(self._scopes.of(rules), rules, gate, segment.base)

    def _advance(self, machine: Machine, step: int) -> list[Chunk]:
        if step > 1 and step in self._starts:
            self._enter(machine, self._starts[step])
        try:
            return machine.apply(self.journal.events[step - 1], self._effects.get(step - 1, ()))
        except StreamClosedError:
            return []

    def segment_of(self, step: int) -> int:
        """The index of the segment that a step belongs to."""
        return max(0, bisect_right([segment.first_step for segment in self.segments], max(step, 1)) - 1)

    def machine_at(self, step: int) -> Machine:
        """The live state at a step, the caller's own: what it does to it is not seen here."""
        if not 0 <= step <= self.steps:
            raise IndexError(f"step {step} is not between 0 and {self.steps}")
        checkpoint = min(step // CHECKPOINT, len(self._checkpoints) - 1)
        machine = self._checkpoints[checkpoint].copy()
        for following in range(checkpoint * CHECKPOINT + 1, step + 1):
            self._advance(machine, following)
        return machine

    def gate_changes(self) -> tuple[int, ...]:
        """The steps at which the gate moved: an Answer opened, got or ended its turn, an edge that a locked
        Answer may need was taken, or a resume put another gate in its place.
        """
        if self._changes_known == self.steps:
            return self._changes
        machine = self.machine_at(self._changes_known) if self._changes_known else self._beginning()
        reachable: dict[Scope, Reachable] = {}
        changes = list(self._changes)
        for step in range(self._changes_known + 1, self.steps + 1):
            scope = machine.gate.scope
            if scope not in reachable:
                reachable[scope] = Reachable(scope)
            replaced = step > 1 and step in self._starts
            before = answer_states(machine.gate, machine.edges) if replaced else _turns(machine.gate)
            moved = _is_awaited(machine.gate, reachable[scope], self.journal.events[step - 1])
            self._advance(machine, step)
            after = answer_states(machine.gate, machine.edges) if replaced else _turns(machine.gate)
            if moved or before != after:
                changes.append(step)
        self._changes, self._changes_known = tuple(changes), self.steps
        return self._changes

    def chunks_at(self, step: int) -> list[Chunk]:
        """What the filter let through because of this one step's event."""
        return self._chunks[self._counts[step - 1] : self._counts[step]] if step else []

    def at(self, step: int) -> State:
        """The state after `step` events.

        Raises:
            IndexError: there is no such step.
        """
        machine = self.machine_at(step)
        segment = self.segment_of(step)
        chunks = tuple(self._chunks[: self._counts[step]])
        before = self._counts[min(step, self.segments[segment].first_step - 1)]
        return State(
            step=step,
            steps=self.steps,
            segment=segment,
            event=self.journal.events[step - 1] if step else None,
            gate=machine.gate.dump(),
            nodes=machine.nodes,
            edges=machine.edges,
            status=machine.status,
            variables=machine.pool.values,
            chunks=chunks,
            streamed="".join(chunk.text for chunk in chunks),
            segment_streamed="".join(chunk.text for chunk in chunks[before:]),
            stream_error=machine.stream_error,
            answers=answer_states(machine.gate, machine.edges),
        )


def _turns(gate: Gate) -> tuple[int, str | None, int]:
    """Changes whenever an Answer opens, gets or ends its turn."""
    state = gate.state
    return len(state.pending), state.active.node_id if state.active else None, len(state.waiting)


def _is_awaited(gate: Gate, reachable: Reachable, event: Event) -> bool:
    """Is this an edge that blocks a locked Answer behind it, told for the first time?"""
    edge = gate.scope.edges.get(event["edge"]) if event["kind"] == "GraphEdgeTaken" else None
    if edge is None or not gate.opening.awaits(edge.id):
        return False
    return any(
        edge.source in gate.scope.stops[response] and reachable.leads_to(edge.target, response)
        for response in gate.state.pending
        if response in gate.scope.stops
    )


class Player:
    """Follows one segment of a run while it happens; what it streams is what the real filter would.

    Edge events are held until the node that they leave has told its outputs, which follows at once; so
    chunks may come with a later event than in the real filter, never in another order.

    Args:
        variables: the pool before the first event, as plain values.
        dump: a saved gate state to go on from (edge ids of the DSL); None is a fresh gate.
        base: node and edge states of the runtime state that is resumed; its variables are used when
            `variables` is empty.
    """

    def __init__(
        self,
        graph: Graph,
        variables: Mapping[str, Mapping[str, Any]],
        *,
        dump: Mapping[str, Any] | None = None,
        base: Base | None = None,
        kernel: str = DEFAULT_KERNEL,
    ) -> None:
        rules = Rules.of(kernel)
        scope = scope_of(graph, whole=rules.whole)
        self._graph = graph
        self._held: list[Event] = []
        self.machine = Machine(graph, scope, rules, variables)
        if base is not None and variables:
            base = Base(variables, node_states=base.node_states, edge_states=base.edge_states)
        self.machine.enter(scope, rules, "fresh" if dump is None else dump, base)

    @property
    def gate(self) -> Gate:
        return self.machine.gate

    def feed(self, event: Event) -> list[Chunk]:
        """What this event lets through, and edge events that were held before it.

        Raises:
            StreamClosedError: as the real filter does; the stream is dead from here.
        """
        self._held.append(event)
        if event["kind"] in EDGES or (event["kind"] in BETWEEN and len(self._held) > 1):
            return []
        held, self._held = self._held, []
        if len(held) == 1:
            return self.machine.apply(event, (event,) if event["kind"] in COMPLETIONS else ())
        visible = effects(held, self._graph)
        chunks: list[Chunk] = []
        for index, each in enumerate(held):
            chunks += self.machine.apply(each, visible.get(index, ()))
        return chunks
