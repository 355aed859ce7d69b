"""Opens the TUI from the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workbench.verbs.context import Context


def open_tui(
    ctx: Context, *, selected: str | None = None, files: Sequence[Path] = (), app: str | None = None
) -> int:
    """Show the TUI on the store until the user leaves it; the exit code.

    Args:
        selected: the id of a run, a pause or a saved pause that is shown first.
        files: imported files, shown first.
        app: the app of a saved pause, by file or id.
    """
    from workbench.tui.app import WorkbenchApp

    tui = WorkbenchApp(ctx, selected=selected, files=files, app=app)
    tui.run()
    return tui.return_code or 0
