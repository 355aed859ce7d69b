"""The workbench in Python and notebooks: `from workbench import Workbench` (docs/python.md)."""

from __future__ import annotations

from workbench.notebook.app import App
from workbench.notebook.bench import Workbench
from workbench.notebook.differences import Differences
from workbench.notebook.findings import Findings
from workbench.notebook.fixed import Fixed
from workbench.notebook.gates import Gate
from workbench.notebook.healed import Healed
from workbench.notebook.listing import Imported, OnAllKernels, Runs
from workbench.notebook.pause import Pause
from workbench.notebook.playing import Playing
from workbench.notebook.run import Run
from workbench.notebook.saved import Exported, Saved
from workbench.notebook.steps import Step, Steps
from workbench.notebook.tables import Column, Table

__all__ = [
    "App",
    "Column",
    "Differences",
    "Exported",
    "Findings",
    "Fixed",
    "Gate",
    "Healed",
    "Imported",
    "OnAllKernels",
    "Pause",
    "Playing",
    "Run",
    "Runs",
    "Saved",
    "Step",
    "Steps",
    "Table",
    "Workbench",
]
