"""The ways from the debugger to other screens; where there is none now, it says why and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.tui.screens.debugger import paint
from workbench.tui.screens.debugger.panels import Panels

if TYPE_CHECKING:
    from workbench.store.rows import PauseRow


class Ways(Panels):
    """Edit, fork, heal, compare, lineage, run again."""

    def _pause(self) -> PauseRow | None:
        """The pause at this step, else the run's last one."""
        if self.opened is None or self.journey is None:
            return None
        pauses, step = self.opened.pauses, self.journey.step
        return next((p for p in pauses if p.step == step), pauses[-1] if pauses else None)

    def _pause_for(self, what: str) -> PauseRow | None:
        if self.opened is None:
            return None
        if self.live:
            self.app.tell(f"The run is going on: there is no pause to {what} yet.", "warning")
            return None
        pause = self._pause()
        if pause is None and self.saved:
            self.app.tell(f"A gate state alone can't be {what}ed: the runtime state is missing.", "warning")
        elif pause is None:
            self.app.tell(
                f"This run never paused: there is no saved state to {what}. F forks it at any step.",
                "warning",
            )
        return pause

    def action_edit(self) -> None:
        """Edit the pause at this step, else the last one."""
        pause = self._pause_for("edit")
        if pause is None:
            return

        def edited(file_id: Any) -> None:
            if isinstance(file_id, str):
                self.app.open_run(file_id, app=self.app_given)

        self.app.open_editor(pause.pause_id, self.app_given, edited)

    def action_fork(self) -> None:
        """Go on from this step as a new run."""
        if self.opened is None or self.journey is None:
            return
        if self.saved:
            self.app.tell("A saved pause has no run to fork: r resumes it as a new run, e edits it first.")
            return
        if self.live:
            self.app.tell("The run is going on; it can be forked when it pauses or ends.", "warning")
            return
        from workbench.tui.screens.fork import ForkScreen

        self.app.push_screen(ForkScreen(self.opened, self.journey, self.mask, self.held()))

    def action_heal(self) -> None:
        """Give the pause a gate that streams what is still owed."""
        pause = self._pause_for("heal")
        if pause is None or self.opened is None:
            return
        from workbench.tui.screens.heal import HealScreen

        self.app.push_screen(
            HealScreen(pause.pause_id, self.app_given, saved=self.saved, mask=self.mask), self._healed
        )

    async def _healed(self, kept: Any) -> None:
        """`kept`: the id of the healed file, "resume" to resume this pause healed, or None."""
        if kept == "resume":
            await self.action_tab("resume")
            self.call_after_refresh(self._choose_healed)
        elif isinstance(kept, tuple):
            self.app.open_run(kept[0], app=kept[1])

    def _choose_healed(self) -> None:
        from workbench.tui.widgets.resume import ResumePanel

        self.query_one(ResumePanel).choose_gate("healed")

    def action_compare(self) -> None:
        """Compare this step with another run, step or saved state."""
        if self.opened is None or self.journey is None:
            return
        from workbench.tui.screens.pick import PickScreen

        here = self.run_id if self.saved else f"{self.run_id}@{self.journey.step}"
        origin = self.opened.loaded.run.forked_from
        first = str(origin["run_id"]) if origin else None

        def picked(other: str | None) -> None:
            if other:
                self.app.open_compare(other, here, self.app_given)

        self.app.push_screen(PickScreen(f"Compare {here[:24]} with", self.run_id, first), picked)

    def action_lineage(self) -> None:
        """The family of this run."""
        self.app.open_lineage(None if self.saved else self.run_id)

    def action_memory(self) -> None:
        """What the nodes of this run's app remember of its conversation."""
        if self.saved or self.opened is None:
            self.app.tell("A saved pause holds no conversation; open a run of it, or a file of message rows.")
        else:
            self.app.open_memory(self.run_id, self.opened.loaded.run.app_id)

    def action_run_again(self) -> None:
        """Start another run of the same app."""
        if self.opened is not None:
            app_id = self.opened.loaded.run.app_id or self.app_given
            self.app.start_form(app_id, frozenset(self.held()))

    def titles(self) -> dict[str, str]:
        """Titles of the nodes."""
        return {} if self.journey is None else paint.titles(self.journey)
