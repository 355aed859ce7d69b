"""`import`: files, recognised by what is in them, stored byte for byte."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from workbench.errors import WorkbenchError
from workbench.records.app import read_app
from workbench.verbs.context import Context
from workbench.verbs.results import ImportedFile


def import_files(
    ctx: Context,
    paths: Sequence[Path | str],
    *,
    new_ids: bool = False,
    goes_on: Callable[[int, int], bool] = lambda done, all_of_them: True,
) -> tuple[ImportedFile, ...]:
    """Store each file under what it is; one that can't be read as anything is told and does not stop the
    others. Of a folder every file in it is taken, hidden ones left out.

    Args:
        new_ids: runs out of bundles get new ids.
        goes_on: asked before each file, with how many are done and how many there are; False ends it there,
            what was stored stays.
    """
    files = [file for path in paths for file in _files_in(Path(path))]
    stored: list[ImportedFile] = []
    for file in files:
        if not goes_on(len(stored), len(files)):
            break
        stored.append(import_file(ctx, file, new_ids=new_ids))
    return tuple(stored)


def _files_in(path: Path) -> list[Path]:
    """The files below a folder, in the order of their names; the path itself where it is none."""
    if not path.is_dir():
        return [path]
    below = (found for found in path.rglob("*") if found.is_file())
    return sorted(f for f in below if not any(part.startswith(".") for part in f.relative_to(path).parts))


def import_file(ctx: Context, path: Path, *, new_ids: bool = False) -> ImportedFile:
    """Store one file. A bundle itself is not kept: its runs are, under their own ids."""
    from workbench.records.bundle_frame import BUNDLE_LIMIT
    from workbench.records.reading import read_file
    from workbench.records.recognise import recognise

    try:
        data = read_file(path, BUNDLE_LIMIT)
        found = recognise(data, path.name)
    except WorkbenchError as error:
        return ImportedFile(str(path), "unknown", None, "", _one_line(error))
    if found.kind == "unknown":
        return ImportedFile(
            str(path), "unknown", None, found.detail, found.error or "It is nothing the workbench knows."
        )
    if found.kind == "bundle":
        return _import_bundle(ctx, path, data, new_ids=new_ids)
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


def _import_bundle(ctx: Context, path: Path, data: bytes, *, new_ids: bool) -> ImportedFile:
    from workbench.verbs.unbundling import open_bundle

    try:
        opened = open_bundle(ctx, data, path.name, new_ids=new_ids)
    except WorkbenchError as error:
        return ImportedFile(str(path), "bundle", None, "", _one_line(error))
    return ImportedFile(str(path), "bundle", opened.subject, opened.detail, None)


def _one_line(error: WorkbenchError) -> str:
    parts = (part.strip().removesuffix(".") for part in (error.title, error.cause, error.next_step))
    return ". ".join(part for part in parts if part) + "."
