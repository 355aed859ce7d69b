"""A recorded run beside its replay, as lines and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.verbs.captures import status_of
from workbench.verbs.replay import ReplayResult
from workbench.views.safe import safe_line
from workbench.views.secrets import Mask
from workbench.views.shapes import VERSION, finding_json, run_json


def replayed_json(result: ReplayResult, mask: Mask) -> dict[str, Any]:
    """`replay`."""
    return {
        "version": VERSION,
        "capture": result.name,
        "equal": result.equal,
        "recorded": {
            "run_id": result.recorded.run_id,
            "status": result.recorded.status,
            "streamed": mask.text(result.recorded.streamed()),
        },
        "replay": run_json(result.result, mask),
        "gates": list(result.gates),
        "partings": [
            {
                "what": each.what,
                "segment": each.segment,
                "node_id": each.node,
                "recorded": mask.text(each.recorded),
                "replayed": mask.text(each.replayed),
                "message": mask.text(each.message),
            }
            for each in result.partings
        ],
        "causes": [mask.text(cause) for cause in result.causes],
        "findings": [finding_json(finding, mask) for finding in result.findings],
        "notes": [mask.text(note) for note in result.notes],
    }


def replayed_lines(result: ReplayResult, mask: Mask) -> Iterator[str]:
    """`replay`, for people."""

    def safe(text: str) -> str:
        return safe_line(mask.text(text))

    recorded, ours = result.recorded, result.result
    yield f"recorded  run {safe_line(recorded.run_id or '?')}  {status_of(recorded)}"
    yield f"replay    run {ours.run_id}  {ours.status}  on {ours.kernel}"
    for resume, gate in enumerate(result.gates, 1):
        yield f"  resume {resume}: the gate {'lost' if gate == 'fresh' else 'kept'}, as the stream tells"
    for note in result.notes:
        yield f"note  {safe(note)}"
    if not result.partings:
        yield "The same nodes ran in the same order, and the client was sent the same pieces of text."
    elif result.equal:
        yield "The same nodes ran, and the client was sent the same text."
    for parting in result.partings:
        yield f"{parting.what}  {safe(parting.message)}"
    for cause in result.causes:
        yield f"  why  {safe(cause)}"
    yield f"workbench why {ours.run_id[:8]}; workbench show {ours.run_id[:8]} --step N"
