"""Which tour: each is a small app on the real engine, with a question before each answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Static

from workbench.tui import failures
from workbench.tui.text import clip, fit
from workbench.tui.widgets.lines import Cell, LineView
from workbench.verbs.tour import Progress, Tour, play_step, tours

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp


def _draw(tour: Tour, width: int) -> Sequence[Cell]:
    return [
        (fit(tour.title, 26), "name"),
        (f"{len(tour.steps)} steps  ", "dim"),
        (clip(tour.about, max(10, width - 36)), ""),
    ]


class TourScreen(Screen[None]):
    """The tours."""

    app: WorkbenchApp
    CSS_PATH = "tour.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape", "leave", "Back", key_display="q", id="tour.leave"),
    ]
    HELP = """
    Guided tours through small apps. Each runs on the real engine and opens the debugger, with a strip that
    says what to look at; questions come before their answers.

    j k          move                   enter, click   begin
    """

    def compose(self) -> ComposeResult:
        yield Static(Content("Tours: what a pause does to an Answer"), id="tour-name")
        yield LineView[Tour](_draw, empty="Reading the tours …", id="tour-list")
        yield Static(id="tour-problem")
        yield Footer()

    def on_mount(self) -> None:
        self.query_one("#tour-problem").display = False
        self.query_one(LineView).focus()
        self._read()
        # Tests wait for a watching worker on every screen.
        self.run_worker(self._idle(), name="watch")

    async def _idle(self) -> None:
        return None

    @work(thread=True, group="tours", exit_on_error=False)
    def _read(self) -> None:
        try:
            found = tours()
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self.app.hand_over(self._show, found)

    def _show(self, found: Sequence[Tour]) -> None:
        self.query_one(LineView).set_rows(found)

    def _failed(self, error: Exception) -> None:
        problem = self.query_one("#tour-problem", Static)
        problem.update(failures.content(failures.told(error, self.app.desk.ctx.home)))
        problem.display = True

    @on(LineView.Chosen)
    def _chosen(self, event: LineView.Chosen) -> None:
        tour: Tour = event.view.rows[event.index]
        problem = self.query_one("#tour-problem", Static)
        problem.update(Content("The engine runs …"))
        problem.display = True
        self.run_worker(partial(self._begin, tour), thread=True, group="begin", exit_on_error=False)

    def _begin(self, tour: Tour) -> None:
        try:
            first = play_step(self.app.desk.ctx, tour, 0, Progress())
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self.app.hand_over(self._open, tour, first)

    def _open(self, tour: Tour, first: Progress) -> None:
        from workbench.tui.screens.tour.guide import GuideScreen

        self.query_one("#tour-problem").display = False
        self.app.push_screen(GuideScreen(tour, first))

    def action_leave(self) -> None:
        """Back to the screen below."""
        self.app.pop_screen()
