"""Errors of the workbench in a notebook: what, why, what to do, and the line of the cell; no traceback."""

from __future__ import annotations

import linecache
from pathlib import Path
from types import TracebackType

import workbench
from workbench.errors import WorkbenchError
from workbench.notebook.speech import in_python
from workbench.views.safe import safe_line, safe_text
from workbench.views.secrets import Mask

_PACKAGE = str(Path(workbench.__file__).parent)


def install() -> None:
    """Teach the workbench's errors to show themselves in IPython, which asks an error for this method.

    Programs see an ordinary exception with its traceback.
    """
    WorkbenchError._render_traceback_ = shown  # type: ignore[attr-defined]


def shown(error: WorkbenchError) -> list[str]:
    """The lines that IPython prints."""
    clean = Mask().text
    lines = [f"{type(error).__name__}: {safe_text(clean(in_python(error.title)))}"]
    if error.cause:
        lines.append(f"  {safe_text(clean(in_python(error.cause)))}")
    if error.next_step:
        lines.append(f"  → {safe_text(clean(in_python(error.next_step)))}")
    where = _place(error.__traceback__)
    return [*lines, where] if where else lines


def _place(trace: TracebackType | None) -> str:
    """The last line of the user's own that led here."""
    found = ""
    while trace is not None:
        file, number = trace.tb_frame.f_code.co_filename, trace.tb_lineno
        if not file.startswith(_PACKAGE):
            line = linecache.getline(file, number).strip()
            if line:
                found = f"  line {number}: {safe_line(line, 110)}"
        elif found:
            break
        trace = trace.tb_next
    return found
