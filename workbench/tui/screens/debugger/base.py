"""What the parts of the debugger share: the run in hand and where its reader stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from workbench.tui import failures
from workbench.views.breakpoints import Breakpoint, Breakpoints
from workbench.views.secrets import Mask

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.desk import Opened
    from workbench.views.journey import Journey


class DebuggerBase(Screen[None]):
    """The state of the debugger, without keys and panels.

    Attributes:
        run_id: the run, the pause, or the saved pause (a file or its id) that is shown.
        app_given: the app of a saved pause that does not know its own.
        stops: the steps at which the breakpoints stop.
        following: whether a live run is followed to its newest step.
    """

    app: WorkbenchApp

    def __init__(self, run_id: str, step: int | None = None, app: str | None = None) -> None:
        super().__init__()
        self.run_id = run_id
        self.app_given = app
        self.opened: Opened | None = None
        self.journey: Journey | None = None
        self.mask = Mask()
        self.breakpoints = Breakpoints()
        self.stops: dict[int, Breakpoint] = {}
        self.following = True
        self._wanted = step

    @property
    def live(self) -> bool:
        """Whether the run is still going on."""
        return self.opened is not None and self.opened.loaded.run.status == "running"

    @property
    def saved(self) -> bool:
        """Whether this is a saved pause, which has no run."""
        return self.opened is not None and self.opened.saved

    async def show_step(self) -> None:
        """Paint the step in every panel that can be seen."""
        raise NotImplementedError

    def load(self) -> None:
        """Read the run in a thread and show it."""
        raise NotImplementedError

    def tell_problem(self, error: BaseException) -> None:
        """Show an error above the timeline, and keep the rest."""
        problem = self.query_one("#problem", Static)
        problem.update(failures.content(failures.told(error, self.app.desk.ctx.home)))
        problem.display = True

    def guard(self, panel: Widget, show: Callable[[], None]) -> None:
        """Show something in a panel; one that breaks says so, and the rest goes on."""
        try:
            show()
        except Exception as error:
            self.broken(panel, error)

    def broken(self, panel: Widget, error: Exception) -> None:
        """A panel broke: say so in its frame and above the timeline."""
        told = failures.told(error, self.app.desk.ctx.home)
        panel.border_title = Content(failures.content(told).plain.split("\n")[0])
        self.tell_problem(error)
