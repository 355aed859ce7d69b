"""Changes a saved pause: all of it as a tree, edits as a list, checked by the engine's own rules."""

from workbench.tui.screens.editor.screen import EditorScreen

__all__ = ["EditorScreen"]
