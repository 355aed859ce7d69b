"""The widgets: a run to play, a gate, a form, a saved pause to edit, two sides compared, the store's runs,
findings.

Each function takes an object of the Python API (duck-typed: `workbench.widgets.given`) and gives a widget for
JupyterLab, Notebook 7, VS Code or any other host of anywidget. They need the extra `notebook`.

What goes over the wire is bounded: a widget's traits hold the picture and one character an event; everything
that belongs to a step is asked for by its number when it is shown (`workbench.widgets.wire`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.widgets.gate_view import GateView
    from workbench.widgets.given import RunLike, StepLike
    from workbench.widgets.run_player import RunPlayer

__all__ = ["gate", "player"]


def player(run: RunLike, step: int | None = None) -> RunPlayer:
    """A run under a slider: graph, gate, stream, timeline. Without `step` it stands at the end."""
    from workbench.widgets.run_player import RunPlayer

    return RunPlayer(run, step)


def gate(step: StepLike) -> GateView:
    """The graph with its gate at one step."""
    from workbench.widgets.gate_view import GateView

    return GateView(step)
