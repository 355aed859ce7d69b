"""The JSON of `show` and `runs`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from workbench.views.inspecting import inspection_json
from workbench.views.secrets import Mask
from workbench.views.shapes import VERSION, answer_json

if TYPE_CHECKING:
    from workbench.store.rows import RunRow
    from workbench.verbs.lineage import Branch
    from workbench.verbs.show import Shown


def shown_json(shown: Shown, mask: Mask) -> dict[str, Any]:
    """`show`."""
    state = shown.state
    return {
        "version": VERSION,
        "run_id": None if shown.run is None else shown.run.run_id,
        "app": None if shown.app is None else mask.text(shown.app.name),
        "kernel": shown.kernel,
        "run_status": shown.status,
        "step": state.step,
        "steps": shown.steps,
        "segment": state.segment,
        "event": None if state.event is None else mask.data(state.event),
        "gate": mask.data(state.gate),
        "nodes": dict(state.nodes),
        "edges": dict(state.edges),
        "status": dict(state.status),
        "variables": mask.variables(state.variables),
        "written": {
            node: {name: {"by": mask.text(each.by), "step": each.step} for name, each in values.items()}
            for node, values in shown.written.items()
        },
        "streamed": mask.text(state.streamed),
        "segment_streamed": mask.text(state.segment_streamed),
        "stream_error": None if state.stream_error is None else mask.text(state.stream_error),
        "answers": [answer_json(answer) for answer in state.answers],
        "notes": [mask.text(note) for note in shown.notes],
        "pause": None if shown.pause is None else inspection_json(shown.pause, mask),
    }


def runs_json(rows: Sequence[RunRow], mask: Mask) -> dict[str, Any]:
    """`runs`."""
    return {"version": VERSION, "runs": [run_row_json(row, mask) for row in rows]}


def tree_json(families: Sequence[Branch], mask: Mask) -> dict[str, Any]:
    """`runs --tree`: the runs in the tree's order, each with the line of runs that it goes back to."""
    runs: list[dict[str, Any]] = []
    todo: list[tuple[Branch, list[str]]] = [(branch, []) for branch in reversed(families)]
    while todo:
        branch, line = todo.pop()
        row = run_row_json(branch.run, mask)
        runs.append({**row, "found": branch.found, "lineage": line})
        todo.extend((fork, [branch.run.run_id, *line]) for fork in reversed(branch.forks))
    return {"version": VERSION, "runs": runs}


def run_row_json(row: RunRow, mask: Mask) -> dict[str, Any]:
    """One run of a list; times are ISO 8601 in UTC."""
    return {
        "run_id": row.run_id,
        "app": mask.text(row.app),
        "app_id": row.app_id,
        "mode": row.mode,
        "status": row.status,
        "kernel": row.kernel,
        "started_at": iso(row.started_at),
        "finished_at": None if row.finished_at is None else iso(row.finished_at),
        "steps": row.steps,
        "interrupted": row.interrupted,
        "forked_from": None if row.forked_from is None else dict(row.forked_from),
    }


def iso(seconds: float) -> str:
    """Seconds since 1970 as ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
