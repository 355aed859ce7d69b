"""A run of ours as the stream that Dify would have sent, for tests of captures."""

from __future__ import annotations

import json
from typing import Any

from workbench.core.replay import Timeline

RUN, MESSAGE = "run-1", "message-1"


def sse(timeline: Timeline, *, details: bool = True) -> str:
    """The frames of a run: of a chatflow where the app has an Answer, else of a workflow.

    Args:
        details: nodes tell their outputs.
    """
    frames: list[str] = []
    chat = any(node.type == "answer" for node in timeline.graph.nodes.values())
    ids = {"conversation_id": "c-1", "message_id": MESSAGE} if chat else {}

    def tell(event: str, data: dict[str, Any] | None = None, **more: Any) -> None:
        frame = {"event": event, **ids, "task_id": "t-1", **more}
        if data is not None:
            frame |= {"workflow_run_id": RUN, "data": data}
        if chat or event != "message_end":
            frames.append(f"data: {json.dumps(frame, ensure_ascii=False)}\n\n")

    answers: list[str] = []
    for step, event in enumerate(timeline.journal.events, 1):
        if event["kind"] == "GraphRunStarted":
            _event(timeline, event, tell, answers, details=details)
        for chunk in timeline.chunks_at(step):
            source = {"from_variable_selector": list(chunk.selector)}
            if chat:
                tell("message", answer=chunk.text, **source)
            else:
                tell("text_chunk", {"text": chunk.text, **source})
        if event["kind"] != "GraphRunStarted":
            _event(timeline, event, tell, answers, details=details)
    return "event: ping\n\n" + "".join(frames)


_ENDS = {
    "GraphRunSucceeded": "succeeded",
    "GraphRunPartialSucceeded": "partial-succeeded",
    "GraphRunFailed": "failed",
    "GraphRunAborted": "stopped",
}
_DONE = {"NodeRunSucceeded": "succeeded", "NodeRunException": "exception", "NodeRunFailed": "failed"}


def _event(timeline: Timeline, event: Any, tell: Any, answers: list[str], *, details: bool) -> None:
    kind, node = event["kind"], event.get("node", "")
    outputs = event.get("outputs") or {}
    head: dict[str, Any] = {"id": event.get("xid"), "node_id": node}
    if node:
        found = timeline.graph.nodes[node]
        head |= {
            "node_type": found.type,
            "title": found.title,
            "index": 1,
            "iteration_id": event.get("container"),
        }
    if kind == "GraphRunStarted":
        query = timeline.journal.variables.get("sys", {}).get("query", "hi")
        start = {"id": RUN, "inputs": {"sys.query": query}, "created_at": 1, "reason": event["reason"]}
        tell("workflow_started", start)
    elif kind == "NodeRunStarted":
        tell("node_started", head)
    elif kind == "NodeRunRetry":
        tell("node_retry", head)
    elif kind in _DONE:
        if found.type == "human-input" and event.get("handle") == "__timeout":
            tell("human_input_form_timeout", {"node_id": node})
        elif found.type == "human-input":
            action = outputs.get("__action_id", "ok")
            tell("human_input_form_filled", {"node_id": node, "action_id": action})
        root = found.type == "answer" and "container" not in event
        answers += [outputs.get("answer", "")] if root else []
        told = dict(outputs) if details or found.type == "answer" else None
        tell("node_finished", {**head, "outputs": told, "status": _DONE[kind], "error": event.get("error")})
    elif kind == "NodeRunPauseRequested":
        form = {"form_id": "f", "form_token": "secret", "node_id": node, "node_title": node}
        tell("human_input_required", form)
    elif kind == "GraphRunPaused":
        tell("workflow_paused", {"workflow_run_id": RUN, "status": "paused", "reasons": []})
    elif kind in _ENDS:
        tell("message_end", metadata={})
        end = {"id": RUN, "status": _ENDS[kind], "outputs": {"answer": "".join(answers)}}
        tell("workflow_finished", {**end, "error": event.get("error")})
