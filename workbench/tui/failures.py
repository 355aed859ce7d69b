"""An error as a user reads it; what is no error of the user's goes to a log with its traceback."""

from __future__ import annotations

import time
import traceback
from pathlib import Path

from textual.content import Content

from workbench.errors import WorkbenchError
from workbench.tui.text import block, one_line

LOG = "tui-errors.log"


def told(error: BaseException, home: Path) -> WorkbenchError:
    """The error with title, cause and next step; the traceback of an unexpected one is kept in a file."""
    if isinstance(error, WorkbenchError):
        return error
    path = home / LOG
    try:
        with path.open("a", encoding="utf-8", errors="backslashreplace") as log:
            log.write(time.strftime("%Y-%m-%d %H:%M:%S\n"))
            log.writelines(traceback.format_exception(error))
            log.write("\n")
        kept = f"The details are in {path}."
    except OSError:
        kept = "The details could not be written down."
    return WorkbenchError("Something in the workbench broke.", f"{type(error).__name__}: {error}", kept)


def content(error: WorkbenchError) -> Content:
    """The error in three parts, never parsed as markup."""
    parts: list[tuple[str, str] | str] = [
        ("✗ ", "bold $text-error"),
        (one_line(error.title), "bold $text-error"),
    ]
    if error.cause:
        parts.append(f"\n{block(error.cause, 4000)}")
    if error.next_step:
        parts.append((f"\n→ {block(error.next_step, 2000)}", "$text-muted"))
    return Content.assemble(*parts)
