"""Opens the TUI from the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workbench.verbs.context import Context

SERVED = "TEXTUAL_DRIVER"
"""An environment variable that tells where Textual paints; textual-serve sets it for a page's TUI."""


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


def serve_tui(ctx: Context, port: int | None) -> int:
    """Serve the TUI to browsers of this machine until Ctrl-C; the exit code."""
    from workbench.cli.output import tell
    from workbench.tui.web import serve

    serve(ctx.store_file, port, lambda address: tell(f"open      {address}\nCtrl-C ends it."))
    return 0
