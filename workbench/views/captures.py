"""A recorded stream, as lines and as JSON. A form's token is nowhere in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.core.captures.run import CapturedRun, NodeRun
from workbench.records.looks import count_of
from workbench.verbs.captures import OpenedCapture, status_of
from workbench.views.safe import cut, safe_line
from workbench.views.secrets import Mask
from workbench.views.shapes import VERSION

_WIDEST = 100


def capture_json(opened: OpenedCapture, mask: Mask) -> dict[str, Any]:
    """`show` of a recorded stream."""
    return {
        "version": VERSION,
        "capture": opened.capture.name,
        "app": None if opened.app is None else mask.text(opened.app.name),
        "events": len(opened.capture.events),
        "pings": opened.capture.pings,
        "runs": [_run_json(opened, number, mask) for number in range(len(opened.runs))],
        "notes": [mask.text(note) for note in opened.notes],
    }


def _run_json(opened: OpenedCapture, number: int, mask: Mask) -> dict[str, Any]:
    run = opened.runs[number]
    explained = opened.explained[number] if opened.explained else None
    return {
        "run_id": run.run_id,
        "mode": run.mode,
        "begins": run.begins,
        "status": run.status,
        "segments": list(run.segments),
        "pauses": list(run.pauses),
        "nodes": [_node_json(node, mask) for node in run.nodes],
        "forms": [
            {
                "event": form.number,
                "node_id": form.node,
                "title": mask.text(form.title),
                "expires": form.expires,
            }
            for form in run.forms
        ],
        "pieces": [
            {
                "event": piece.number,
                "segment": piece.segment,
                "text": mask.text(piece.text),
                "selector": list(piece.selector),
                "replaces": piece.replaces,
            }
            for piece in run.pieces
        ],
        "streamed": mask.text(run.streamed()),
        "answer": None if run.answer is None else mask.text(run.answer),
        "error": None if run.error is None else mask.text(run.error),
        "edges": None if explained is None else dict(explained.inferred.edges),
        "gates": None if explained is None else list(explained.gates),
        "steps": None if explained is None else explained.timeline.steps,
    }


def _node_json(node: NodeRun, mask: Mask) -> dict[str, Any]:
    return {
        "node_id": node.node,
        "type": node.type,
        "title": mask.text(node.title),
        "status": node.status,
        "segment": node.segment,
        "started": node.started,
        "finished": node.finished,
        "container": node.container,
        "action": node.action,
        "error": None if node.error is None else mask.text(node.error),
        "outputs": None if node.outputs is None else mask.data(node.outputs),
    }


def capture_lines(opened: OpenedCapture, mask: Mask) -> Iterator[str]:
    """`show` of a recorded stream, for people; numbers are those of its events."""
    held = f"{count_of(len(opened.capture.events), 'event')}, {count_of(opened.capture.pings, 'ping')}"
    yield f"{safe_line(opened.capture.name)}  {held}"
    for note in opened.notes:
        yield f"note  {safe_line(mask.text(note))}"
    for number, run in enumerate(opened.runs):
        yield from _run_lines(opened, number, run, mask)


def _run_lines(opened: OpenedCapture, number: int, run: CapturedRun, mask: Mask) -> Iterator[str]:
    yield f"run {safe_line(run.run_id or 'without an id')}  {run.mode}  {status_of(run)}"
    for node in run.nodes:
        place = f"{node.started or '?'}-{node.finished or '?'}"
        more = f"  in {safe_line(node.container)}" if node.container else ""
        more += f"  {safe_line(node.action)}" if node.action else ""
        title = safe_line(mask.text(node.title), 40)
        yield f"  {place:<9} {node.status:<10} {node.type}  {title} ({safe_line(node.node)}){more}"
    for form in run.forms:
        yield f"  {form.number:<9} form       {safe_line(mask.text(form.title), 40)} ({safe_line(form.node)})"
    for pause in run.pauses:
        yield f"  {pause:<9} pause"
    explained = opened.explained[number] if opened.explained else None
    if explained is not None and opened.graph is not None:
        from workbench.verbs.why import edge_words

        words = edge_words(opened.graph)
        yield "  edges, inferred"
        for edge, state in explained.inferred.edges.items():
            yield f"    {state:<8} {safe_line(words.get(edge, edge))}"
        for resume, gate in enumerate(explained.gates, 1):
            kept = "lost" if gate == "fresh" else "kept"
            yield f"  resume {resume} went on with the gate {kept}, by the stream"
    text = run.streamed()
    shown = cut(safe_line(mask.text(text)), _WIDEST)
    yield (
        f"  streamed  {len(text):,} characters in {len(run.pieces)} pieces: {shown}"
        if text
        else "  streamed  nothing"
    )
