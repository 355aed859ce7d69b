"""The widgets: a run to play, a gate, a form, a saved pause to edit, two sides compared, the store's runs,
findings, a node's memory.

Each function takes an object of the Python API (duck-typed: `workbench.widgets.given`) and gives a widget for
JupyterLab, Notebook 7, VS Code or any other host of anywidget. They need the extra `notebook`.

What goes over the wire is bounded: a widget's traits hold the picture and one character an event; everything
that belongs to a step is asked for by its number when it is shown (`workbench.widgets.wire`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.widgets.comparing import Compare
    from workbench.widgets.findings_list import FindingsList
    from workbench.widgets.gate_view import GateView
    from workbench.widgets.given import (
        BenchLike,
        DifferencesLike,
        FindingsLike,
        MemoryLike,
        PauseLike,
        RunLike,
        StepLike,
    )
    from workbench.widgets.memory_lab import MemoryLab
    from workbench.widgets.pause_form import PauseForm
    from workbench.widgets.run_player import RunPlayer
    from workbench.widgets.runs_browser import RunsBrowser
    from workbench.widgets.state_editor import StateEditor

__all__ = ["browse", "compare", "editor", "findings", "form", "gate", "memory", "player"]


def player(run: RunLike, step: int | None = None) -> RunPlayer:
    """A run under a slider: graph, gate, stream, timeline. Without `step` it stands at the end."""
    from workbench.widgets.run_player import RunPlayer

    return RunPlayer(run, step)


def gate(step: StepLike) -> GateView:
    """The graph with its gate at one step."""
    from workbench.widgets.gate_view import GateView

    return GateView(step)


def form(pause: PauseLike) -> PauseForm:
    """The form of a pause, to resume it."""
    from workbench.widgets.pause_form import PauseForm

    return PauseForm(pause)


def editor(saved: PauseLike) -> StateEditor:
    """A saved pause as a tree to edit; the original stays as it was."""
    from workbench.widgets.state_editor import StateEditor

    return StateEditor(saved)


def compare(differences: DifferencesLike) -> Compare:
    """Two sides, aligned fact by fact."""
    from workbench.widgets.comparing import Compare

    return Compare(differences)


def browse(bench: BenchLike) -> RunsBrowser:
    """The runs of the store, live."""
    from workbench.widgets.runs_browser import RunsBrowser

    return RunsBrowser(bench)


def findings(findings: FindingsLike) -> FindingsList:
    """Findings with their evidence."""
    from workbench.widgets.findings_list import FindingsList

    return FindingsList(findings)


def memory(memory: MemoryLike) -> MemoryLab:
    """What a node remembers, under sliders."""
    from workbench.widgets.memory_lab import MemoryLab

    return MemoryLab(memory)
