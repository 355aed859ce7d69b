"""The apps: imported ones and the bundled examples."""

from workbench.tui.screens.apps.screen import AppsScreen

__all__ = ["AppsScreen"]
