"""A run that this TUI started: worked on in a thread, told to the screens by messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.message import Message

from workbench.tui.failures import told
from workbench.verbs.watch import Began, Watcher

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.engine.control import Control
    from workbench.errors import WorkbenchError
    from workbench.verbs.results import RunResult
    from workbench.views.breakpoints import Breakpoints


class RunBegan(Message):
    """A run that was started here is recorded and begins."""

    def __init__(self, run_id: str, resumed: bool) -> None:
        super().__init__()
        self.run_id, self.resumed = run_id, resumed


class RunNote(Message):
    """Something the user should know while a run is prepared or goes on."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class RunEnded(Message):
    """A run that was started here has ended or paused, or could not be started."""

    def __init__(self, result: RunResult | None, error: WorkbenchError | None) -> None:
        super().__init__()
        self.result, self.error = result, error


class Teller(Watcher):
    """Tells an app what its run does, and has the engine pause at breakpoints that one event shows.

    Args:
        watching: gives the breakpoints as they are now.
    """

    def __init__(
        self,
        app: App[None],
        control: Control | None = None,
        watching: Callable[[], Breakpoints] | None = None,
    ) -> None:
        self._app, self._control, self._watching = app, control, watching

    def began(self, began: Began) -> None:
        self._app.post_message(RunBegan(began.run_id, began.resumed))

    def event(self, step: int, at: float, event: Mapping[str, Any]) -> None:
        point = None if self._watching is None else self._watching().hit_by(event)
        if point is not None and self._control is not None:
            # The engine looks for this between nodes: it holds the next one.
            self._control.pause(f"Breakpoint {point.words({})}.")

    def note(self, text: str) -> None:
        self._app.post_message(RunNote(text))


def play(
    app: App[None],
    home: Path,
    work: Callable[[Watcher, Control], RunResult],
    control: Control,
    watching: Callable[[], Breakpoints] | None = None,
) -> None:
    """Do the work of a run in this thread and tell its end."""
    try:
        result = work(Teller(app, control, watching), control)
    except Exception as error:
        app.post_message(RunEnded(None, told(error, home)))
    else:
        app.post_message(RunEnded(result, None))
