"""Opens the TUI from the command line."""

from __future__ import annotations

from workbench.verbs.context import Context


def open_tui(ctx: Context, selected: str | None = None) -> int:
    """Show the TUI on the store until the user leaves it; the exit code.

    Args:
        selected: the id of a run or file that is shown first.
    """
    from workbench.tui.app import WorkbenchApp

    WorkbenchApp(ctx, selected).run()
    return 0
