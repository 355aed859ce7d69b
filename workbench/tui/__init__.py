"""The terminal user interface.

`open_workbench` is the way in; the TUI's modules, and Textual with them, are imported when it is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.verbs.context import Context


def open_workbench(
    ctx: Context, *, files: Sequence[Path | str] = (), selected: str | None = None, app: str | None = None
) -> int:
    """Show the TUI on the store until the user leaves it; the exit code.

    Args:
        files: imported first; the last one that can be shown is shown.
        selected: the id of a run, pause or saved pause that is shown first.
        app: the app of a saved pause, by file or id.
    """
    from workbench.tui.app import WorkbenchApp

    tui = WorkbenchApp(ctx, files=files, selected=selected, app=app)
    tui.run()
    return tui.return_code or 0
