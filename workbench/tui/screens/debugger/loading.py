"""Reading a run: whole at first, then only what was recorded since; and its findings."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from textual import work
from textual.content import Content
from textual.widgets import Static, TabbedContent

from workbench.tui import failures
from workbench.tui.desk import AppMissing, Opened
from workbench.tui.screens.debugger import paint
from workbench.tui.screens.debugger.base import DebuggerBase
from workbench.tui.sweeping import give_back, spare
from workbench.tui.widgets.findings import FindingsPanel
from workbench.tui.widgets.graph.view import GraphView
from workbench.tui.widgets.timeline import Timeline
from workbench.views.breakpoints import Breakpoint
from workbench.views.journey import Journey
from workbench.views.secrets import mask_for

REST = 0.15
"""Seconds between two looks at a run that goes on, so that its screen is not all that is worked on."""


EVERY = 500
"""Steps of a run after which what was read of it is spared by the garbage collector."""


class Loading(DebuggerBase):
    """Reads the run in threads, one at a time, and hands what it read to the screen."""

    def __init__(self, run_id: str, step: int | None = None, app: str | None = None) -> None:
        super().__init__(run_id, step, app)
        self._reading = False
        self._read_again = False
        self._spared = 0

    def on_unmount(self) -> None:
        give_back(self)

    def _spare(self, steps: int) -> None:
        """Keep the collector off what this screen holds; it is given back when the screen is left."""
        if steps - self._spared >= EVERY:
            self._spared = steps
            spare(self)

    def load(self) -> None:
        """Read the run, or what is new in it, in a thread; asked while one reads, it reads once more."""
        if self._reading:
            self._read_again = True
            return
        self._reading, self._read_again = True, False
        self.run_worker(
            partial(self._read, self.opened, self.journey),
            thread=True,
            group="load",
            name="load",
            exit_on_error=False,
        )

    def _read(self, before: Opened | None, journey: Journey | None) -> None:
        try:
            if before is None or journey is None or before.saved:
                opened = self.app.desk.open_run(self.run_id, self.app_given)
                if isinstance(opened, AppMissing):
                    self.app.hand_over(self._ask_app, opened)
                    return
                loaded = opened.loaded
                made = Journey(loaded.graph, loaded.timeline, opened.events)
            else:
                time.sleep(REST)
                opened = self.app.desk.follow(before)
                made = journey.followed(opened.loaded.timeline, opened.events, opened.loaded.timeline.kept)
            _ = made.marks, made.taken_at, made.pause_steps
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self.app.hand_over(self._loaded, opened, made)

    def _done_reading(self) -> None:
        self._reading = False
        if self._read_again:
            self.load()

    def _failed(self, error: Exception) -> None:
        self._reading = False
        if self.opened is None:
            self.query_one("#heading", Static).update(Content("Not opened"))
        self.tell_problem(error)

    def _ask_app(self, missing: AppMissing) -> None:
        from workbench.tui.screens.pick_app import PickAppScreen

        self._reading = False
        self.query_one("#heading", Static).update(Content("This saved pause needs its app."))
        self.app.push_screen(PickAppScreen(self.run_id, missing.fitting), self._app_picked)

    def _app_picked(self, app: str | None) -> None:
        if app is None:
            self.app.pop_screen()
            return
        self.app_given = app
        self.load()

    async def _loaded(self, opened: Opened, journey: Journey) -> None:
        before, first = self.journey, self.opened is None
        steps = 0 if before is None else before.steps
        ended = first or not self.live or opened.loaded.run.status != "running"
        self.opened, self.journey = opened, journey
        self.mask = mask_for(opened.loaded.environment)
        self.query_one("#problem").display = False
        if before is None:
            self.run_id = opened.loaded.run.run_id
            self.breakpoints = self.app.breakpoints.get(opened.loaded.run.app_id, self.breakpoints)
            self.query_one(GraphView).set_graph(journey.graph)
            self.call_after_refresh(self.apply_layout)
            wanted = self._wanted if self._wanted is not None else opened.at
            if wanted is not None:
                journey.go(wanted)
            for note in opened.notes[1:]:
                self.app.tell(note, "warning")
        else:
            # The reader may have moved while the thread read.
            at_end = before.step == before.steps
            journey.go(journey.steps if self.following and at_end else before.step)
            self._stop_at_breakpoint(steps)
        self._spare(journey.steps)
        self.mark_stops()
        await self.show_step()
        if ended:
            self.load_findings()
        self._done_reading()

    def mark_stops(self) -> None:
        """Find where the breakpoints stop, and show it on the timeline."""
        if self.journey is not None:
            self.stops = self.breakpoints.stops(self.journey)
            timeline = self.query_one(Timeline)
            timeline.set_marks(self.journey.marks, self.journey.steps, frozenset(self.stops))

    def _stop_at_breakpoint(self, seen: int) -> None:
        """Stand still where a followed run came to a breakpoint; it is recorded on."""
        journey = self.journey
        if journey is None or not self.following or journey.step != journey.steps or not self.live:
            return
        hit = next(iter(self.breakpoints.stops(journey, seen + 1).items()), None)
        if hit is None:
            return
        step, point = hit
        journey.go(step)
        self.following = False
        self._tell_stop(point)

    def _tell_stop(self, point: Breakpoint) -> None:
        assert self.journey is not None
        words = point.words(paint.titles(self.journey))
        if self.app.pause_run(f"Breakpoint {words}", self.run_id):
            after = "The engine was asked to pause before its next node; space follows it there."
        else:
            after = "The run is recorded on; space follows it again."
        self.app.tell(f"Stopped {words}. {after}")

    def apply_layout(self) -> None:
        """Give the panels their room."""
        raise NotImplementedError

    async def store_changed(self) -> None:
        """The store was written to: perhaps this run."""
        if self.opened is None or self.live or self.app.playing == self.run_id:
            self.load()

    @work(exclusive=True, group="findings", thread=True, exit_on_error=False)
    def load_findings(self) -> None:
        """Diagnose the run in a thread."""
        if self.live:
            self.app.hand_over(self._show_findings, (), "The run is still going on.")
            return
        try:
            findings = self.app.desk.why(self.run_id, self.app_given).findings
        except Exception as error:
            told = failures.told(error, self.app.desk.ctx.home)
            self.app.hand_over(self._show_findings, (), f"{told.title} {told.cause}")
        else:
            note = "" if findings else "Nothing is wrong with this run."
            self.app.hand_over(self._show_findings, findings, note)

    async def _show_findings(self, findings: Any, note: str) -> None:
        if self.journey is None:
            return
        panel = self.query_one(FindingsPanel)
        try:
            await panel.show(findings, paint.titles(self.journey), note)
        except Exception as error:
            self.broken(panel, error)
            return
        bad = sum(f.severity != "info" for f in findings)
        self.query_one(TabbedContent).get_tab("findings").label = Content(f"Why ({bad})" if bad else "Why")
