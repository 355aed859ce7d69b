"""The panels' places: sizes, hidden ones, the one that has the whole screen, the open tab."""

from __future__ import annotations

from typing import Any

from textual.widget import Widget
from textual.widgets import TabbedContent, Tabs

from workbench.tui.screens.debugger.moving import Moving
from workbench.tui.widgets.events import EventsPanel
from workbench.tui.widgets.findings import FindingBox
from workbench.tui.widgets.graph.view import GraphView
from workbench.tui.widgets.node import NodePanel
from workbench.tui.widgets.resume import ResumePanel
from workbench.tui.widgets.stream import StreamPanel
from workbench.tui.widgets.variables import VariablesPanel

_FIRST: dict[str, type[Widget]] = {
    "stream": StreamPanel,
    "variables": VariablesPanel,
    "events": EventsPanel,
    "findings": FindingBox,
    "node": NodePanel,
    "resume": ResumePanel,
}


class Panels(Moving):
    """The actions that arrange the screen; what is arranged is remembered."""

    async def action_tab(self, tab: str) -> None:
        """Open a tab and go into it."""
        if "tabs" in self.app.settings.hidden:
            self.app.remember(hidden=tuple(h for h in self.app.settings.hidden if h != "tabs"))
            self.apply_layout()
        self.query_one(TabbedContent).active = tab
        await self.show_tab()
        self.call_after_refresh(self._enter_tab, tab)

    def _enter_tab(self, tab: str) -> None:
        first = self.query(_FIRST[tab])
        (first.first() if first else self.query_one(Tabs)).focus()
        body = self.query_one("#body")
        if tab == "resume" and body.size.height < 30 and not body.has_class("-maximised"):
            self.maximise_panel(self.query_one("#tabs"))

    async def on_tabbed_content_tab_activated(self) -> None:
        self.app.remember(tab=self.query_one(TabbedContent).active)
        await self.show_tab()

    def panel(self) -> Widget | None:
        """The panel in focus."""
        focused: Any = self.focused
        while focused is not None and not focused.has_class("panel"):
            focused = focused.parent
        return focused if isinstance(focused, Widget) else None

    def action_maximise(self) -> None:
        """Give the panel in focus the whole screen, or give it back."""
        maximised = self.query_one("#body").has_class("-maximised")
        self.maximise_panel(None if maximised else self.panel())

    def maximise_panel(self, panel: Widget | None) -> None:
        """Show one panel only; None shows all."""
        self.query(".-alone").remove_class("-alone")
        self.query_one("#body").set_class(panel is not None, "-maximised")
        if panel is not None:
            panel.add_class("-alone")
        self.apply_layout()

    def action_resize(self, what: str, by: int) -> None:
        """Give the graph or the gate more or less room."""
        settings = self.app.settings
        share = max(20, min(80, (settings.gate_share if what == "gate" else settings.graph_share) + by))
        self.app.remember(**{f"{what}_share": share})
        self.apply_layout()

    def action_hide(self) -> None:
        """Hide the panel in focus."""
        panel = self.panel()
        hidden = self.app.settings.hidden
        if panel is not None and panel.id and len(hidden) < 2:
            self.app.remember(hidden=(*hidden, panel.id))
            self.apply_layout()
            self.focus_next()

    def action_show_all(self) -> None:
        """Show every panel again."""
        self.app.remember(hidden=())
        self.apply_layout()

    def apply_layout(self) -> None:
        """Give the panels their room."""
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
        self.call_after_refresh(self.apply_layout)
