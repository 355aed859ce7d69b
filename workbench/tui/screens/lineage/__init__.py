"""The family tree of runs."""

from workbench.tui.screens.lineage.screen import LineageScreen

__all__ = ["LineageScreen"]
