"""Where a run comes from: the runs it was forked from, and the forks made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.compare import Past
from workbench.verbs.context import Context
from workbench.verbs.inspect import open_run


def past_of(ctx: Context, forked_from: Mapping[str, Any] | None) -> Past:
    """All that came before a fork, through every run it goes back to."""
    if forked_from is None:
        return Past()
    parent = open_run(ctx, forked_from["run_id"], until=forked_from["step"])
    before = past_of(ctx, parent.run.forked_from)
    state = parent.timeline.at(parent.timeline.steps)
    return Past(
        (*before.run_ids, parent.run.run_id),
        (*before.events, *parent.timeline.journal.events),
        (*before.chunks, *(chunk.text for chunk in state.chunks)),
    )
