"""The memory lab in the terminal."""

from workbench.tui.screens.memory.screen import MemoryScreen

__all__ = ["MemoryScreen"]
