"""Painting a step in every panel; one that breaks shows so and keeps the rest."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static, TabbedContent

from workbench.core.picture.gate_view import GateView
from workbench.tui.screens.debugger import paint
from workbench.tui.screens.debugger.loading import Loading
from workbench.tui.widgets.events import EventsPanel
from workbench.tui.widgets.gate import GatePanel
from workbench.tui.widgets.graph.view import GraphView
from workbench.tui.widgets.node import NodePanel, last_outcome
from workbench.tui.widgets.resume import ResumePanel
from workbench.tui.widgets.stream import StreamPanel
from workbench.tui.widgets.timeline import Timeline
from workbench.tui.widgets.variables import VariablesPanel, rows_of
from workbench.views.journey import Journey


class Showing(Loading):
    """Fills the panels. What can't be seen is not painted."""

    _rows_of: Journey | None = None
    _gate: tuple[Journey, int, GateView] | None = None

    def gate_view(self) -> GateView:
        """The gate at this step, made once."""
        assert self.journey is not None
        journey = self.journey
        if self._gate is None or self._gate[0] is not journey or self._gate[1] != journey.step:
            self._gate = journey, journey.step, paint.gate(journey, self.mask)
        return self._gate[2]

    async def show_step(self) -> None:
        """Paint this step in every panel that can be seen."""
        journey, opened = self.journey, self.opened
        if journey is None or opened is None:
            return
        graph, gate, timeline = (
            self.query_one(GraphView),
            self.query_one(GatePanel),
            self.query_one(Timeline),
        )
        waits = paint.waiting(opened)
        self.guard(graph, lambda: graph.set_picture(paint.picture(journey, self.breakpoints.nodes, waits)))
        self.guard(gate, lambda: gate.show(self.gate_view()))
        point = self.stops.get(journey.step)
        stop = f"  ◉ breakpoint {point.words(paint.titles(journey))}" if point is not None else ""
        self.guard(
            timeline,
            lambda: timeline.set_step(journey.step, paint.step_words(journey, opened, self.mask) + stop),
        )
        heading = paint.heading(opened, journey, self.live, self.following)
        self.query_one("#heading", Static).update(Content(heading))
        await self.show_tab()

    async def show_tab(self) -> None:
        """Paint the open tab."""
        if self.journey is None or self.opened is None:
            return
        tab = self.query_one(TabbedContent).active
        panels: dict[str, tuple[type[Widget], Callable[[], Awaitable[None] | None]]] = {
            "stream": (StreamPanel, self._show_stream),
            "variables": (VariablesPanel, self._show_variables),
            "events": (EventsPanel, self._show_events),
            "node": (NodePanel, self.show_node),
            "resume": (ResumePanel, self._show_form),
        }
        if tab not in panels:
            return
        kind, show = panels[tab]
        try:
            shown = show()
            if shown is not None:
                await shown
        except Exception as error:
            self.broken(self.query_one("#tabs"), error)
            self.query_one(kind).border_subtitle = "could not be shown"

    def _show_stream(self) -> None:
        assert self.journey is not None
        assert self.opened is not None
        sentence = self.gate_view().sentence
        text = paint.stream(self.journey, self.mask, sentence, self.opened.loaded.run.answer)
        self.query_one(StreamPanel).show(text.before, text.now, text.fresh, text.note)

    def _show_variables(self) -> None:
        assert self.journey is not None
        journey = self.journey
        now = self.mask.variables(journey.state.variables)
        before = self.mask.variables(journey.timeline.at(max(0, journey.step - 1)).variables)
        self.query_one(VariablesPanel).set_rows(rows_of(now, before, paint.titles(journey)))

    def _show_events(self) -> None:
        assert self.journey is not None
        assert self.opened is not None
        panel = self.query_one(EventsPanel)
        if self._rows_of is not self.journey:
            self._rows_of = self.journey
            panel.set_rows(paint.event_rows(self.journey, self.opened.times))
        panel.mark(self.journey.step - 1 if self.journey.step else None)

    def show_node(self) -> None:
        """Paint the node that is selected, or that the step is about."""
        journey = self.journey
        if journey is None:
            return
        waits = () if self.opened is None else paint.waiting(self.opened)
        here = waits[0] if waits else paint.current(journey)
        chosen = self.query_one(GraphView).selected or here or paint.latest_node(journey)
        state = paint.picture(journey, self.breakpoints.nodes, waits)
        outcome = last_outcome(journey.events, chosen, journey.step)
        self.query_one(NodePanel).show(
            journey.graph,
            journey.graph.nodes.get(chosen),
            state.nodes.get(chosen, "unknown"),
            state.edges,
            None if outcome is None else self.mask.data(outcome),
        )

    async def _show_form(self) -> None:
        assert self.journey is not None
        assert self.opened is not None
        form, note = paint.pause_form(self.opened, self.journey.step)
        await self.query_one(ResumePanel).show(form, note, self.app.desk.kernels())
