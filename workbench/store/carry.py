"""Runs as bundles carry them: read whole out of a store, and put whole into another one."""

from __future__ import annotations

import json
from collections.abc import Iterable

from workbench.errors import StoreError
from workbench.records.bundle import CarriedEvent, CarriedFact, CarriedPause, CarriedRun, CarriedSegment
from workbench.store.lease import Lease
from workbench.store.nodes import Execution, Executions
from workbench.store.runs import read_events, read_pauses, read_segments, run_detail, run_key
from workbench.store.spool import EventLine, FactLine, Said, event_line
from workbench.store.texts import as_json, moment, search_text, to_bytes
from workbench.store.write import node_values, put_blob, put_said

ORIGIN = "bundle"
"""`triggered_from` of a run that came in a bundle."""


def carried_run(held: Lease, run_id: str) -> CarriedRun:
    """A run with all that belongs to it.

    Raises:
        NotFoundError: there is none by that id.
    """
    run = run_detail(held, run_id)
    key = run_key(held, run_id)
    facts = _facts(held, key)
    segments = tuple(
        CarriedSegment(
            index=row.index,
            kernel=row.kernel,
            first_step=row.first_step,
            last_step=row.last_step,
            gate_mode=row.gate_mode,
            gate=row.gate,
            pause_id=row.pause_id,
            forms=row.forms,
            base=row.base,
            script=row.script,
            options=row.options,
            status=row.status,
            started_at=row.started_at,
            finished_at=row.finished_at,
            facts=tuple(facts.get(row.index, ())),
        )
        for row in read_segments(held, key, run_id)
    )
    pauses = tuple(
        CarriedPause(
            id=row.pause_id,
            segment=row.segment,
            step=row.step,
            state=row.state,
            gate=row.gate,
            reasons=row.reasons,
            outputs=row.outputs,
            created_at=row.created_at,
            resumed_at=row.resumed_at,
        )
        for row in read_pauses(held, key)
    )
    return CarriedRun(
        id=run.run_id,
        app_id=run.app_id,
        app_name=run.app,
        mode=run.mode,
        status=run.status,
        interrupted=run.interrupted,
        kernel=run.kernel,
        inputs=run.inputs,
        system=run.system,
        script=run.script,
        options=run.options,
        outputs=run.outputs,
        answer=run.answer,
        error=run.error,
        elapsed=run.elapsed,
        total_tokens=run.total_tokens,
        total_steps=run.node_run_steps,
        exceptions_count=run.exceptions_count,
        steps=run.steps,
        created_at=run.started_at,
        finished_at=run.finished_at,
        forked_from=run.forked_from,
        segments=segments,
        events=tuple(CarriedEvent(*row) for row in read_events(held, key, 1, None)),
        pauses=pauses,
    )


def _facts(held: Lease, run: int) -> dict[int, list[CarriedFact]]:
    rows = held.all(
        "SELECT segment, step, kind, fact FROM run_facts WHERE run = ? ORDER BY segment, step, rowid", run
    )
    found: dict[int, list[CarriedFact]] = {}
    for segment, step, kind, fact in rows:
        found.setdefault(segment, []).append(CarriedFact(step, kind, json.loads(fact)))
    return found


def put_run(held: Lease, run: CarriedRun) -> None:
    """Put a run into the store under its own ids. Its app must be there.

    Raises:
        StoreError: a run or a pause of that id is there.
    """
    _check_free(held, run)
    row = held.one("SELECT coalesce(max(seq), 0) + 1 FROM workflow_runs")
    key = int(row[0]) if row else 1
    _put_head(held, key, run)
    for segment in run.segments:
        _put_segment(held, key, segment)
    _put_journal(held, key, run)
    for pause in run.pauses:
        _put_pause(held, key, run.id, pause)


def _check_free(held: Lease, run: CarriedRun) -> None:
    taken = held.one("SELECT id FROM workflow_runs WHERE id = ?", run.id) or held.one(
        "SELECT id FROM workflow_pauses WHERE id IN (SELECT unnest(?))", [pause.id for pause in run.pauses]
    )
    if taken is not None:
        raise StoreError(
            f"{taken[0]} exists in this store already",
            f"The bundle's run {run.id} can't be put beside it under the same id.",
            "Import the bundle with --new-ids.",
        )


def _put_head(held: Lease, key: int, run: CarriedRun) -> None:
    created = moment(run.created_at)
    titles = _titles(run.events)
    held.insert(
        "workflow_runs",
        seq=key,
        id=run.id,
        app_id=run.app_id,
        app_name=run.app_name,
        type=run.mode,
        triggered_from=ORIGIN,
        status=run.status,
        interrupted=run.interrupted,
        kernel=run.kernel,
        inputs=as_json(run.inputs),
        system=as_json(run.system),
        script=as_json(run.script),
        options=as_json(run.options),
        outputs=as_json(run.outputs),
        answer=run.answer,
        error=run.error,
        elapsed_time=run.elapsed,
        total_tokens=run.total_tokens,
        total_steps=run.total_steps,
        exceptions_count=run.exceptions_count,
        steps=run.steps,
        segments=len(run.segments),
        created_at=created,
        finished_at=None if run.finished_at is None else moment(run.finished_at),
        search=search_text(
            [
                *(run.app_name, run.id, run.app_id, run.kernel, run.inputs, run.system.get("query")),
                *(pause.id for pause in run.pauses),
                *(run.outputs, run.error, titles),
            ]
        ),
    )
    if run.forked_from is not None:
        held.insert(
            "forks",
            run=key,
            run_id=run.id,
            parent_run_id=run.forked_from["run_id"],
            step=run.forked_from["step"],
            created_at=created,
        )


def _titles(events: Iterable[CarriedEvent]) -> list[str]:
    found: dict[str, None] = {}
    for event in events:
        if '"kind":"NodeRunStarted"' in event.text[:40]:
            found.setdefault(str(json.loads(event.text).get("title", "")))
    return list(found)[:100]


def _put_segment(held: Lease, key: int, segment: CarriedSegment) -> None:
    held.insert(
        "run_segments",
        run=key,
        segment=segment.index,
        kernel=segment.kernel,
        first_step=segment.first_step,
        last_step=segment.last_step,
        gate_mode=segment.gate_mode,
        gate_object_key=None if segment.gate is None else put_blob(held, to_bytes(segment.gate)),
        pause_id=segment.pause_id,
        forms=as_json(segment.forms),
        base_object_key=None if segment.base is None else put_blob(held, to_bytes(as_json(segment.base))),
        script=as_json(segment.script),
        options=as_json(segment.options),
        liveness="",
        status=segment.status,
        created_at=moment(segment.started_at),
        finished_at=None if segment.finished_at is None else moment(segment.finished_at),
    )


def _put_journal(held: Lease, key: int, run: CarriedRun) -> None:
    """Events, facts and the node executions that the events tell of, segment by segment."""
    open_rows: list[Execution] = []
    count = 0
    for segment in run.segments:
        executions = Executions(open_rows, count, segment.index)
        lines: list[EventLine] = []
        rows: dict[int, Execution] = {}
        for carried in run.events[segment.first_step - 1 : segment.last_step]:
            event = json.loads(carried.text)
            lines.append(event_line(carried.step, carried.at, event, carried.text))
            executions.feed(carried.step, carried.at, event)
        if segment.status == "stopped" and run.interrupted:
            executions.break_off(segment.last_step, segment.finished_at or run.created_at, run.error or "")
        rows |= {row.index: row for row in executions.take()}
        facts = tuple(FactLine(fact.step, fact.kind, as_json(fact.value)) for fact in segment.facts)
        put_said(held, key, segment.index, Said(tuple(lines), facts), node_values(key, rows.values()))
        open_rows = [row for row in (*open_rows, *rows.values()) if row.is_open]
        count = executions.count


def _put_pause(held: Lease, key: int, run_id: str, pause: CarriedPause) -> None:
    held.insert(
        "workflow_pauses",
        id=pause.id,
        run=key,
        workflow_run_id=run_id,
        segment=pause.segment,
        step=pause.step,
        state_object_key=put_blob(held, to_bytes(pause.state)),
        gate_object_key=None if pause.gate is None else put_blob(held, to_bytes(pause.gate)),
        outputs=as_json(pause.outputs),
        created_at=moment(pause.created_at),
        resumed_at=None if pause.resumed_at is None else moment(pause.resumed_at),
    )
    for position, reason in enumerate(pause.reasons):
        held.insert(
            "workflow_pause_reasons",
            id=f"{pause.id}-{position}",
            pause_id=pause.id,
            position=position,
            type=str(reason.get("type") or ""),
            form_id=str(reason.get("form_id") or ""),
            message=str(reason.get("message") or ""),
            node_id=str(reason.get("node_id") or ""),
            reason=as_json(reason),
        )


def family(held: Lease, run_id: str, *, forks: bool) -> list[str]:
    """The runs that a run goes back to (oldest first), the run, and with `forks` all that were made of it.

    A parent that is not in the store ends the line.
    """
    links: list[tuple[str, str]] = held.all(
        "SELECT f.run_id, f.parent_run_id FROM forks f JOIN workflow_runs r ON r.id = f.parent_run_id"
    )
    parent: dict[str, str] = dict(links)
    line = [run_id]
    while line[-1] in parent and parent[line[-1]] not in line:
        line.append(parent[line[-1]])
    line.reverse()
    if forks:
        children: dict[str, list[str]] = {}
        for child, ancestor in links:
            children.setdefault(ancestor, []).append(child)
        todo = [run_id]
        while todo:
            for child in sorted(children.get(todo.pop(0), ())):
                if child not in line:
                    line.append(child)
                    todo.append(child)
    return line
