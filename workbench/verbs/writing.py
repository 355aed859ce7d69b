"""Files that users name to be written: whole or not at all, and nothing else is replaced by them."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from workbench.errors import UsageError, WorkbenchError


def place(output: Path, *inputs: Path | str, other: str = "Choose another -o.") -> Path:
    """Where an output is to go: through links, to a new file or over a regular one that is no input.

    Args:
        inputs: what is read; ids and files that are not there are passed over.
        other: what to do instead of writing over an input.

    Raises:
        UsageError: a folder, a device, a pipe or a socket is there, or an input.
        WorkbenchError: there is no such folder, or it can't be looked at.
    """
    try:
        to = output.resolve()
        mode = to.stat().st_mode if to.exists() else None
        folder_there = to.parent.is_dir()
    except (OSError, RuntimeError) as error:
        raise WorkbenchError(f"{output} can't be written.", _reason(error), "Choose another file.") from error
    if not folder_there:
        raise WorkbenchError(f"There is no folder {to.parent}.", "", "Make it first, or choose another file.")
    if mode is None:
        return to
    if stat.S_ISDIR(mode):
        raise UsageError(f"{output} is a folder.", "", "Name a file in it.")
    if not stat.S_ISREG(mode):
        raise UsageError(
            f"{output} is no regular file.", "It would be replaced by one.", "Name a file, or - for stdout."
        )
    if any(_same(to, each) for each in inputs):
        raise UsageError(f"{output} is the input itself.", "It is not overwritten unasked.", other)
    return to


def write_private(output: Path, data: bytes, *inputs: Path | str) -> None:
    """Write a file whole or not at all. It may hold secrets: only this user may read a new one; one that was
    there keeps its mode.

    Raises:
        UsageError, WorkbenchError: see `place`; or the system does not let it be written.
    """
    to = place(output, *inputs)
    try:
        _replace(to, data)
    except OSError as error:
        raise WorkbenchError(
            f"{output} can't be written.", _reason(error), "Choose another file, or make room there."
        ) from error


def _replace(to: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=to.parent, prefix=".workbench-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if to.exists():
                os.fchmod(file.fileno(), stat.S_IMODE(to.stat().st_mode))
        Path(name).replace(to)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _same(to: Path, given: Path | str) -> bool:
    try:
        return to.samefile(given)
    except (OSError, ValueError):
        return False


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)
