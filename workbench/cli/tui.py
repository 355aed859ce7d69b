"""Opens the TUI from the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workbench.verbs.context import Context


def open_tui(ctx: Context, *, selected: str | None = None, files: Sequence[Path] = ()) -> int:
    """Show the TUI on the store until the user leaves it; the exit code.

    Args:
        selected: the id of a run or pause that is shown first.
        files: imported files, shown first.
    """
    from workbench.tui.app import WorkbenchApp

    app = WorkbenchApp(ctx, selected=selected, files=files)
    app.run()
    return app.return_code or 0
