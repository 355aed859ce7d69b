"""Moving through a run, and the places where it shall stop."""

from __future__ import annotations

from typing import Any

from textual.widgets import TabbedContent

from workbench.tui.screens.debugger import paint
from workbench.tui.screens.debugger.showing import Showing
from workbench.tui.text import one_line
from workbench.tui.widgets.graph.view import GraphView
from workbench.tui.widgets.variables import VariablesPanel
from workbench.views.breakpoints import Breakpoint, Breakpoints
from workbench.views.stepping import over


class Moving(Showing):
    """The actions that change the step."""

    async def _moved(self, moved: bool) -> None:
        if moved:
            await self.show_step()
        else:
            self.app.bell()

    async def action_step(self, by: int) -> None:
        """One step on or back."""
        if self.journey:
            await self._moved(self.journey.forward() if by > 0 else self.journey.back())

    async def action_over(self, direction: int) -> None:
        """Over the node that starts here, with all that is inside it; or to the next one."""
        if self.journey:
            step = over(self.journey, direction)
            await self._moved(step is not None and self.journey.go(step))

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
        """To the next breakpoint, or to the end."""
        if not self.journey:
            return
        if not self.journey.along(tuple(self.stops), direction):
            self.journey.go(self.journey.steps if direction > 0 else 0)
        await self.show_step()

    # breakpoints -------------------------------------------------------------

    async def set_breakpoints(self, points: Breakpoints) -> None:
        """Keep other breakpoints and show them; a run that goes on here stops at them too."""
        self.breakpoints = points
        if self.journey is None or self.opened is None:
            return
        self.app.watch_for(self.opened.loaded.run.app_id, points)
        self.mark_stops()
        await self.show_step()

    def held(self) -> tuple[str, ...]:
        """The nodes before which the engine shall pause."""
        return () if self.journey is None else tuple(sorted(self.breakpoints.held(self.journey.graph)))

    async def action_breakpoint(self) -> None:
        """Set a breakpoint before the selected node, then after it, then clear it."""
        if not self.journey:
            return
        node = self.query_one(GraphView).selected or paint.current(self.journey)
        if node is None:
            self.app.tell("Select a node in the graph first: h j k l, or a click.")
            return
        await self.set_breakpoints(self.breakpoints.cycled(node))
        self._tell_points(node)

    def _tell_points(self, node: str) -> None:
        assert self.journey is not None
        titles = paint.titles(self.journey)
        on = [point.words(titles) for point in self.breakpoints.all if point.node == node]
        title = one_line(titles.get(node, node), 60)
        self.app.tell(f"Breakpoint {', '.join(on)}." if on else f"No breakpoint at {title}.")

    async def action_break_variable(self) -> None:
        """Set or clear a breakpoint on the variable under the cursor."""
        panel = self.query_one(VariablesPanel)
        if self.query_one(TabbedContent).active != "variables" or panel.row is None:
            self.app.tell("Choose a variable first: 2 opens them.")
            return
        row = panel.row
        await self.set_breakpoints(self.breakpoints.toggled(Breakpoint("variable", row.node, row.name)))
        self._tell_points(row.node)

    def action_breakpoints(self) -> None:
        """List the breakpoints, switch them off and on, add one on the gate."""
        from workbench.tui.screens.breakpoints import BreakpointsScreen

        if self.journey is None:
            return

        async def done(points: Breakpoints | None) -> None:
            if points is not None and points != self.breakpoints:
                await self.set_breakpoints(points)

        self.app.push_screen(BreakpointsScreen(self.breakpoints, paint.titles(self.journey)), done)

    # live --------------------------------------------------------------------

    async def action_live(self) -> None:
        """Follow a run while it is recorded, or stand still."""
        if not self.live and self.app.playing != self.run_id:
            self.app.tell("This run is not going on: there is nothing to follow.")
            return
        self.following = not self.following
        self.app.tell("Following the run while it goes on." if self.following else "Standing still.")
        if self.following:
            if self.journey is not None:
                self.journey.go(self.journey.steps)
            self.load()
        await self.show_step()

    def action_hold(self) -> None:
        """Have the engine pause before its next node."""
        if self.app.pause_run("Paused by the user.", self.run_id):
            self.app.tell("The engine pauses before its next node; r continues it then.")
        elif self.live:
            self.app.tell("Another program runs this; it can only be followed here.", "warning")
        else:
            self.app.tell("This run is not going on.")

    def action_stop(self) -> None:
        """Stop the run that was started here."""
        self.app.stop_run()

    async def on_timeline_went(self, event: Any) -> None:
        if self.journey and self.journey.go(event.step):
            await self.show_step()
