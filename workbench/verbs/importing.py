"""`import`: files, recognised by what is in them, stored byte for byte."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.records.app import read_app
from workbench.verbs.context import Context
from workbench.verbs.results import ImportedFile


def import_files(ctx: Context, paths: Sequence[Path | str]) -> tuple[ImportedFile, ...]:
    """Store each file under what it is; one that can't be read as anything is told and does not stop the
    others.
    """
    return tuple(import_file(ctx, Path(path)) for path in paths)


def import_file(ctx: Context, path: Path) -> ImportedFile:
    """Store one file."""
    from workbench.records.reading import STATE_LIMIT, read_file
    from workbench.records.recognise import recognise

    try:
        data = read_file(path, STATE_LIMIT)
        found = recognise(data, path.name)
    except WorkbenchError as error:
        return ImportedFile(str(path), "unknown", None, "", _one_line(error))
    if found.kind == "unknown":
        return ImportedFile(
            str(path), "unknown", None, found.detail, found.error or "It is nothing the workbench knows."
        )
    detail = "; ".join(part for part in (found.detail, found.error) if part)
    if found.kind != "app":
        return ImportedFile(
            str(path), found.kind, ctx.store.put_file(found.kind, data, path.name, detail), detail, None
        )
    try:
        app = read_app(data, str(path))
    except WorkbenchError as error:
        return ImportedFile(str(path), "app", None, detail, _one_line(error))
    detail = "; ".join(part for part in (detail, *app.notes) if part)
    return ImportedFile(str(path), "app", ctx.store.put_app(app), detail, None)


def _one_line(error: WorkbenchError) -> str:
    parts = (part.strip().removesuffix(".") for part in (error.title, error.cause, error.next_step))
    return ". ".join(part for part in parts if part) + "."
