"""A recorded run: its result, its steps, its pauses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.secrets import Mask, mask_for
from workbench.notebook import html
from workbench.notebook.steps import Step, Steps
from workbench.notebook.tables import Column, Table, moment
from workbench.notebook.words import count, long, short
from workbench.verbs.inspect import LoadedRun, follow_run, open_run
from workbench.views.journey import Journey
from workbench.views.safe import safe_line

if TYPE_CHECKING:
    from workbench.notebook.app import App
    from workbench.notebook.bench import Workbench
    from workbench.notebook.charts import Picture
    from workbench.notebook.differences import Differences
    from workbench.notebook.findings import Findings
    from workbench.notebook.pause import Pause
    from workbench.notebook.saved import Exported
    from workbench.store.rows import RunRow

NODES = (
    Column("index", "int"),
    Column("node_id"),
    Column("title"),
    Column("type"),
    Column("status"),
    Column("started", "float", "s"),
    Column("elapsed", "float", "s"),
    Column("tokens", "int"),
    Column("retries", "int"),
    Column("first_step", "int"),
    Column("last_step", "int"),
    Column("container_id"),
    Column("round", "int"),
    Column("inputs", "any"),
    Column("outputs", "any"),
    Column("error"),
)


@dataclass(frozen=True, repr=False)
class Run:
    """One execution, as the store has it when it is first looked at; `refresh()` reads it again.

    Attributes:
        id: good for every verb of the command line, too.
        notes: what the verb that made it had to say.
    """

    bench: Workbench = field(repr=False, compare=False)
    id: str
    notes: tuple[str, ...] = field(default=(), compare=False)
    _row: RunRow | None = field(default=None, repr=False, compare=False)

    @cached_property
    def loaded(self) -> LoadedRun:
        """The run, read back with app, graph and timeline, unmasked (`workbench.verbs.inspect.LoadedRun`)."""
        self._keep_nodes()
        return open_run(self.bench.ctx, self.id)

    def _keep_nodes(self) -> None:
        """Read the node executions with the run: a resume changes them in the store."""
        vars(self)["_nodes"] = tuple(self.bench.ctx.store.nodes(self.id))

    @cached_property
    def mask(self) -> Mask:
        """What hides secrets in everything that is shown; `Workbench(unmask=True)` hides nothing."""
        return mask_for(self.loaded.environment, unmask=self.bench.unmask)

    @cached_property
    def journey(self) -> Journey:
        """The timeline with its marks (`workbench.views.journey`)."""
        return Journey(self.loaded.graph, self.loaded.timeline, self.loaded.timeline.journal.events)

    @property
    def row(self) -> RunRow:
        """What lists show of it."""
        return self.loaded.run if self._row is None else self._row

    # what came out -------------------------------------------------------------

    @property
    def app_name(self) -> str:
        """The app's name."""
        return self.mask.text(self.row.app)

    @property
    def mode(self) -> str:
        """ "advanced-chat" or "workflow"."""
        return self.row.mode

    @property
    def status(self) -> str:
        """ "running", "paused", "succeeded", "partial-succeeded", "failed" or "stopped"."""
        return self.row.status

    @property
    def interrupted(self) -> bool:
        """Whether its process was killed."""
        return self.row.interrupted

    @property
    def kernel(self) -> str:
        """The engine kernel that ran it last."""
        return self.row.kernel

    @property
    def started_at(self) -> datetime | None:
        """When it began (UTC)."""
        return moment(self.row.started_at)

    @property
    def elapsed(self) -> float:
        """Seconds that the engine worked, pauses not counted."""
        return self.loaded.run.elapsed

    @property
    def total_tokens(self) -> int:
        """Tokens of all its model calls."""
        return self.loaded.run.total_tokens

    @property
    def answer(self) -> str | None:
        """The final answer text of a chatflow; None in workflow apps and while there is none."""
        answer = self.loaded.run.answer
        return None if answer is None else self.mask.text(answer)

    @property
    def outputs(self) -> dict[str, Any]:
        """The run's outputs."""
        found: dict[str, Any] = self.mask.data(self.loaded.run.outputs or {})
        return found

    @property
    def inputs(self) -> dict[str, Any]:
        """The start form as it was filled."""
        found: dict[str, Any] = self.mask.data(self.loaded.run.inputs)
        return found

    @property
    def query(self) -> str | None:
        """What the user said in a chatflow; None in workflow apps."""
        query = self.loaded.run.system.get("query") if self.mode == "advanced-chat" else None
        return None if query is None else self.mask.text(str(query))

    @property
    def error(self) -> str | None:
        """Why it failed or was stopped."""
        error = self.loaded.run.error
        return None if error is None else self.mask.text(error)

    @property
    def streamed(self) -> str:
        """What the chat user was shown, over all segments."""
        return self.steps[-1].streamed

    @property
    def segment_streamed(self) -> str:
        """What the chat user was shown since the start or the last resume."""
        return self.steps[-1].segment_streamed

    @property
    def stream_error(self) -> str | None:
        """Why the stream died while the run went on, else None."""
        error = self.steps[-1].state.stream_error
        return None if error is None else self.mask.text(error)

    @property
    def forked_from(self) -> Mapping[str, Any] | None:
        """{"run_id", "step"} of the pause or step that it goes on from, else None."""
        return self.row.forked_from

    @property
    def parent(self) -> Run | None:
        """The run that it was forked from, if the store has it."""
        from workbench.errors import NotFoundError

        if self.forked_from is None:
            return None
        try:
            return self.bench.run_of(self.forked_from["run_id"])
        except NotFoundError:
            return None

    # parts ---------------------------------------------------------------------

    @property
    def app(self) -> App:
        """The app that it ran."""
        from workbench.notebook.app import App

        return App(self.bench, self.loaded.app)

    @property
    def steps(self) -> Steps:
        """All steps; `run.steps.to_pandas()` is the table of events."""
        return Steps(self)

    @cached_property
    def events(self) -> Table:
        """One row an event (`run.steps.table`)."""
        return self.steps.table

    @cached_property
    def nodes(self) -> Table:
        """One row a node execution: times in seconds since the first event, tokens, inputs and outputs."""
        loaded, mask = self.loaded, self.mask
        first = loaded.times[0] if loaded.times else loaded.run.started_at
        rows = [
            (
                each.index,
                each.node_id,
                mask.text(each.title),
                each.node_type,
                each.status,
                each.started_at - first,
                each.elapsed,
                each.total_tokens,
                each.retries,
                each.first_step,
                each.last_step,
                each.container_id,
                each.container_index,
                mask.data(each.inputs),
                mask.data(each.outputs),
                None if each.error is None else mask.text(each.error),
            )
            for each in vars(self)["_nodes"]
        ]
        return Table("nodes", NODES, tuple(rows))

    @property
    def variables(self) -> dict[str, dict[str, Any]]:
        """The variable pool at the end: {node id: {name: value}}."""
        return self.steps[-1].variables

    @property
    def gate(self) -> Any:
        """The gate at the end."""
        return self.steps[-1].gate

    @cached_property
    def pauses(self) -> tuple[Pause, ...]:
        """All its pauses, the oldest first."""
        from workbench.notebook.pause import Pause

        rows = self.bench.ctx.store.pauses(self.id)
        return tuple(Pause(self, row) for row in rows if row.step <= self.loaded.timeline.steps)

    @property
    def pause(self) -> Pause | None:
        """Its last pause, waiting or resumed before; None when it never paused."""
        return self.pauses[-1] if self.pauses else None

    def title(self, node: str) -> str:
        """A node's title, else its id."""
        found = self.loaded.graph.nodes.get(node)
        return self.mask.text((found.title if found else "") or node)

    # what can be done ----------------------------------------------------------

    def at(self, step: int) -> Step:
        """The run after `step` events; -1 is the last step.

        Raises:
            UsageError: there is no such step.
        """
        return self.steps.at(step)

    def refresh(self) -> Run:
        """The run as the store has it now; only what is new since is read and replayed."""
        again = Run(self.bench, self.id, self.notes)
        if "loaded" in vars(self):
            again._keep_nodes()
            vars(again)["loaded"] = follow_run(self.bench.ctx, self.loaded)
        return again

    @property
    def outdated(self) -> bool:
        """Whether the run has gone on in the store since it was read."""
        return "loaded" in vars(self) and self.bench.ctx.store.run(self.id).steps > self.loaded.timeline.steps

    def resume(self, **arguments: Any) -> Run:
        """Go on from its last pause; arguments as `Workbench.resume`."""
        return self.bench.resume(self, **arguments)

    def fork(self, step: int | None = None, **arguments: Any) -> Run:
        """Go on from a step as a new run; arguments as `Workbench.fork`."""
        return self.bench.fork(self, step=step, **arguments)

    def why(self, dify: str | None = None) -> Findings:
        """Why an Answer is silent, repeated or late."""
        return self.bench.why(self, dify=dify)

    def diff(self, other: Run | Step | str) -> Differences:
        """What differs from another run, aligned by node."""
        return self.bench.diff(self, other)

    def compare(self, other: Run | Step | str) -> Any:
        """The same as a widget (extra `notebook`)."""
        return self.diff(other).widget()

    def export(self, path: Path | str, format: str | None = "bundle", **arguments: Any) -> Exported:  # noqa: A002
        """Write it to a file: a "bundle" for another workbench, or a part of its last pause."""
        return self.bench.export(self, path, format, **arguments)

    # pictures ------------------------------------------------------------------

    def timeline_chart(self) -> Picture:
        """A Gantt chart of its node executions (extra `notebook`)."""
        from workbench.notebook.charts import timeline_chart

        return timeline_chart(self)

    def tokens_chart(self) -> Picture:
        """Tokens by node (extra `notebook`)."""
        from workbench.notebook.charts import tokens_chart

        return tokens_chart(self)

    def player(self, step: int | None = None) -> Any:
        """The run as a widget: graph, gate, stream and timeline under a slider (extra `notebook`)."""
        from workbench.notebook.widgets import widget

        return widget("player", self, step=step)

    def show_gate(self, step: int = -1) -> Any:
        """The gate at a step as a widget (extra `notebook`)."""
        return self.at(step).show_gate()

    def __repr__(self) -> str:
        return "\n".join(safe_line(line) for line in self._lines())

    def _lines(self) -> list[str]:
        lines = [f"run {self.id}: {self._headline()}"]
        if self.forked_from:
            lines.append(f"  forked from {self.forked_from['run_id']}, step {self.forked_from['step']}")
        lines += [f"  {name:<8} {short(value)}" for name, value in self._results()]
        lines += [f"  note     {self.mask.text(note)}" for note in self.notes]
        if self.status == "paused" and self.pause is not None:
            lines += [f"  {line}" for line in repr(self.pause).split("\n")]
        return lines

    def _headline(self) -> str:
        steps = count(self.row.steps, "step")
        killed = " (its process was killed)" if self.interrupted else ""
        return f"{self.app_name}, {self.status}{killed} on {self.kernel}, {steps}"

    def _results(self) -> list[tuple[str, Any]]:
        found: list[tuple[str, Any]] = [("streamed", self.streamed)]
        if self.answer is not None and self.answer != self.streamed:
            found.append(("answer", self.answer))
        if self.outputs and self.mode != "advanced-chat":
            found.append(("outputs", self.outputs))
        if self.error:
            found.append(("error", self.error))
        if self.stream_error:
            found.append(("stream", self.stream_error))
        return found

    def _repr_html_(self) -> str:
        rows: list[tuple[str, html.Part]] = [("run", html.code(self.id))]
        if self.forked_from:
            rows.append(("forked from", f"{self.forked_from['run_id']}, step {self.forked_from['step']}"))
        rows += [(name, _shown(value)) for name, value in self._results()]
        waits = self.pause if self.status == "paused" else None
        return html.card(
            self._headline(),
            html.facts(rows),
            html.items(self.mask.text(note) for note in self.notes),
            None if waits is None else html.Html(waits._repr_html_()),
        ).markup


def _shown(value: Any) -> html.Part:
    if value == "":
        return html.faint("nothing")
    return long(value) if isinstance(value, str) else short(value, 400)
