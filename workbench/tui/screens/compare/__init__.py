"""Two runs, steps, saved states or apps side by side."""

from workbench.tui.screens.compare.screen import CompareScreen

__all__ = ["CompareScreen"]
