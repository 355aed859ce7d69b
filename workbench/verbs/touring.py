"""The examples as tours: which there are, and what a step of one does on the real engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.records.tour import Tour, TourStep, read_tour
from workbench.verbs.context import Context
from workbench.verbs.results import RunResult
from workbench.verbs.story import example_file
from workbench.verbs.watch import Watcher

if TYPE_CHECKING:
    from workbench.engine.control import Control


@dataclass(frozen=True, slots=True)
class Made:
    """What a step has made.

    Attributes:
        steps: the step of the run at which it ended.
        pause: the pause that it came to.
    """

    run_id: str
    steps: int
    pause: str | None = None


def tours() -> tuple[Tour, ...]:
    """The tours that ship with the workbench: the first one first, then by title."""
    first = example_file().parent
    found = [read_tour(path.parent) for path in sorted(first.parent.glob("*/tour.yml"))]
    return tuple(sorted(found, key=lambda tour: (tour.folder != first, tour.title)))


def act(
    ctx: Context,
    tour: Tour,
    step: TourStep,
    made: dict[str, Made],
    watcher: Watcher | None = None,
    control: Control | None = None,
) -> RunResult | None:
    """Do what a step says, once: `made` gets what came of it, by its name.

    Gives None where there is nothing to do, or it was done before.
    """
    from workbench.verbs.resume import resume
    from workbench.verbs.run import run

    doing = step.run or step.resume
    if not doing or doing["as"] in made:
        return None
    script = tour.folder / "script.yml"
    if step.run:
        result = run(
            ctx,
            tour.folder / "app.yml",
            query=doing.get("query"),
            inputs=doing.get("inputs"),
            script=script if script.is_file() else None,
            kernel=doing.get("kernel"),
            watcher=watcher,
            control=control,
        )
    else:
        result = resume(
            ctx,
            str(made[doing["of"]].pause),
            action=doing.get("action"),
            node=doing.get("node"),
            fields=doing.get("fields"),
            gate=doing["gate"],
            watcher=watcher,
            control=control,
        )
    pause = None if result.pause is None else result.pause.pause_id
    made[doing["as"]] = Made(result.run_id, result.steps, pause)
    return result
