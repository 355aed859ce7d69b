"""The debugger: one run, step by step."""

from workbench.tui.screens.debugger.screen import DebuggerScreen

__all__ = ["DebuggerScreen"]
