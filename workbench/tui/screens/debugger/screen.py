"""The debugger screen: the graph, the gate, the details, the timeline of one run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.content import Content
from textual.widgets import Input, Select, Static, TabbedContent, TabPane

from workbench.tui.follow import ChangeWatch
from workbench.tui.screens.debugger import keys
from workbench.tui.screens.debugger.ways import Ways
from workbench.tui.text import one_line
from workbench.tui.widgets.events import EventsPanel
from workbench.tui.widgets.findings import FindingBox, FindingsPanel
from workbench.tui.widgets.gate import GatePanel
from workbench.tui.widgets.graph.view import GraphView
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.node import NodePanel
from workbench.tui.widgets.resume import ResumePanel
from workbench.tui.widgets.stream import StreamPanel
from workbench.tui.widgets.timeline import Timeline
from workbench.tui.widgets.variables import VariablesPanel


class DebuggerScreen(Ways):
    """One run, or one saved pause.

    Args:
        run_id: a run, a pause of one, or a saved pause as a file or its id.
        step: where to stand; None is the last step, or that of the pause.
        app: the app of a saved pause that does not know its own.
    """

    CSS_PATH = "debugger.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = list(keys.BINDINGS)
    HELP = keys.HELP

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
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#problem").display = False
        graph = self.query_one(GraphView)
        settings = self.app.settings
        graph.zoom = settings.zoom or None  # type: ignore[assignment]
        graph.tidy, graph.follow = settings.tidy, settings.follow
        self.apply_layout()
        graph.focus()
        self.load()
        self.run_worker(ChangeWatch(self.app.desk.change_counter, self.store_changed).run(), name="watch")

    # what panels tell --------------------------------------------------------

    def on_graph_view_selected(self) -> None:
        if self.query_one(TabbedContent).active == "node":
            self.guard(self.query_one(NodePanel), self.show_node)

    async def on_graph_view_inspect(self) -> None:
        self.query_one(TabbedContent).active = "node"
        await self.show_tab()

    def on_gate_panel_picked(self, event: GatePanel.Picked) -> None:
        self.query_one(GraphView).selected = event.node_id

    def on_stream_panel_opened(self, event: StreamPanel.Opened) -> None:
        self.app.show_value("What the chat user has seen", event.text)

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
        self.maximise_panel(None)
        self.query_one(TabbedContent).active = "stream"
        self.query_one(GraphView).focus()
        self.following = True
        app = self.app_given if self.saved else None
        self.app.resume_run(replace(event.order, app=app, break_before=self.held()))

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
