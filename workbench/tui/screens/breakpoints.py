"""The list of breakpoints: on, off, gone; and one on the gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static

from workbench.tui.screens.form import FormScreen
from workbench.tui.text import clip
from workbench.tui.widgets.lines import Cell, LineView
from workbench.views.breakpoints import Breakpoint, Breakpoints

GATE = Breakpoint("gate")
_NOTE = (
    "c and C stop at them. On a run that is started, resumed or forked from here the engine itself pauses "
    "before a node, and before the nodes that follow one. At the gate, and at what assigners write, it is "
    "asked when the event is there and pauses before its next node, which may be one later; the view stops "
    "at the very step."
)


class BreakpointsScreen(FormScreen[Breakpoints]):
    """Gives the changed breakpoints.

    Args:
        titles: titles of the nodes.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "switch", "On, off", id="breaks.switch"),
        Binding("x,delete", "clear", "Clear", key_display="x", id="breaks.clear"),
        Binding("X", "clear_all", "Clear all", id="breaks.clear_all"),
        Binding("g", "gate", "Gate", id="breaks.gate"),
        Binding("escape,q,B", "done", "Close", key_display="esc", id="breaks.done"),
    ]
    HELP = """
    Where the run stops. b in the debugger sets one before or after the selected node, v on a variable.

    space, enter, click   switch one off or on
    x                     clear it            X   clear all
    g                     stop when the gate changes
    """

    def __init__(self, points: Breakpoints, titles: Mapping[str, str]) -> None:
        super().__init__()
        self._points, self._titles = points, titles

    def compose(self) -> ComposeResult:
        with Vertical(id="form", classes="-pick") as form:
            form.border_title = "Breakpoints"
            yield LineView[Breakpoint](
                self._draw, empty="None yet: b on a node, v on a variable, g for the gate.", id="break-list"
            )
            yield Static(Content(_NOTE), classes="note")
            yield Static(id="form-problem")
            with Horizontal(id="buttons"):
                yield Button("On, off", id="switch", compact=True)
                yield Button("Clear", id="clear", compact=True)
                yield Button("Clear all", id="clear-all", compact=True)
                yield Button("Gate", id="gate-break", compact=True)
                yield Button("Close", variant="primary", id="done", compact=True)

    def on_mount(self) -> None:
        self.quiet()
        self._show(self._points)
        self.query_one("#break-list").focus()

    def _draw(self, point: Breakpoint, width: int) -> Sequence[Cell]:
        off = point in self._points.off
        words = clip(point.words(self._titles), max(8, width - 8))
        return [("○ off " if off else "● on  ", "dim" if off else "bad"), (words, "dim" if off else "")]

    def _show(self, points: Breakpoints) -> None:
        self._points = points
        self.query_one("#break-list", LineView).set_rows(points.all)

    def _row(self) -> Breakpoint | None:
        row: Breakpoint | None = self.query_one("#break-list", LineView).row
        return row

    @on(LineView.Chosen)
    @on(Button.Pressed, "#switch")
    def action_switch(self) -> None:
        """Switch the breakpoint off, or on again."""
        row = self._row()
        if row is not None:
            self._show(self._points.switched(row))

    @on(Button.Pressed, "#clear")
    def action_clear(self) -> None:
        """Clear the breakpoint."""
        row = self._row()
        if row is not None:
            self._show(self._points.without(row))

    @on(Button.Pressed, "#clear-all")
    def action_clear_all(self) -> None:
        """Clear all breakpoints."""
        self._show(Breakpoints())

    @on(Button.Pressed, "#gate-break")
    def action_gate(self) -> None:
        """Stop when the gate changes, or no longer."""
        self._show(self._points.toggled(GATE))

    @on(Button.Pressed, "#done")
    def action_done(self) -> None:
        """Back to the debugger with these breakpoints."""
        self.dismiss(self._points)
