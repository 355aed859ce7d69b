"""`runs`: which runs there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.verbs.context import Context
from workbench.verbs.names import one_of

if TYPE_CHECKING:
    from workbench.store.rows import RunRow

STATUSES = ("running", "paused", "succeeded", "partial-succeeded", "failed", "stopped", "interrupted")


def runs(
    ctx: Context, *, status: str | None = None, search: str | None = None, limit: int | None = None
) -> tuple[RunRow, ...]:
    """The runs, the newest first.

    Args:
        status: one of `STATUSES`; "interrupted" means that its process was killed.
        search: text that must be in the app's name, the ids, the inputs or the outputs.

    Raises:
        UsageError: there is no such status.
    """
    if status is not None:
        one_of(status, STATUSES, "status")
    if status == "interrupted":
        found = [row for row in ctx.store.runs(search=search) if row.interrupted]
        return tuple(found[:limit])
    return tuple(ctx.store.runs(status=status, search=search, limit=limit))
