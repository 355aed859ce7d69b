"""A run of ours as the stream that Dify would have sent, for tests of captures."""

from __future__ import annotations

import json
from typing import Any

from workbench.core.replay import Timeline

RUN, MESSAGE = "run-1", "message-1"


def sse(timeline: Timeline, *, details: bool = True) -> str:
    """The frames of a chatflow's run.

    Args:
        details: nodes tell their outputs.
    """
    frames: list[str] = []

    def tell(event: str, data: dict[str, Any] | None = None, **more: Any) -> None:
        frame = {"event": event, "conversation_id": "c-1", "message_id": MESSAGE, "task_id": "t-1", **more}
        if data is not None:
            frame |= {"workflow_run_id": RUN, "data": data}
        frames.append(f"data: {json.dumps(frame, ensure_ascii=False)}\n\n")

    answers: list[str] = []
    for step, event in enumerate(timeline.journal.events, 1):
        if event["kind"] == "GraphRunStarted":
            _event(timeline, event, tell, answers, details=details)
        for chunk in timeline.chunks_at(step):
            tell("message", answer=chunk.text, from_variable_selector=list(chunk.selector))
        if event["kind"] != "GraphRunStarted":
            _event(timeline, event, tell, answers, details=details)
    return "event: ping\n\n" + "".join(frames)


def _event(timeline: Timeline, event: Any, tell: Any, answers: list[str], *, details: bool) -> None:
    kind, node = event["kind"], event.get("node", "")
    head: dict[str, Any] = {"id": event.get("xid"), "node_id": node}
    if node:
        found = timeline.graph.nodes[node]
        head |= {"node_type": found.type, "title": found.title, "index": 1, "predecessor_node_id": None}
    if kind == "GraphRunStarted":
        query = timeline.journal.variables.get("sys", {}).get("query", "hi")
        tell(
            "workflow_started",
            {"id": RUN, "inputs": {"sys.query": query}, "created_at": 1, "reason": event["reason"]},
        )
    elif kind == "NodeRunStarted":
        tell("node_started", head)
    elif kind == "NodeRunSucceeded":
        if found.type == "human-input":
            tell(
                "human_input_form_filled",
                {"node_id": node, "action_id": event["outputs"].get("__action_id", "ok")},
            )
        answers += [event["outputs"]["answer"]] if found.type == "answer" else []
        outputs = dict(event["outputs"]) if details or found.type == "answer" else None
        tell("node_finished", {**head, "outputs": outputs, "status": "succeeded"})
    elif kind == "NodeRunPauseRequested":
        tell(
            "human_input_required",
            {"form_id": "f", "form_token": "secret", "node_id": node, "node_title": node},
        )
    elif kind == "GraphRunPaused":
        tell("workflow_paused", {"workflow_run_id": RUN, "status": "paused", "reasons": []})
    elif kind == "GraphRunSucceeded":
        tell("message_end", metadata={})
        tell("workflow_finished", {"id": RUN, "status": "succeeded", "outputs": {"answer": "".join(answers)}})
