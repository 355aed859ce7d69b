"""From step to step: the engine runs in a thread, then the real screen that the step is about is shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from textual.widgets import TabbedContent

from workbench.tui.screens import compare as compare_package
from workbench.tui.screens import debugger as debugger_package
from workbench.tui.screens.compare import CompareScreen
from workbench.tui.screens.debugger import DebuggerScreen
from workbench.tui.screens.tour.guide import Guide, Guided, GuideStrip
from workbench.tui.widgets.graph.view import GraphView

if TYPE_CHECKING:
    from workbench.records.tour import Place
    from workbench.tui.app import WorkbenchApp

WORKING = "Running on the real engine … (the first time, its kernel is set up)"


class TourDebugger(Guided, DebuggerScreen):
    """The debugger, on the place that a step is about."""

    CSS_PATH = str(Path(debugger_package.__file__).with_name("debugger.tcss"))

    def __init__(self, guide: Guide, place: Place) -> None:
        self.guide, self.place = guide, place
        made = guide.made[place.of]
        super().__init__(made.run_id, made.steps if place.step is None else place.step)
        self._placed = False

    async def show_step(self) -> None:
        """Paint; the first time, go to the panel."""
        await super().show_step()
        if self.journey is not None and not self._placed:
            self._placed = True
            await self._enter()

    async def _enter(self) -> None:
        graph = self.query_one(GraphView)
        if self.place.node:
            graph.selected = self.place.node
        panel = self.place.panel or "graph"
        if panel in ("graph", "gate", "timeline"):
            self.query_one(f"#{panel}").focus()
        else:
            self.query_one(TabbedContent).active = panel
            await self.action_tab(panel)


class TourCompare(Guided, CompareScreen):
    """The comparison that a step is about."""

    CSS_PATH = str(Path(compare_package.__file__).with_name("compare.tcss"))

    def __init__(self, guide: Guide, before: str, after: str) -> None:
        self.guide = guide
        super().__init__(before, after)


def place_of(guide: Guide) -> Place | tuple[str, str]:
    """What the step shows; one that only says something stays where the one before was."""
    from workbench.records.tour import Place

    for step in reversed(guide.tour.steps[: guide.at + 1]):
        if step.compare is not None:
            return step.compare
        if step.show is not None:
            return step.show
        if step.run or step.resume:
            return Place(str((step.run or step.resume)["as"]))
    raise ValueError(f"{guide.tour.name}: the first step shows nothing")


def screen_of(guide: Guide) -> Guided:
    """The real screen of the step."""
    place = place_of(guide)
    if isinstance(place, tuple):
        before, after = (f"{guide.made[name].run_id}@{guide.made[name].steps}" for name in place)
        return TourCompare(guide, before, after)
    return TourDebugger(guide, place)


def leave(app: WorkbenchApp, guide: Guide) -> None:
    """Close the screens of the tour."""
    if isinstance(app.screen, Guided):
        app.pop_screen()


def go(app: WorkbenchApp, guide: Guide, by: int) -> None:
    """To another step. What it does is done once; stepping back and forth shows it again."""
    to = guide.at + by
    if to < 0:
        return
    if to >= len(guide.tour.steps):
        app.tell(f"That was the tour “{guide.tour.title}”. Its runs stay in the list of runs.")
        leave(app, guide)
        return
    strip = app.screen.query_one(GuideStrip)
    strip.paint(WORKING if (guide.tour.steps[to].run or guide.tour.steps[to].resume) else "…")
    perform(app, guide, to)


def perform(app: WorkbenchApp, guide: Guide, to: int) -> None:
    """Do a step in a thread, then show it."""
    started = app.screen

    def work() -> None:
        from workbench.verbs.touring import act

        try:
            act(app.desk.ctx, guide.tour, guide.tour.steps[to], guide.made)
        except Exception as error:
            app.hand_over(failed, error)
        else:
            app.hand_over(shown)

    def failed(error: Exception) -> None:
        for strip in started.query(GuideStrip):
            strip.paint()
        app.tell_error(error)

    async def shown() -> None:
        if app.screen is not started:
            return  # The tour was left meanwhile.
        guide.at = to
        if isinstance(started, Guided):
            await app.switch_screen(screen_of(guide))
        else:
            await app.push_screen(screen_of(guide))

    app.run_worker(work, thread=True, group="tour", exclusive=True, exit_on_error=False)
