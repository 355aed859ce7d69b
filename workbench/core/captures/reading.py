"""From the events of a recorded stream to the runs in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from workbench.core.captures.run import CapturedRun, Form, NodeRun, Piece

_TEXT: Final = {"message": "answer", "agent_message": "answer", "text_chunk": "text"}
_SIDE: Final = frozenset({"tts_message", "tts_message_end", "message_file", "error"})
"""Events that belong to the run at hand, whatever ids they carry."""
_FINAL: Final = frozenset({"succeeded", "failed", "exception", "stopped"})


class Event(Protocol):
    """What is read of a `records.sse.SseEvent`."""

    @property
    def name(self) -> str: ...
    @property
    def frame(self) -> Mapping[str, Any]: ...
    @property
    def data(self) -> Mapping[str, Any]: ...
    def text(self, key: str) -> str | None: ...


def runs_of(events: Sequence[Event]) -> tuple[CapturedRun, ...]:
    """The runs of a recording, in the order in which they begin; two recordings may be spliced."""
    reader = _Reader()
    for number, event in enumerate(events, 1):
        reader.read(number, event)
    for run in reader.runs:
        _close(run)
    return tuple(reader.runs)


def _close(run: CapturedRun) -> None:
    if run.ended is None and run.pauses and run.pauses[-1] > run.segments[-1]:
        run.status = "paused"
    if any(piece.selector for piece in run.pieces) and run.mode == "chat":
        run.mode = "advanced-chat"
    if run.mode == "chat" and run.text_end is not None:
        run.ended, run.status = run.text_end, "succeeded"


class _Reader:
    def __init__(self) -> None:
        self.runs: list[CapturedRun] = []
        self._by_id: dict[str, CapturedRun] = {}
        self._by_message: dict[str, CapturedRun] = {}
        self._executions: dict[tuple[int, str, str], NodeRun] = {}
        """By run, node and execution id; the newest of a node under an empty id."""

    def read(self, number: int, event: Event) -> None:
        run = self._run(event)
        self._ids(run, event)
        run.numbers.append(number)
        if event.name == "workflow_started":
            _start(run, number, event)
        elif not run.segments:
            _head_missing(run, number, event)
        segment = len(run.segments) - 1
        if event.name in _TEXT:
            text = event.text(_TEXT[event.name])
            selector = event.data.get("from_variable_selector") or event.frame.get("from_variable_selector")
            run.pieces.append(Piece(number, segment, text or "", _selector(selector)))
        elif event.name in ("message_replace", "text_replace"):
            text = event.text("answer") or event.text("text") or ""
            run.pieces.append(Piece(number, segment, text, replaces=True))
        elif event.name in ("node_started", "node_finished", "node_retry"):
            _node(self._node_run(run, segment, event), run, number, segment, event)
        elif event.name.startswith("human_input_") or event.name == "workflow_paused":
            _pause(run, number, segment, event)
        else:
            _end(run, number, event)

    def _run(self, event: Event) -> CapturedRun:
        run_id, message_id = _run_id(event), event.text("message_id")
        if run_id is not None:
            same = self._by_message.get(message_id) if message_id is not None else None
            known = self._by_id.get(run_id) or (same if same is not None and same.run_id is None else None)
            return known or self._new()
        if not self.runs:
            return self._new()
        last = self.runs[-1]
        other = message_id is not None and last.message_id not in (None, message_id)
        if event.name in _SIDE or not other:
            return last
        return self._by_message.get(message_id or "") or self._new()

    def _node_run(self, run: CapturedRun, segment: int, event: Event) -> NodeRun:
        """The execution that an event is about: by its id, else the newest of that node that fits."""
        xid, node_id = event.data.get("id"), str(event.data.get("node_id") or "")
        xid = xid if isinstance(xid, str) else ""
        newest = self._executions.get((id(run), node_id, ""))
        if newest is not None:
            told_apart = xid and newest.xid and newest.xid != xid
            goes_on = event.name != "node_started" or newest.status in ("running", "paused")
            if xid and (known := self._executions.get((id(run), node_id, xid))) is not None:
                return known
            if goes_on and not told_apart:
                return newest
        title, kind = event.data.get("title") or node_id, event.data.get("node_type") or ""
        node = NodeRun(node_id, str(kind), str(title), xid, begun=segment)
        self._executions[id(run), node_id, ""] = self._executions[id(run), node_id, xid] = node
        run.nodes.append(node)
        return node

    def _new(self) -> CapturedRun:
        self.runs.append(CapturedRun())
        return self.runs[-1]

    def _ids(self, run: CapturedRun, event: Event) -> None:
        run.run_id = run.run_id or _run_id(event)
        if event.name not in _SIDE:
            run.message_id = run.message_id or event.text("message_id")
            run.task_id = run.task_id or event.text("task_id")
            run.conversation_id = run.conversation_id or event.text("conversation_id")
            self._by_message.setdefault(run.message_id or "", run)
        self._by_id.setdefault(run.run_id or "", run)
        if event.name in ("message", "message_end") and run.run_id is not None:
            run.mode = "advanced-chat"
        elif run.mode == "chat" and run.run_id is not None:
            run.mode = "advanced-chat" if run.conversation_id else "workflow"


def _run_id(event: Event) -> str | None:
    found = event.text("workflow_run_id")
    if found is None and event.name.startswith("workflow_"):
        found = event.text("id")
    return found or None


def _selector(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _start(run: CapturedRun, number: int, event: Event) -> None:
    reason = event.data.get("reason")
    inputs = event.data.get("inputs")
    if not run.segments:
        run.begins = "resume" if reason == "resumption" else "start"
        run.segments.append(number)
        created = event.data.get("created_at")
        run.started_at = created if isinstance(created, int | float) else None
    elif reason == "resumption" or (run.pauses and run.pauses[-1] > run.segments[-1]):
        run.segments.append(number)
    else:
        run.notes.append("The stream was joined again: the same run is told a second time from its start.")
    if isinstance(inputs, Mapping) and not run.inputs:
        run.inputs = inputs


def _head_missing(run: CapturedRun, number: int, event: Event) -> None:
    run.segments.append(number)
    if event.name.startswith("human_input_form_"):
        run.begins = "resume"


def _node(node: NodeRun, run: CapturedRun, number: int, segment: int, event: Event) -> None:
    again, node.segment = segment == node.segment, segment
    data = event.data
    node.container = node.container or data.get("iteration_id") or data.get("loop_id") or None
    if event.name == "node_started":
        if node.status not in _FINAL:
            node.status = "running"
        if node.started is None or not again:
            node.started = number
        return
    if event.name == "node_retry":
        node.attempts += 1
        return
    status = data.get("status")
    told = node.status in _FINAL and status in _FINAL and again
    if told:
        run.notes.append(f"{node.title!r} ({node.node}) is told as finished more than once.")
    node.status = status if isinstance(status, str) else "succeeded"
    node.paused = node.paused or node.status == "paused"
    node.finished = node.finished if told else number
    for key in ("inputs", "outputs"):
        if isinstance(data.get(key), Mapping):
            setattr(node, key, data[key])
    node.error = data.get("error") if isinstance(data.get("error"), str) else node.error


def _pause(run: CapturedRun, number: int, segment: int, event: Event) -> None:
    data = event.data
    if event.name == "workflow_paused":
        run.pauses.append(number)
        reasons = data.get("reasons")
        run.reasons = tuple(r for r in reasons if isinstance(r, Mapping)) if isinstance(reasons, list) else ()
        told = {form.node for form in run.forms if form.number >= run.segments[segment]}
        for reason in run.reasons:
            if str(reason.get("node_id") or "") not in told and reason.get("form_id"):
                run.forms.append(_form(number, reason))
        waiting = {form.node for form in run.forms} | set(map(str, data.get("paused_nodes") or ()))
        for node in run.nodes:
            node.paused = node.paused or (node.node in waiting and node.status == "running")
            node.status = "paused" if node.paused and node.status == "running" else node.status
        return
    if event.name == "human_input_required":
        run.forms.append(_form(number, data))
        return
    if run.pauses and run.pauses[-1] > run.segments[-1]:
        run.segments.append(number)  # a resume that the stream tells without a second workflow_started
    wanted = str(data.get("node_id") or "")
    for node in reversed(run.nodes):
        if node.node == wanted:
            if event.name == "human_input_form_filled":
                node.filled = number
                node.action = event.text("action_id")
            else:
                node.expired = number
            break


def _form(number: int, data: Mapping[str, Any]) -> Form:
    expires = data.get("expiration_time")
    return Form(
        number,
        str(data.get("node_id") or ""),
        str(data.get("node_title") or data.get("node_id") or ""),
        expires if isinstance(expires, int) else None,
        bare=not data,
    )


def _end(run: CapturedRun, number: int, event: Event) -> None:
    if event.name == "message_end":
        run.text_end = number
    elif event.name == "error":
        run.errors.append(event.text("message") or event.text("code") or "an error without a message")
    elif event.name == "workflow_finished":
        run.ended = number
        status, outputs = event.data.get("status"), event.data.get("outputs")
        run.status = status if isinstance(status, str) else "succeeded"
        run.outputs = outputs if isinstance(outputs, Mapping) else None
        error = event.data.get("error")
        run.error = error if isinstance(error, str) and error else None
