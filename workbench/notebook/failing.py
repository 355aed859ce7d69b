"""Errors of the workbench in a notebook: what, why, what to do, and the line of the cell; no traceback."""

from __future__ import annotations

import linecache
import re
from pathlib import Path
from types import TracebackType

import workbench
from workbench.errors import WorkbenchError
from workbench.views.safe import safe_line, safe_text
from workbench.views.secrets import Mask

_OPTION = re.compile(r"(?<![\w-])--(?P<name>[a-z][a-z-]*[a-z])(?: (?P<number>\d+)\b)?")
_ARGUMENTS = {"set": "values", "unset": "remove", "input": "inputs", "field": "fields", "with_forks": "forks"}
"""Arguments that are not called as their options are."""
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


def in_python(text: str) -> str:
    """A sentence of the verbs, which names options of the command line, with the arguments of the methods."""
    return _OPTION.sub(_argument, text)


def _argument(found: re.Match[str]) -> str:
    name = found["name"].replace("-", "_")
    number = found["number"] or ""
    return f"{_ARGUMENTS.get(name, name)}={number}"


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
