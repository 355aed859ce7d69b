"""The script editor."""

from workbench.tui.screens.script.screen import ScriptScreen

__all__ = ["ScriptScreen"]
