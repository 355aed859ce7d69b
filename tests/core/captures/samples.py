"""Small recordings with the signs of known faults of Dify, and some without any."""

from __future__ import annotations

import json


def frame(event: str, **data: object) -> str:
    return f"data: {json.dumps({'event': event, 'workflow_run_id': 'r', 'data': data})}\n\n"


ASK = {"id": "x", "node_id": "ask", "node_type": "human-input", "title": "Ask"}
BEGIN = frame("workflow_started", id="r", inputs={"q": 1}, created_at=1)
STOPPED = frame("workflow_finished", status="stopped", error="Stopped by user")
TOO_LATE = frame("workflow_finished", status="stopped", error="Human input global timeout at node Ask")
TIMEOUT = frame("human_input_form_timeout", node_id="ask")
END = frame("workflow_finished", status="succeeded")
SLICE = frame("workflow_paused", reasons=[{"TYPE": "scheduled_pause"}])
WAITS = BEGIN + frame("node_started", **ASK) + frame("human_input_required", node_id="ask", form_id="f")
PAUSED = WAITS + frame("workflow_paused", paused_nodes=["ask"])
AGAIN = PAUSED + frame("workflow_started", id="r", reason="resumption") + frame("node_started", **ASK)
FILLED = frame("human_input_form_filled", node_id="ask")
DONE = frame("node_finished", **ASK, status="succeeded", outputs={"__action_id": "ok"})

SIGNS: list[tuple[str, list[str]]] = [
    (PAUSED, []),
    (AGAIN + FILLED + DONE, []),
    (AGAIN + DONE, ["form-event-missing"]),
    (AGAIN + STOPPED, ["stopped-after-submit"]),
    (PAUSED + TOO_LATE, ["form-expired"]),
    (AGAIN + TIMEOUT + DONE + END, ["timeout-branch-not-taken"]),
    (BEGIN + SLICE, ["time-slice-without-resume"]),
    (BEGIN + frame("human_input_required"), ["form-data-missing"]),
    (frame("node_started", id="s", node_id="s", node_type="start"), ["workflow-started-missing"]),
    (frame("node_started", id="s", node_id="s", node_type="code"), []),
]
"""A recording, and the codes of what is told of its run."""
STARTED_TWICE = PAUSED + PAUSED.replace('"r"', '"r2"').replace('"created_at": 1', '"created_at": 5')
