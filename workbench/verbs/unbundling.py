"""`import` of a bundle: its runs are put into the store as they were, or nothing is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from workbench.core.graph_of import graph_of
from workbench.core.replay import Timeline
from workbench.errors import BadInputError, WorkbenchError
from workbench.records.app import App, read_app
from workbench.records.bundle import Bundle, CarriedEdited, CarriedRun, CarriedSegment, run_lines
from workbench.records.edit_file import edits_of
from workbench.records.gate_state import edge_names
from workbench.records.recognise import recognise
from workbench.verbs.bundling import carried_app
from workbench.verbs.carrying import described, edited_row
from workbench.verbs.context import Context
from workbench.verbs.history import journal
from workbench.verbs.masking import hider_of, masked_app, masked_run, with_files


@dataclass(frozen=True)
class Opened:
    """A bundle that is in the store now.

    Attributes:
        subject: the id of the run or file that it is about, as it goes by in this store.
        added, known: runs that were put in, and runs that were there already.
    """

    subject: str
    added: tuple[str, ...]
    known: tuple[str, ...]
    masked: bool
    detail: str


def open_bundle(ctx: Context, data: bytes, source: str, *, new_ids: bool = False) -> Opened:
    """Put a bundle's apps, runs and files into the store: all of them, or nothing.

    Args:
        new_ids: give runs and pauses new ids.

    Raises:
        BadInputError: it is damaged, of another version, or its journal can't be replayed.
        WorkbenchError: a run of that id is there with other content.
    """
    from workbench.records.bundle_reading import read_bundle

    made = read_bundle(data, source)
    _check_replay(made, source)
    _check_files(made, source)
    if new_ids:
        made = _renamed(made)
    known = ctx.store.known_runs(run.id for run in made.runs)
    added = tuple(run for run in made.runs if run.id not in known)
    for run in made.runs:
        if run.id in known:
            _check_same(ctx, made, run)
    made = described(made)
    ctx.store.put_carried(made.apps, added, made.files, [edited_row(each) for each in made.edited])
    return Opened(
        made.subject,
        tuple(run.id for run in added),
        tuple(sorted(known)),
        made.masked is not None,
        _detail(made, added),
    )


def _check_same(ctx: Context, made: Bundle, run: CarriedRun) -> None:
    """The run of that id in this store must be the same one: unmasked, or gone on since, is fine.

    Raises:
        WorkbenchError: it is another one.
    """
    own, run = _without_files(ctx.store.carried_runs(run.id)[-1]), _without_files(run)
    if made.masked is not None:
        app = carried_app(own.app_id, ctx.store.app_bytes(own.app_id))
        hider = hider_of(Bundle(own.id, None, (app,), (own,)))
        hidden = masked_run(own, hider, masked_app(app, hider).id)
        same = _is_beginning(hidden, run) or _is_beginning(own, run)
    else:
        same = _is_beginning(own, run)
    if not same:
        raise WorkbenchError(
            f"Run {run.id} exists in this store already, with other content.",
            "It was changed on one of the two sides, or another run has got the same id.",
            "Import the bundle with --new-ids to have both.",
        )


def _without_files(run: CarriedRun) -> CarriedRun:
    """A run without the ids of the files that it went on from: those change with what is masked."""
    return with_files(run, {base["file_id"]: "" for base in _bases(run) if base.get("file_id")})


def _bases(run: CarriedRun) -> Iterator[Mapping[str, Any]]:
    yield from (segment.base for segment in run.segments if segment.base is not None)


def _is_beginning(own: CarriedRun, given: CarriedRun) -> bool:
    """Is the given run the own one, as it is or as it was at one of its pauses?"""
    if run_lines(own) == run_lines(given):
        return True
    count = len(given.segments)
    if given.status != "paused" or len(own.segments) <= count:
        return False
    then = replace(
        own,
        **{
            key: getattr(given, key)
            for key in (
                "status", "kernel", "interrupted", "outputs", "answer", "error", "elapsed", "total_tokens",
                "total_steps", "exceptions_count", "steps", "finished_at",
            )
        },
        segments=own.segments[:count],
        events=own.events[: given.steps],
        pauses=tuple(
            replace(pause, resumed_at=other.resumed_at)
            for pause, other in zip(own.pauses, given.pauses, strict=False)
        ),
    )  # fmt: skip
    return run_lines(then) == run_lines(given)


def _check_files(made: Bundle, source: str) -> None:
    """A file must be what it is said to be, and edits must be edits."""
    for file in made.files:
        found = recognise(file.data, file.name)
        if found.kind != file.kind:
            raise BadInputError(
                f"The file {file.id} in {source} is no saved pause",
                f"It is said to be a {file.kind} and looks like: {found.kind}.",
                _AGAIN,
            )
    for edited in made.edited:
        edits_of(edited.edits, f"the edits of {edited.file_id} in {source}")


def _check_replay(made: Bundle, source: str) -> None:
    """Every run must be readable as a whole: what can't be replayed is refused now, not at step 4711."""
    apps: dict[str, App] = {}
    for app in made.apps:
        apps[app.id] = read_app(app.data, f"the app {app.name} in {source}")
    for run in made.runs:
        try:
            _replay(run, apps[run.app_id])
        except WorkbenchError as error:
            raise BadInputError(
                f"Run {run.id} in {source} can't be replayed", str(error).replace("\n", " "), _AGAIN
            ) from error
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
            raise BadInputError(
                f"Run {run.id} in {source} can't be replayed",
                f"{type(error).__name__}: {error}",
                _AGAIN,
            ) from error


def _replay(run: CarriedRun, app: App) -> None:
    from workbench.store.rows import SegmentRow

    rows = [
        SegmentRow(
            run_id=run.id,
            index=each.index,
            kernel=each.kernel,
            first_step=each.first_step,
            last_step=each.last_step,
            gate_mode=each.gate_mode,
            gate=each.gate,
            pause_id=each.pause_id,
            forms=each.forms,
            base=each.base,
            graph=None,
            pool=next((fact.value for fact in each.facts if fact.kind == "pool"), None),
            notes=(),
            script=each.script,
            options=each.options,
            status="stopped",
            started_at=each.started_at,
            finished_at=each.finished_at,
        )
        for each in run.segments
    ]
    names = edge_names(list(app.graph["edges"]))
    events = [json.loads(event.text) for event in run.events]
    timeline = Timeline(graph_of(app.graph, app.root), journal(rows, events, names))
    timeline.at(timeline.steps)


_AGAIN = "Export it again; a bundle is not meant to be changed by hand."


def _renamed(made: Bundle) -> Bundle:
    """The same with new ids for runs and pauses."""
    runs = {run.id: str(uuid4()) for run in made.runs}
    pauses = {pause.id: str(uuid4()) for run in made.runs for pause in run.pauses}
    return replace(
        made,
        subject=runs.get(made.subject, made.subject),
        runs=tuple(_renamed_run(run, runs, pauses) for run in made.runs),
        edited=tuple(_renamed_edited(each, runs, pauses) for each in made.edited),
    )


def _renamed_edited(
    edited: CarriedEdited, runs: Mapping[str, str], pauses: Mapping[str, str]
) -> CarriedEdited:
    parent = edited.parent_id
    now = pauses.get(parent, parent) if edited.parent_kind == "pause" else parent
    run_id = None if edited.run_id is None else runs.get(edited.run_id, edited.run_id)
    return replace(edited, parent_id=now, run_id=run_id, name=edited.name.replace(parent, now))


def _renamed_run(run: CarriedRun, runs: Mapping[str, str], pauses: Mapping[str, str]) -> CarriedRun:
    parent = run.forked_from
    if parent is not None:
        parent = {**parent, "run_id": runs.get(parent["run_id"], parent["run_id"])}
    return replace(
        run,
        id=runs[run.id],
        forked_from=parent,
        segments=tuple(_renamed_segment(segment, pauses) for segment in run.segments),
        pauses=tuple(replace(pause, id=pauses[pause.id]) for pause in run.pauses),
    )


def _renamed_segment(segment: CarriedSegment, pauses: Mapping[str, str]) -> CarriedSegment:
    base = segment.base
    if base is not None and base.get("pause_id") in pauses:
        base = {**base, "pause_id": pauses[base["pause_id"]]}
    pause = segment.pause_id
    return replace(segment, base=base, pause_id=pauses.get(pause, pause) if pause else pause)


def _detail(made: Bundle, added: Sequence[CarriedRun]) -> str:
    parts = []
    subject = next((run for run in made.runs if run.id == made.subject), None)
    if subject is not None:
        parts.append(f"a run of {subject.app_name}, {subject.status}, {subject.steps} steps")
    edited = {each.file_id for each in made.edited}
    for file in made.files:
        if file.id == made.subject or not made.runs:
            parts.append(f"{'an edited' if file.id in edited else 'a saved'} pause, {file.name}")
    if count := len(edited - {made.subject}):
        parts.append(f"{count} edited pause{'' if count == 1 else 's'} with the edits")
    others = len(made.runs) - (subject is not None)
    if others:
        parts.append(f"{others} more run{'' if others == 1 else 's'} of its lineage")
    if made.runs and not added:
        parts.append("all of it was here already")
    parts.append("secrets masked" if made.masked is not None else "nothing masked")
    return ", ".join(parts)
