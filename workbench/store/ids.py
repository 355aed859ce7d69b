"""From the beginning of an id to what it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.errors import NotFoundError, UsageError
from workbench.store.lease import Lease
from workbench.store.rows import Ref

_ALL = """(
    SELECT 1 AS rank, 'run' AS kind, id, app_name || ', ' || status AS what, created_at FROM workflow_runs
    UNION ALL SELECT 2, 'pause', id, 'of run ' || left(workflow_run_id, 8), created_at FROM workflow_pauses
    UNION ALL SELECT 3, 'app', id, name, imported_at FROM apps
    UNION ALL SELECT 4, 'file', id, kind || ' ' || name, imported_at FROM files
)"""
_SHOWN = 6


@dataclass(frozen=True, slots=True)
class NamedId:
    """An id, its kind, and what it is in words."""

    kind: str
    id: str
    what: str


def resolve(lease: Lease, prefix: str) -> Ref:
    """The run, pause, app or file whose id is `prefix`, or the only one whose id begins with it.

    Raises:
        NotFoundError: nothing fits; tells ids that look alike.
        UsageError: several fit; tells them.
    """
    wanted = prefix.strip()
    if not wanted:
        raise UsageError("An id is missing", "", "`workbench runs` lists the runs of this store.")
    rows = lease.all(
        f"SELECT kind, id, what, count(*) OVER () FROM {_ALL} WHERE starts_with(id, ?)"
        f" ORDER BY id <> ?, rank, created_at DESC LIMIT {_SHOWN}",
        wanted,
        wanted,
    )
    if not rows:
        raise _not_found(lease, wanted)
    kind, found, _, count = rows[0]
    if found == wanted or count == 1:
        return Ref(kind, found)
    shown = "\n".join(f"  {kind} {found} ({what})" for kind, found, what, _ in rows)
    more = f"\n  and {count - _SHOWN} more" if count > _SHOWN else ""
    raise UsageError(
        f"{wanted} is the beginning of {count} ids",
        f"It may be:\n{shown}{more}",
        "Give more characters of the id.",
    )


def ids(lease: Lease, prefix: str, kinds: Sequence[str], most: int) -> list[NamedId]:
    """At most so many ids of these kinds that begin so, the newest first."""
    rows = lease.all(
        f"SELECT kind, id, what FROM {_ALL} WHERE starts_with(id, ?) AND list_contains(?, kind)"
        " ORDER BY created_at DESC LIMIT ?",
        prefix,
        list(kinds),
        most,
    )
    return [NamedId(*row) for row in rows]


def _not_found(lease: Lease, wanted: str) -> NotFoundError:
    near = lease.all(
        f"SELECT kind, id, what FROM (SELECT *, levenshtein(left(id, ?), ?) AS distance FROM {_ALL})"
        " WHERE distance <= ? ORDER BY distance, created_at DESC LIMIT 3",
        len(wanted),
        wanted,
        max(1, len(wanted) // 4),
    )
    shown = "\n".join(f"  {kind} {found} ({what})" for kind, found, what in near)
    return NotFoundError(
        f"No run, pause, app or file goes by {wanted}",
        f"These look alike:\n{shown}" if near else "",
        "`workbench runs` lists the runs of this store; a file is given by its path.",
    )
