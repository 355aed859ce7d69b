"""The list of tours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from workbench.tui import failures
from workbench.tui.screens.tour.guide import Guide
from workbench.tui.text import fit, plain
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.lines import Cell, LineView

if TYPE_CHECKING:
    from workbench.records.tour import Tour
    from workbench.tui.app import WorkbenchApp


class TourScreen(Screen[None]):
    """What the examples teach; enter begins one."""

    app: WorkbenchApp
    CSS_PATH = "tour.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "begin", "Begin", id="tour.begin"),
        Binding("q,escape", "leave", "Back", key_display="q", id="tour.close"),
    ]
    HELP = """
    Each tour runs a bundled example on the real engine and leads through it: what to look at, why, and
    a question to answer before you go on. Its runs stay in the list of runs.

    enter s      begin the tour
    In a tour:   s next      S back      a the answer      D skip the question      Z leave
    All keys of the screen that is shown work, too.
    """

    def __init__(self) -> None:
        super().__init__()
        self._guides: dict[str, Guide] = {}

    def compose(self) -> ComposeResult:
        yield Static(Content("Examples: a guided tour"), id="tour-name")
        yield LineView["Tour"](self._draw, empty="Reading the tours …", id="tour-list")
        with VerticalScroll(id="tour-about"):
            yield Static(id="tour-text")
        yield Static(id="tour-problem")
        yield KeyBar()

    def _draw(self, tour: Tour, width: int) -> Sequence[Cell]:
        guide = self._guides.get(tour.name)
        done = "" if guide is None else f"{guide.at + 1}/"
        words = f"{done}{len(tour.steps)} steps"
        return [(fit(tour.title, max(10, width - 14)), ""), (f"{words:>13}", "dim")]

    def on_mount(self) -> None:
        self.query_one("#tour-problem").display = False
        self.query_one("#tour-list").focus()
        self._read()

    def on_screen_resume(self) -> None:
        self.query_one("#tour-list").refresh()
        self.query_one("#tour-problem").display = False

    @work(thread=True, group="tours", exit_on_error=False)
    def _read(self) -> None:
        from workbench.verbs.touring import tours

        try:
            found = tours()
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self.app.hand_over(self._show, found)

    def _show(self, found: Sequence[Tour]) -> None:
        self.query_one("#tour-list", LineView).set_rows(found, 0)
        self._tell()

    def _failed(self, error: Exception) -> None:
        problem = self.query_one("#tour-problem", Static)
        problem.update(failures.content(failures.told(error, self.app.desk.ctx.home)))
        problem.display = True

    @on(LineView.Moved)
    def _tell(self) -> None:
        tour = self.query_one("#tour-list", LineView).row
        if tour is not None:
            self.query_one("#tour-text", Static).update(plain(" ".join(tour.about.split()), 2_000))

    @on(LineView.Chosen)
    def action_begin(self) -> None:
        """Begin the tour, or go on where it was left."""
        from workbench.tui.screens.tour import going

        tour: Tour | None = self.query_one("#tour-list", LineView).row
        if tour is None:
            return
        guide = self._guides.setdefault(tour.name, Guide(tour))
        if guide.at == len(tour.steps) - 1:
            guide = self._guides[tour.name] = Guide(tour)
        problem = self.query_one("#tour-problem", Static)
        problem.update(plain(going.WORKING, 200))
        problem.display = True
        going.perform(self.app, guide, guide.at)

    def action_leave(self) -> None:
        """Back."""
        self.app.pop_screen()
