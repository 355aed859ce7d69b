"""The debugger screen: the graph, the gate, the details, the timeline of one run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer, Input, Select, Static, TabbedContent, TabPane, Tabs

from workbench.tui import failures
from workbench.tui.desk import Opened
from workbench.tui.follow import ChangeWatch
from workbench.tui.screens.debugger import paint
from workbench.tui.text import one_line
from workbench.tui.widgets.events import EventsPanel
from workbench.tui.widgets.findings import FindingBox, FindingsPanel
from workbench.tui.widgets.gate import GatePanel
from workbench.tui.widgets.graph.view import GraphView
from workbench.tui.widgets.node import NodePanel, last_outcome
from workbench.tui.widgets.resume import ResumePanel
from workbench.tui.widgets.stream import StreamPanel
from workbench.tui.widgets.timeline import Timeline
from workbench.tui.widgets.variables import VariablesPanel, rows_of
from workbench.views.journey import Journey
from workbench.views.secrets import Mask, mask_for

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp

TABS = ("stream", "variables", "events", "findings", "node", "resume")
_FIRST: dict[str, type[Widget]] = {
    "stream": StreamPanel,
    "variables": VariablesPanel,
    "events": EventsPanel,
    "findings": FindingBox,
    "node": NodePanel,
    "resume": ResumePanel,
}


class DebuggerScreen(Screen[None]):
    """One run, or one saved pause.

    Args:
        step: where to stand; None is the last step.
        app: the app of a saved pause that does not know its own.
    """

    app: WorkbenchApp
    CSS_PATH = "debugger.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,full_stop", "step(1)", "Next", key_display="n", id="debug.next"),
        Binding("p,comma", "step(-1)", "Back", key_display="p", id="debug.back"),
        Binding("N", "node(1)", "Next node", show=False, id="debug.next_node"),
        Binding("P", "node(-1)", "Node before", show=False, id="debug.node_before"),
        Binding("right_square_bracket", "gate(1)", "Gate", key_display="]", id="debug.next_gate"),
        Binding(
            "left_square_bracket",
            "gate(-1)",
            "Gate before",
            key_display="[",
            show=False,
            id="debug.gate_before",
        ),
        Binding("right_curly_bracket", "pause(1)", "Pause", key_display="}", id="debug.next_pause"),
        Binding(
            "left_curly_bracket",
            "pause(-1)",
            "Pause before",
            key_display="{",
            show=False,
            id="debug.pause_before",
        ),
        Binding("g", "go(0)", "Start", show=False, id="debug.start"),
        Binding("G,dollar_sign", "go(-1)", "End", show=False, id="debug.end"),
        Binding("c", "run_on(1)", "Continue", show=False, id="debug.continue"),
        Binding("C", "run_on(-1)", "Continue back", show=False, id="debug.continue_back"),
        Binding("b", "breakpoint", "Breakpoint", show=False, id="debug.breakpoint"),
        Binding("space", "live", "Follow live", show=False, id="debug.live"),
        *(
            Binding(str(i), f"tab('{t}')", t.capitalize(), show=False, id=f"debug.{t}")
            for i, t in enumerate(TABS, 1)
        ),
        Binding("w", "tab('findings')", "Why", id="debug.why"),
        Binding("r", "tab('resume')", "Resume", id="debug.to_form"),
        Binding("R", "run_again", "Run again", show=False, id="debug.run_again"),
        Binding("X", "stop", "Stop the run", show=False, id="debug.stop"),
        Binding("z", "maximise", "Maximise", show=False, id="debug.maximise"),
        Binding(
            "greater_than_sign",
            "resize('gate', 5)",
            "Gate wider",
            key_display=">",
            show=False,
            id="debug.wider",
        ),
        Binding(
            "less_than_sign",
            "resize('gate', -5)",
            "Gate narrower",
            key_display="<",
            show=False,
            id="debug.narrower",
        ),
        Binding(
            "right_parenthesis",
            "resize('graph', 5)",
            "Graph taller",
            key_display=")",
            show=False,
            id="debug.taller",
        ),
        Binding(
            "left_parenthesis",
            "resize('graph', -5)",
            "Graph lower",
            key_display="(",
            show=False,
            id="debug.lower",
        ),
        Binding("x", "hide", "Hide panel", show=False, id="debug.hide"),
        Binding("A", "show_all", "Show all panels", show=False, id="debug.show_all"),
        Binding("q,escape", "leave", "Runs", key_display="q", id="debug.leave"),
    ]
    HELP = """
    One run, step by step. A step is one event of the engine; graph,
    gate, text and variables are those of that step.
    """

    def __init__(self, run_id: str, step: int | None = None, app: str | None = None) -> None:
        super().__init__()
        self.run_id = run_id
        self.app_given = app
        self._wanted = step
        self.opened: Opened | None = None
        self.journey: Journey | None = None
        self.mask = Mask()
        self.breakpoints: frozenset[str] = frozenset()
        self.following = True
        self._rows_of: Journey | None = None

    def compose(self) -> ComposeResult:
        yield Static(Content("Opening the run …"), id="heading")
        with Container(id="body"):
            yield GraphView(id="graph", classes="panel")
            yield GatePanel(id="gate", classes="panel")
            with TabbedContent(id="tabs", classes="panel", initial=self.app.settings.tab):
                with TabPane("Text", id="stream"):
                    yield StreamPanel(id="stream-panel")
                with TabPane("Vars", id="variables"):
                    yield VariablesPanel(id="variables-panel")
                with TabPane("Events", id="events"):
                    yield EventsPanel(id="events-panel")
                with TabPane("Why", id="findings"):
                    yield FindingsPanel(id="findings-panel")
                with TabPane("Node", id="node"):
                    yield NodePanel(id="node-panel")
                with TabPane("Resume", id="resume"):
                    yield ResumePanel(id="resume-panel")
        yield Static(id="problem")
        yield Timeline(id="timeline")
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#problem").display = False
        graph = self.query_one(GraphView)
        settings = self.app.settings
        graph.zoom = settings.zoom or None  # type: ignore[assignment]
        graph.tidy, graph.follow = settings.tidy, settings.follow
        self._apply_layout()
        graph.focus()
        self.load()
        self.run_worker(ChangeWatch(self.app.desk.change_counter, self._store_changed).run(), name="watch")

    # loading -----------------------------------------------------------------

    @work(exclusive=True, group="load", thread=True, exit_on_error=False)
    def load(self) -> None:
        """Read the run in a thread and show it."""
        try:
            opened = self.app.desk.open_run(self.run_id)
            loaded = opened.loaded
            journey = Journey(loaded.graph, loaded.timeline, opened.events)
            _ = journey.marks, journey.taken_at
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self.app.hand_over(self._loaded, opened, journey)

    async def _loaded(self, opened: Opened, journey: Journey) -> None:
        first = self.opened is None
        before = self.journey
        self.opened, self.journey = opened, journey
        self.mask = mask_for(opened.loaded.environment)
        if first or before is None:
            self.query_one(GraphView).set_graph(journey.graph)
            self._apply_layout()
            if self._wanted is not None:
                journey.go(self._wanted)
        elif not (self.following and before.step == before.steps):
            journey.step = min(before.step, journey.steps)
        self.query_one("#problem").display = False
        self.query_one(Timeline).set_marks(journey.marks, journey.steps)
        await self.show_step()
        self.load_findings()

    def _failed(self, error: Exception) -> None:
        problem = self.query_one("#problem", Static)
        problem.update(failures.content(failures.told(error, self.app.desk.ctx.home)))
        problem.display = True

    @property
    def live(self) -> bool:
        """Whether the run is still going on."""
        return self.opened is not None and self.opened.loaded.run.status == "running"

    async def _store_changed(self) -> None:
        if self.opened is None or self.live or self.app.playing == self.run_id:
            self.load()

    @work(exclusive=True, group="findings", thread=True, exit_on_error=False)
    def load_findings(self) -> None:
        """Diagnose the run in a thread."""
        if self.live:
            self.app.hand_over(self._show_findings, (), "The run is still going on.")
            return
        try:
            findings = self.app.desk.why(self.run_id).findings
        except Exception as error:
            told = failures.told(error, self.app.desk.ctx.home)
            self.app.hand_over(self._show_findings, (), f"{told.title} {told.cause}")
        else:
            note = "" if findings else "Nothing is wrong with this run."
            self.app.hand_over(self._show_findings, findings, note)

    async def _show_findings(self, findings: Any, note: str) -> None:
        if self.journey is None:
            return
        await self.query_one(FindingsPanel).show(findings, paint.titles(self.journey), note)
        bad = sum(f.severity != "info" for f in findings)
        self.query_one(TabbedContent).get_tab("findings").label = Content(f"Why ({bad})" if bad else "Why")

    # showing -----------------------------------------------------------------

    async def show_step(self) -> None:
        """Paint this step in every panel that can be seen; a panel that fails shows so and keeps the rest."""
        journey, opened = self.journey, self.opened
        if journey is None or opened is None:
            return
        graph, gate = self.query_one(GraphView), self.query_one(GatePanel)
        self._guard(graph, lambda: graph.set_picture(paint.picture(journey, self.breakpoints)))
        view = paint.gate(journey, self.mask)
        self._guard(gate, lambda: gate.show(view))
        timeline = self.query_one(Timeline)
        self._guard(
            timeline, lambda: timeline.set_step(journey.step, paint.step_words(journey, opened, self.mask))
        )
        self.query_one("#heading", Static).update(
            Content(paint.heading(opened.loaded.run, journey, self.live))
        )
        await self._show_tab()

    def _guard(self, panel: Widget, show: Callable[[], None]) -> None:
        try:
            show()
        except Exception as error:
            told = failures.told(error, self.app.desk.ctx.home)
            panel.border_title = Content(failures.content(told).plain.split("\n")[0])
            self._failed(error)

    async def _show_tab(self) -> None:
        journey, opened = self.journey, self.opened
        if journey is None or opened is None:
            return
        tab = self.query_one(TabbedContent).active
        if tab == "stream":
            text = paint.stream(journey, self.mask, self._sentence(), opened.loaded.run.answer)
            stream = self.query_one(StreamPanel)
            self._guard(stream, lambda: stream.show(text.before, text.now, text.fresh, text.note))
        elif tab == "variables":
            now = self.mask.variables(journey.state.variables)
            before = self.mask.variables(journey.timeline.at(max(0, journey.step - 1)).variables)
            self.query_one(VariablesPanel).set_rows(rows_of(now, before, paint.titles(journey)))
        elif tab == "events":
            panel = self.query_one(EventsPanel)
            if self._rows_of is not journey:
                self._rows_of = journey
                panel.set_rows(paint.event_rows(journey, opened.times))
            panel.mark(journey.step - 1 if journey.step else None)
        elif tab == "node":
            self._show_node()
        elif tab == "resume":
            form, note = paint.pause_form(opened, journey.step)
            await self.query_one(ResumePanel).show(form, note, self.app.desk.kernels())

    def _sentence(self) -> str:
        assert self.journey is not None
        return paint.gate(self.journey, self.mask).sentence

    def _show_node(self) -> None:
        journey = self.journey
        if journey is None:
            return
        chosen = self.query_one(GraphView).selected or paint.current(journey) or paint.latest_node(journey)
        state = paint.picture(journey, self.breakpoints)
        outcome = last_outcome(journey.events, chosen, journey.step)
        self.query_one(NodePanel).show(
            journey.graph,
            journey.graph.nodes.get(chosen),
            state.nodes.get(chosen, "unknown"),
            state.edges,
            None if outcome is None else self.mask.data(outcome),
        )

    # moving ------------------------------------------------------------------

    async def _moved(self, moved: bool) -> None:
        if moved:
            await self.show_step()
        else:
            self.app.bell()

    async def action_step(self, by: int) -> None:
        """One step on or back."""
        if self.journey:
            await self._moved(self.journey.forward() if by > 0 else self.journey.back())

    async def action_node(self, direction: int) -> None:
        """To the next start or end of a node."""
        if self.journey:
            await self._moved(self.journey.along(self.journey.node_steps, direction))

    async def action_gate(self, direction: int) -> None:
        """To the next change of the gate."""
        if self.journey:
            await self._moved(self.journey.along(self.journey.gate_steps, direction))

    async def action_pause(self, direction: int) -> None:
        """To the next pause or end of the run."""
        if self.journey:
            await self._moved(self.journey.along(self.journey.pause_steps, direction))

    async def action_go(self, step: int) -> None:
        """To a step; -1 is the last."""
        if self.journey:
            await self._moved(self.journey.go(self.journey.steps if step < 0 else step))

    async def action_run_on(self, direction: int) -> None:
        """To the next start of a node with a breakpoint, or to the end."""
        if not self.journey:
            return
        starts = [m.step for m in self.journey.marks if m.kind == "start" and m.node in self.breakpoints]
        if not self.journey.along(starts, direction):
            self.journey.go(self.journey.steps if direction > 0 else 0)
        await self.show_step()

    async def action_breakpoint(self) -> None:
        """Set or clear a breakpoint on the selected node."""
        if not self.journey:
            return
        node = self.query_one(GraphView).selected or paint.current(self.journey)
        if node:
            self.breakpoints = self.breakpoints ^ {node}
            await self.show_step()

    def action_live(self) -> None:
        """Follow a run while it is recorded, or stand still."""
        self.following = not self.following
        self.app.tell("Following the run while it goes on." if self.following else "Standing still.")
        if self.following:
            self.load()

    # panels ------------------------------------------------------------------

    async def action_tab(self, tab: str) -> None:
        """Open a tab and go into it."""
        if "tabs" in self.app.settings.hidden:
            self.app.remember(hidden=tuple(h for h in self.app.settings.hidden if h != "tabs"))
            self._apply_layout()
        self.query_one(TabbedContent).active = tab
        await self._show_tab()
        self.call_after_refresh(self._enter_tab, tab)

    def _enter_tab(self, tab: str) -> None:
        first = self.query(_FIRST[tab])
        (first.first() if first else self.query_one(Tabs)).focus()
        body = self.query_one("#body")
        if tab == "resume" and body.size.height < 30 and not body.has_class("-maximised"):
            self._maximise(self.query_one("#tabs"))

    async def on_tabbed_content_tab_activated(self) -> None:
        self.app.remember(tab=self.query_one(TabbedContent).active)
        await self._show_tab()

    def _panel(self) -> Widget | None:
        focused: Any = self.focused
        while focused is not None and not focused.has_class("panel"):
            focused = focused.parent
        return focused if isinstance(focused, Widget) else None

    def action_maximise(self) -> None:
        """Give the panel in focus the whole screen, or give it back."""
        maximised = self.query_one("#body").has_class("-maximised")
        self._maximise(None if maximised else self._panel())

    def _maximise(self, panel: Widget | None) -> None:
        """Show one panel only; None shows all."""
        self.query(".-alone").remove_class("-alone")
        self.query_one("#body").set_class(panel is not None, "-maximised")
        if panel is not None:
            panel.add_class("-alone")
        self._apply_layout()

    def action_resize(self, what: str, by: int) -> None:
        """Give the graph or the gate more or less room."""
        settings = self.app.settings
        share = max(20, min(80, (settings.gate_share if what == "gate" else settings.graph_share) + by))
        self.app.remember(**{f"{what}_share": share})
        self._apply_layout()

    def action_hide(self) -> None:
        """Hide the panel in focus."""
        panel = self._panel()
        hidden = self.app.settings.hidden
        if panel is not None and panel.id and len(hidden) < 2:
            self.app.remember(hidden=(*hidden, panel.id))
            self._apply_layout()
            self.focus_next()

    def action_show_all(self) -> None:
        """Show every panel again."""
        self.app.remember(hidden=())
        self._apply_layout()

    def _apply_layout(self) -> None:
        settings, body = self.app.settings, self.query_one("#body")
        for panel in ("graph", "gate", "tabs"):
            shown = panel not in settings.hidden
            self.query_one(f"#{panel}").set_class(not shown, "-hidden")
            body.set_class(not shown, f"-no-{panel}")
        if body.has_class("-maximised"):
            body.styles.grid_columns, body.styles.grid_rows = "1fr", "1fr"
            return
        upper, right, wide = settings.graph_share, settings.gate_share, self.has_class("-wide")
        body.styles.grid_columns = f"{100 - right}fr {right}fr" if wide else "1fr 1fr"
        body.styles.grid_rows = f"{upper}fr {100 - upper}fr"
        if not wide:
            # A short picture leaves its rows to the panels below.
            most = max(5, body.size.height * upper // 100 - 2)
            rows = self.query_one(GraphView).wanted_height(body.size.width - 2, most) + 2
            body.styles.grid_rows = f"{max(5, rows)} 1fr"

    def on_resize(self) -> None:
        self.call_after_refresh(self._apply_layout)

    # what panels tell --------------------------------------------------------

    def on_graph_view_selected(self) -> None:
        if self.query_one(TabbedContent).active == "node":
            self._show_node()

    async def on_graph_view_inspect(self) -> None:
        self.query_one(TabbedContent).active = "node"
        await self._show_tab()

    def on_gate_panel_picked(self, event: GatePanel.Picked) -> None:
        self.query_one(GraphView).selected = event.node_id

    async def on_timeline_went(self, event: Timeline.Went) -> None:
        if self.journey and self.journey.go(event.step):
            await self.show_step()

    async def on_line_view_chosen(self, event: Any) -> None:
        view = event.view
        if isinstance(view, EventsPanel) and self.journey:
            if self.journey.go(event.index + 1):
                await self.show_step()
        elif isinstance(view, VariablesPanel) and view.row is not None:
            row = view.row
            self.app.show_value(f"{row.title}.{row.name}", row.value)

    async def on_variables_panel_who_wrote(self, event: VariablesPanel.WhoWrote) -> None:
        row = self.query_one(VariablesPanel).row
        if row is None or self.journey is None:
            return
        step = self.journey.written_by(row.node, row.name)
        if step is None:
            self.app.tell(f"{one_line(row.name)} has been there from the beginning.")
        elif self.journey.go(step):
            await self.show_step()

    async def on_finding_box_followed(self, event: FindingBox.Followed) -> None:
        finding = event.finding
        if finding.node_id:
            self.query_one(GraphView).selected = finding.node_id
        if finding.steps and self.journey and self.journey.go(finding.steps[0]):
            await self.show_step()

    def on_finding_box_explained(self, event: FindingBox.Explained) -> None:
        self.app.explain(event.finding.code)

    async def on_resume_panel_submitted(self, event: ResumePanel.Submitted) -> None:
        self._maximise(None)
        self.query_one(TabbedContent).active = "stream"
        self.query_one(GraphView).focus()
        self.app.resume_run(event.order, self.breakpoints)

    def action_run_again(self) -> None:
        """Start another run of the same app."""
        if self.opened is not None:
            self.app.start_form(self.opened.loaded.run.app_id, self.breakpoints)

    def action_stop(self) -> None:
        """Stop the run that was started here."""
        self.app.stop_run()

    def action_leave(self) -> None:
        """Back: out of a field, out of a maximised panel, then to the runs."""
        if isinstance(self.focused, Input | Select):
            self.query_one(GraphView).focus() if self.query_one(GraphView).display else self.focus_next()
        elif self.query_one("#body").has_class("-maximised"):
            self.action_maximise()
        else:
            graph = self.query_one(GraphView)
            self.app.remember(zoom=graph.zoom or "", tidy=graph.tidy, follow=graph.follow)
            self.app.pop_screen()
