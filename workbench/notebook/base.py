"""What all verbs of the Python API share: the store, the mask, and what an argument stands for."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from workbench.notebook.app import App
from workbench.notebook.pause import Pause
from workbench.notebook.playing import Play, Playing
from workbench.notebook.run import Run
from workbench.notebook.saved import Saved
from workbench.notebook.steps import Step
from workbench.verbs.context import Context
from workbench.verbs.results import RunResult

if TYPE_CHECKING:
    from workbench.notebook.bench import Workbench

Target = Run | Pause | Saved | App | Path | str
"""What verbs take: an object of this package, an id or its beginning, or a file."""


@dataclass(frozen=True, repr=False)
class Bench:
    """A store, shared with the TUI and the command line.

    Attributes:
        ctx: what the verbs need to know.
        unmask: whether environment variables, tokens and keys are shown.
        progress: whether progress bars are shown; None shows them where somebody looks.
    """

    ctx: Context = field(repr=False)
    unmask: bool = False
    progress: bool | None = None

    @property
    def bench(self) -> Workbench:
        """This, as the objects carry it."""
        return cast("Workbench", self)

    @property
    def store(self) -> Path:
        """The store's file."""
        return self.ctx.store_file

    @property
    def kernel(self) -> str:
        """The engine kernel of new runs."""
        return self.ctx.kernel

    def target(self, what: Target) -> Path | str:
        """The id or file that stands for an object."""
        if isinstance(what, Saved):
            return what.target
        return what if isinstance(what, Path | str) else what.id

    def app_target(self, app: Target | None) -> Path | str | None:
        """The same for an argument `app`."""
        return None if app is None else self.target(app)

    def run_made(self, made: RunResult) -> Run:
        """The run that a verb made, with what the verb had to say."""
        return Run(self.bench, made.run_id, made.notes)

    def playable(self, app: Target) -> Any:
        """What the verb `run` takes for an app."""
        return app.record if isinstance(app, App) else self.target(app)

    def side(self, what: Target | Step) -> str:
        """What the verb `diff` takes."""
        if isinstance(what, Step):
            return f"{what.run.id}@{what.step}"
        if isinstance(what, Run) and what.outdated:
            return f"{what.id}@{what.loaded.timeline.steps}"
        return str(self.target(what))

    def play(self, work: Play) -> Playing:
        """Begin a run in its own thread."""
        return Playing(self.bench, work)


def own_app(target: object) -> Target | None:
    """The app that a saved pause was given."""
    return target.app if isinstance(target, Saved) else None
