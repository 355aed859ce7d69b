"""What belongs to a bundle beside its run: edited pauses, the pauses they were made of, the runs of those."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.records.bundle import Bundle, CarriedEdited, CarriedFile, CarriedRun
from workbench.records.edit_file import entries_text
from workbench.verbs.context import Context

if TYPE_CHECKING:
    from workbench.store.rows import EditedFile


@dataclass(frozen=True)
class Family:
    """Runs, files, and where the edited ones come from, by id; runs before the forks made of them."""

    runs: dict[str, CarriedRun] = field(default_factory=dict)
    files: dict[str, CarriedFile] = field(default_factory=dict)
    edited: dict[str, CarriedEdited] = field(default_factory=dict)


def family_of(ctx: Context, runs: Iterable[CarriedRun], file_ids: Iterable[str], made_of: set[str]) -> Family:
    """All that runs and files need to be whole elsewhere.

    Args:
        made_of: runs whose edited pauses come along, too.
    """
    found = Family()
    origins = {each.file_id: each for each in ctx.store.edited_files()} if ctx.store_file.exists() else {}
    todo = [*file_ids, *(each.file_id for each in origins.values() if each.run_id in made_of)]
    todo += _add_runs(found, runs)
    while todo:
        file_id = todo.pop(0)
        if file_id in found.files or not ctx.store.known_file(file_id):
            continue
        found.files[file_id] = _carried(ctx, file_id)
        origin = origins.get(file_id)
        if origin is None:
            continue
        found.edited[file_id] = carried_edited(origin)
        if origin.parent_kind == "file":
            todo.append(origin.parent_id)
        if origin.run_id is not None and origin.run_id not in found.runs:
            known = ctx.store.known_runs([origin.run_id])
            todo += _add_runs(found, ctx.store.carried_runs(origin.run_id) if known else ())
    return found


def _add_runs(found: Family, runs: Iterable[CarriedRun]) -> list[str]:
    """Add runs; the files that they went on from."""
    needed = []
    for run in runs:
        if run.id not in found.runs:
            found.runs[run.id] = run
            bases = (segment.base for segment in run.segments if segment.base is not None)
            needed += [base["file_id"] for base in bases if base.get("file_id")]
    return needed


def _carried(ctx: Context, file_id: str) -> CarriedFile:
    stored = ctx.store.file(file_id)
    return CarriedFile(file_id, stored.kind, stored.name, stored.detail, stored.data)


def carried_edited(origin: EditedFile) -> CarriedEdited:
    """Where an edited pause comes from, as a bundle tells it: of a path only the name."""
    is_path = origin.parent_kind == "path"
    return CarriedEdited(
        origin.file_id,
        origin.parent_kind,
        Path(origin.parent_id).name if is_path else origin.parent_id,
        origin.run_id,
        origin.step,
        origin.app_id,
        origin.kernel,
        origin.name.replace(origin.parent_id, Path(origin.parent_id).name) if is_path else origin.name,
        json.loads(origin.edits),
    )


def edited_row(carried: CarriedEdited) -> EditedFile:
    """The same as the store has it."""
    from workbench.store.rows import EditedFile

    return EditedFile(
        carried.file_id,
        carried.parent_kind,
        carried.parent_id,
        carried.run_id,
        carried.step,
        carried.app_id,
        carried.kernel,
        carried.name,
        entries_text(carried.edits["name"], carried.edits["edits"]),
    )


def described(made: Bundle) -> Bundle:
    """The bundle with its edited pauses described by what they are made of, by the ids that it has now."""
    edited = {each.file_id: each for each in made.edited}
    return replace(made, files=tuple(_described(file, edited.get(file.id)) for file in made.files))


def _described(file: CarriedFile, origin: CarriedEdited | None) -> CarriedFile:
    if origin is None:
        return file
    detail = edited_detail(len(origin.edits["edits"]), origin.parent_kind, origin.parent_id)
    return replace(file, name=origin.name, detail=detail)


def edited_detail(count: int, kind: str, parent: str) -> str:
    """What the list of files says of an edited pause."""
    return f"{count} edit{'' if count == 1 else 's'} of {kind} {parent}"
