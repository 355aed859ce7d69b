"""The gate view: the graph and the gate at one step."""

from __future__ import annotations

from typing import Any

from workbench.views.safe import safe_line
from workbench.widgets.given import StepLike
from workbench.widgets.run_player import Played


class GateView(Played):
    """The graph with its gate at a step; set `step` for another one."""

    def __init__(self, step: StepLike) -> None:
        super().__init__(step.run, step.step)

    def _more(self) -> dict[str, Any]:
        row = self._loaded.run
        name = safe_line(self._run.mask.text(row.app))
        return {"_view": "gate", "_title": f"{name}, run {row.run_id}"}
