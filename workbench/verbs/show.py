"""`show`: a run at one step, with everything that was true there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.core.graph import Graph
from workbench.errors import UsageError
from workbench.verbs.context import Context
from workbench.verbs.inspect import load_run

if TYPE_CHECKING:
    from workbench.core.state import State
    from workbench.records.app import App
    from workbench.store.rows import RunDetail


@dataclass(frozen=True)
class Shown:
    """A run at a step."""

    run: RunDetail
    app: App
    graph: Graph
    state: State
    steps: int


def show(ctx: Context, run: str, step: int | None = None) -> Shown:
    """A run at `step`; None is its last one, 0 is before the first event. A pause's id means the step it
    paused at.

    Raises:
        UsageError: the run has no such step.
        NotFoundError: no run goes by that id.
    """
    loaded = load_run(ctx, run)
    steps = loaded.timeline.steps
    wanted = steps if step is None else step
    if not 0 <= wanted <= steps:
        raise UsageError(
            f"Run {loaded.run.run_id} has no step {wanted}.",
            f"Its steps are 0 (before the first event) to {steps}.",
            f"For example: --step {steps}",
        )
    return Shown(loaded.run, loaded.app, loaded.graph, loaded.timeline.at(wanted), steps)
