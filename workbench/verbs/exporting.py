"""`export`: saved states and imported files as they are, byte for byte."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from workbench.errors import UsageError, WorkbenchError
from workbench.verbs.context import Context
from workbench.verbs.names import one_of
from workbench.verbs.pauses import PauseSource, pause_source
from workbench.verbs.results import Exported
from workbench.verbs.saved import open_saved
from workbench.verbs.target import FileTarget, find

FORMATS = ("runtime-state", "stream-filter", "dify", "original")
STDOUT = "-"


def export_bytes(ctx: Context, target: Path | str, form: str | None = None) -> tuple[bytes, str]:
    """What `export` writes, and its format.

    Args:
        form: "runtime-state" or "stream-filter" of a pause; "dify" for an imported saved pause; "original"
            for an
            imported file or app. None takes "original" for what was imported and "runtime-state" for a run.

    Raises:
        UsageError: that target has no such format.
        WorkbenchError: the pause holds no gate.
    """
    if form is not None:
        one_of(form, FORMATS, "export format")
    found = find(ctx, target)
    if isinstance(found, FileTarget):
        return _of_file(found, form)
    if found.kind == "app":
        if form not in (None, "original"):
            raise _no_such(str(target), "an app", form, "original")
        return ctx.store.app_bytes(found.id), "original"
    return _of_pause(pause_source(ctx, target), form or "runtime-state")


def export(ctx: Context, target: Path | str, output: Path, form: str | None = None) -> Exported:
    """Write an export to a file, whole or not at all; only this user may read it (it may hold secrets)."""
    data, chosen = export_bytes(ctx, target, form)
    write_private(output, data)
    return Exported(str(output), chosen, len(data), True)


def write_private(output: Path, data: bytes) -> None:
    """Write a file whole or not at all, readable by this user only (it may hold secrets).

    Raises:
        WorkbenchError: there is no such folder.
    """
    folder = output.absolute().parent
    if not folder.is_dir():
        raise WorkbenchError(f"There is no folder {folder}.", "", "Make it first, or choose another -o.")
    handle, name = tempfile.mkstemp(dir=folder, prefix=f".{output.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(output)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _of_file(target: FileTarget, form: str | None) -> tuple[bytes, str]:
    if form in (None, "original") or (form == "dify" and target.kind == "resumption-context"):
        return target.data, form or "original"
    if target.kind not in ("resumption-context", "runtime-state", "stream-filter"):
        raise _no_such(target.name, f"a {target.kind.replace('-', ' ')}", form, "original")
    if form == target.kind:
        return target.data, form
    saved = open_saved(target)
    if form == "runtime-state" and saved.state is not None:
        return saved.state.encode("utf-8", "surrogatepass"), form
    if form == "stream-filter" and saved.gate is not None:
        return saved.gate.text.encode("utf-8", "surrogatepass"), form
    raise _no_such(target.name, f"a {target.kind.replace('-', ' ')} without one", form, "original")


def _of_pause(source: PauseSource, form: str) -> tuple[bytes, str]:
    if form == "runtime-state":
        return source.state.encode("utf-8", "surrogatepass"), form
    if form == "stream-filter":
        if source.gate is None:
            raise WorkbenchError(
                "This pause holds no gate state.", source.why_no_gate or "", "Export --format runtime-state."
            )
        return source.gate.encode("utf-8", "surrogatepass"), form
    raise _no_such("A run of the workbench", "no file from Dify", form, "runtime-state, stream-filter")


def _no_such(name: str, what: str, form: str | None, valid: str) -> UsageError:
    return UsageError(f"{name} has no {form} to export.", f"It is {what}.", f"Valid: {valid}.")
