"""The steps of a run: what was true after each event."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from workbench.core.state import State
from workbench.errors import UsageError
from workbench.notebook import html
from workbench.notebook.gates import Gate, gate_at
from workbench.notebook.tables import Column, Table, Tabular, moment
from workbench.notebook.words import long, short
from workbench.views.safe import safe_line

if TYPE_CHECKING:
    from workbench.notebook.run import Run

EVENTS = (
    Column("step", "int"),
    Column("time", "time"),
    Column("seconds", "float", "s"),
    Column("kind"),
    Column("node_id"),
    Column("text"),
    Column("mark"),
)


@dataclass(frozen=True, repr=False)
class Step:
    """A run after its first `step` events; step 0 is before the first.

    Attributes:
        state: the replayed state, unmasked (`workbench.core.state.State`).
    """

    run: Run
    step: int
    state: State = field(repr=False)

    @property
    def event(self) -> Mapping[str, Any] | None:
        """The event that led here (kernels/PROTOCOL.md, EVENT); None at step 0."""
        return None if self.state.event is None else self.run.mask.data(self.state.event)

    @property
    def text(self) -> str:
        """That event in plain words."""
        mark = self.run.journey.marks[self.step - 1] if self.step else None
        return "Before the first event" if mark is None else self.run.mask.text(mark.text)

    @property
    def seconds(self) -> float:
        """Seconds since the first event of the run, pauses included."""
        times = self.run.loaded.times
        return times[self.step - 1] - times[0] if self.step else 0.0

    @cached_property
    def gate(self) -> Gate:
        """The gate here."""
        taken = {e: at for e, at in self.run.journey.taken_at.items() if at <= self.step}
        return gate_at(self.run.loaded.graph, self.state, taken, self.run.mask)

    @property
    def variables(self) -> dict[str, dict[str, Any]]:
        """The variable pool: {node id: {name: value}}."""
        found: dict[str, dict[str, Any]] = self.run.mask.variables(self.state.variables)
        return found

    @property
    def nodes(self) -> dict[str, str]:
        """Every node: "unknown", "taken" or "skipped"."""
        return dict(self.state.nodes)

    @property
    def edges(self) -> dict[str, str]:
        """Every edge: "unknown", "taken" or "skipped"."""
        return dict(self.state.edges)

    @property
    def status(self) -> dict[str, str]:
        """Nodes that have started: "running", "succeeded", "failed", "exception", "paused" or "retry"."""
        return dict(self.state.status)

    @property
    def streamed(self) -> str:
        """What the chat user has been shown so far, over all segments."""
        return self.run.mask.text(self.state.streamed)

    @property
    def segment_streamed(self) -> str:
        """The same since the start or the last resume."""
        return self.run.mask.text(self.state.segment_streamed)

    @property
    def variables_table(self) -> Table:
        """The variable pool as a table: node_id, name, value."""
        rows = [(node, name, value) for node, held in self.variables.items() for name, value in held.items()]
        columns = (Column("node_id"), Column("name"), Column("value", "any"))
        return Table("variables", columns, tuple(rows))

    def next(self) -> Step:
        """The step after this; the last one stays."""
        return self.run.at(min(self.step + 1, self.state.steps))

    def previous(self) -> Step:
        """The step before this; step 0 stays."""
        return self.run.at(max(self.step - 1, 0))

    def fork(self, **arguments: Any) -> Run:
        """Go on from here as a new run; arguments as `Run.fork`."""
        return self.run.fork(step=self.step, **arguments)

    def diff(self, other: Step) -> Any:
        """What differs between this step and another one, of this run or of another."""
        return self.run.bench.diff(self, other)

    def show_gate(self) -> Any:
        """The gate as a widget (extra `notebook`)."""
        from workbench.notebook.widgets import widget

        return widget("gate", self)

    def __repr__(self) -> str:
        lines = [f"step {self.step} of {self.state.steps}: {self.text}", *repr(self.gate).split("\n")]
        if self.streamed:
            lines.append(f"  streamed {short(self.streamed)}")
        return "\n".join([safe_line(lines[0]), *lines[1:]])

    def _repr_html_(self) -> str:
        statuses = ", ".join(f"{self.run.title(node)}: {word}" for node, word in self.status.items())
        return html.card(
            f"Step {self.step} of {self.state.steps}: {self.text}",
            html.facts(
                [
                    ("nodes", statuses or None),
                    ("streamed", long(self.streamed) if self.streamed else None),
                ]
            ),
            html.Html(self.gate._repr_html_()),
        ).markup


@dataclass(frozen=True, repr=False)
class Steps(Sequence[Step], Tabular):
    """All steps of a run, step 0 included: `steps[7]` is step 7, `steps[-1]` the last."""

    run: Run

    def __len__(self) -> int:
        return self.run.loaded.timeline.steps + 1

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, index: int | slice) -> Step | tuple[Step, ...]:
        places = range(len(self))[index]
        if isinstance(places, range):
            return tuple(self._step(each) for each in places)
        return self._step(places)

    def _step(self, step: int) -> Step:
        return Step(self.run, step, self.run.loaded.timeline.at(step))

    def at(self, step: int) -> Step:
        """A step by its number, negative ones from the end.

        Raises:
            UsageError: there is no such step.
        """
        try:
            return self[step]
        except IndexError:
            raise UsageError(
                f"Run {self.run.id} has no step {step}.",
                f"Its steps are 0 (before the first event) to {len(self) - 1}.",
                "len(run.steps) counts them; run.steps[-1] is the last.",
            ) from None

    def __iter__(self) -> Iterator[Step]:
        return (self._step(step) for step in range(len(self)))

    @property
    def table(self) -> Table:
        """One row an event: step, time (UTC), seconds since the first, kind, node_id, text, mark."""
        mask, loaded = self.run.mask, self.run.loaded
        first = loaded.times[0] if loaded.times else 0.0
        rows = [
            (
                mark.step,
                moment(at),
                at - first,
                str(event.get("kind", "")),
                mark.node,
                mask.text(mark.text),
                mark.kind,
            )
            for mark, at, event in zip(
                self.run.journey.marks, loaded.times, loaded.timeline.journal.events, strict=True
            )
        ]
        return Table("events", EVENTS, tuple(rows))

    def __repr__(self) -> str:
        return repr(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()
