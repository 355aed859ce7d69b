"""The debugger with a guide below: each step says what to look at, asks first, and does what it shows."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static, TabbedContent

from workbench.tui.screens.debugger import DebuggerScreen
from workbench.tui.screens.debugger import keys as debugger_keys
from workbench.tui.text import block, one_line
from workbench.tui.widgets.gate import GatePanel
from workbench.tui.widgets.graph.view import GraphView
from workbench.tui.widgets.timeline import Timeline
from workbench.verbs.tour import Progress, Tour, play_step
from workbench.views.journey import Journey


class GuideScreen(DebuggerScreen):
    """A tour, from its first step on.

    Args:
        progress: after the first step was done.
    """

    CSS_PATH = ["../debugger/debugger.tcss", "guide.tcss"]  # type: ignore[assignment]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("backslash", "guide(1)", "Tour: next", key_display="\\", id="tour.next"),
        Binding("backspace", "guide(-1)", "Tour: back", show=False, id="tour.back"),
    ]
    HELP = f"""
    A guided tour: the strip below says what to look at. All keys of the debugger work as well.

    \\            next step, or the answer to a question
    backspace    the step before
    q            leave the tour
    {debugger_keys.HELP}"""

    def __init__(self, tour: Tour, progress: Progress) -> None:
        super().__init__(progress.run_id or "")
        self.tour = tour
        self.number = 0
        self.asked = bool(tour.steps[0].ask)
        self.done: list[Progress] = [progress]

    def compose(self) -> ComposeResult:
        with Vertical(id="guide"):
            yield Static(id="guide-text")
            with Horizontal(id="guide-buttons"):
                yield Button("Next", variant="primary", id="guide-next", compact=True)
                yield Button("Back", id="guide-back", compact=True)
                yield Button("Leave", id="guide-leave", compact=True)
        yield from super().compose()

    def on_mount(self) -> None:
        super().on_mount()
        self._tell()

    # the guide's words -----------------------------------------------------------------

    def _tell(self, working: bool = False) -> None:
        step = self.tour.steps[self.number]
        head = f"{self.tour.title}  {self.number + 1}/{len(self.tour.steps)}  {step.title}"
        words = step.ask if self.asked else f"{step.answer} {step.say}".strip()
        hint = "Think, then go on for the answer." if self.asked else ""
        self.query_one("#guide-text", Static).update(
            Content.assemble(
                (one_line(head), "bold $text-accent"),
                "\n",
                block("The engine runs …" if working else words),
                (f"\n{hint}" if hint else "", "italic $text-muted"),
            )
        )
        last = self.number == len(self.tour.steps) - 1 and not self.asked
        self.query_one("#guide-next", Button).label = "Done" if last else "Answer" if self.asked else "Next"
        self.query_one("#guide-back", Button).disabled = self.number == 0

    async def _loaded(self, opened: Any, journey: Journey, *more: Any) -> None:
        await super()._loaded(opened, journey, *more)
        await self._stand()

    async def _stand(self) -> None:
        """Go where the step looks."""
        step, journey = self.tour.steps[self.number], self.journey
        if journey is None or self.asked:
            return
        pauses = [at for at in journey.pause_steps if at <= journey.steps]
        place = {"start": 0, "end": journey.steps, "pause": pauses[-1] if pauses else journey.steps}[step.at]
        journey.go(place)
        await self.show_step()
        focus: dict[str, type[Any]] = {"graph": GraphView, "gate": GatePanel, "timeline": Timeline}
        if step.panel in focus:
            self.query_one(focus[step.panel]).focus()
        else:
            self.query_one(TabbedContent).active = step.panel
            await self.show_tab()

    # moving ------------------------------------------------------------------------------

    async def action_guide(self, by: int) -> None:
        """The next step of the tour, or the one before."""
        if by < 0:
            await self._to(self.number - 1)
        elif self.asked:
            await self._answer()
        elif self.number < len(self.tour.steps) - 1:
            await self._to(self.number + 1)
        else:
            self.app.pop_screen()

    async def _to(self, number: int) -> None:
        if not 0 <= number < len(self.tour.steps):
            return
        self.number = number
        seen = number < len(self.done)
        self.asked = bool(self.tour.steps[number].ask) and not seen
        self._tell()
        if seen:
            await self._look(self.done[number])
        elif not self.asked:
            await self._answer()

    async def _answer(self) -> None:
        """Do what the step does, then look at it."""
        self.asked = False
        if self.number < len(self.done):
            self._tell()
            await self._look(self.done[self.number])
            return
        self._tell(working=True)
        self.query_one("#guide-next", Button).disabled = True
        self.run_worker(
            partial(self._work, self.number, self.done[-1]), thread=True, group="tour", exit_on_error=False
        )

    def _work(self, number: int, before: Progress) -> None:
        try:
            after = play_step(self.app.desk.ctx, self.tour, number, before)
        except Exception as error:
            self.app.hand_over(self._not_played, error)
        else:
            self.app.hand_over(self._played, number, after)

    def _not_played(self, error: Exception) -> None:
        self.query_one("#guide-next", Button).disabled = False
        self.tell_problem(error)

    async def _played(self, number: int, after: Progress) -> None:
        self.done.append(after)
        self.query_one("#guide-next", Button).disabled = False
        if number == self.number:
            self._tell()
            await self._look(after)

    async def _look(self, progress: Progress) -> None:
        """Show the run of a step; one that is shown already is only gone through."""
        if progress.run_id == self.run_id and self.opened is not None and self._same_length():
            await self._stand()
            return
        self.run_id, self.opened = progress.run_id or "", None
        self.load()

    def _same_length(self) -> bool:
        assert self.opened is not None
        return self.app.desk.open_run(self.run_id, None).loaded.run.steps == self.opened.loaded.run.steps  # type: ignore[union-attr]

    @on(Button.Pressed, "#guide-next")
    async def _next(self) -> None:
        await self.action_guide(1)

    @on(Button.Pressed, "#guide-back")
    async def _back(self) -> None:
        await self.action_guide(-1)

    @on(Button.Pressed, "#guide-leave")
    def _leave(self) -> None:
        self.app.pop_screen()
