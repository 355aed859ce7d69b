"""Edited pauses: which stored files were made by editing another one, and how."""

from __future__ import annotations

import time

from workbench.store.lease import Lease
from workbench.store.rows import EditedFile
from workbench.store.texts import moment, plain

_COLUMNS = "file_id, parent_kind, parent_id, run_id, step, app_id, kernel, name, edits"


def read_edited(held: Lease, file_id: str) -> EditedFile | None:
    """Where a file comes from; None when it was not edited."""
    row = held.one(f"SELECT {_COLUMNS} FROM edited_files WHERE file_id = ?", file_id)
    return None if row is None else EditedFile(*row)


def all_edited(held: Lease) -> list[EditedFile]:
    """All of them, the oldest first."""
    rows = held.all(f"SELECT {_COLUMNS} FROM edited_files ORDER BY created_at, file_id")
    return [EditedFile(*row) for row in rows]


def put_origin(held: Lease, origin: EditedFile, *, replace: bool) -> None:
    """Remember where a file comes from.

    Nothing is remembered of a file that the other one was made of: edits that were taken back give its bytes
    again, and it shall not come from itself.

    Args:
        replace: the newest edits that lead to these bytes count; else what is known stays.
    """
    if _comes_from(held, origin.parent_id if origin.parent_kind == "file" else "", origin.file_id):
        return
    known = held.one("SELECT 1 FROM edited_files WHERE file_id = ?", origin.file_id)
    if known is not None and not replace:
        return
    held.run("DELETE FROM edited_files WHERE file_id = ?", origin.file_id)
    held.insert(
        "edited_files",
        file_id=origin.file_id,
        parent_kind=origin.parent_kind,
        parent_id=plain(origin.parent_id),
        run_id=origin.run_id,
        step=origin.step,
        app_id=origin.app_id,
        kernel=origin.kernel,
        name=plain(origin.name),
        edits=origin.edits,
        created_at=moment(time.time()),
    )


def _comes_from(held: Lease, file_id: str, ancestor: str) -> bool:
    """Is a file another one, or made of it by edits?"""
    seen: set[str] = set()
    while file_id and file_id not in seen:
        if file_id == ancestor:
            return True
        seen.add(file_id)
        row = held.one(
            "SELECT parent_id FROM edited_files WHERE file_id = ? AND parent_kind = 'file'", file_id
        )
        file_id = "" if row is None else str(row[0])
    return False
