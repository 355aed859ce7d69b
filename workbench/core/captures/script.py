"""What a recorded run's outside world answered, as a script for a run on the engine (kernels/SCRIPT.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from workbench.core.captures.run import CapturedRun, NodeRun
from workbench.core.graph import Graph
from workbench.records.script_rules import SELF_MADE, STREAMING

FORM: Final = "human-input"
_OWN: Final = SELF_MADE | {"template-transform"}
"""Types that work out their result themselves: the engine does it again."""
_NOT_OUTPUTS: Final = frozenset({"text", "files", "json", "usage", "reasoning_content", "finish_reason"})


def script_of(graph: Graph, run: CapturedRun) -> tuple[dict[str, dict[str, Any]], tuple[str, ...]]:
    """Entries by node id, and the nodes whose answer the recording does not tell (the engine makes one up).

    Forms that the run waited for are no part of it: they are submitted at their pause.
    """
    executions: dict[str, list[NodeRun]] = {}
    for node in sorted(run.nodes, key=lambda each: each.finished or 0):
        known = graph.nodes.get(node.node)
        if known is not None and known.type not in _OWN and node.finished is not None:
            executions.setdefault(node.node, []).append(node)
    script: dict[str, dict[str, Any]] = {}
    untold = []
    for node_id, those in executions.items():
        entries = [_entry(graph.nodes[node_id].type, node, run) for node in those]
        told = [entry for entry in entries if entry]
        if len(told) < len(entries) and graph.nodes[node_id].type != FORM:
            untold.append(node_id)
        if told:
            script[node_id] = told[0] if len(those) == 1 else {"calls": told}
    return script, tuple(untold)


def _entry(kind: str, node: NodeRun, run: CapturedRun) -> dict[str, Any]:
    if kind == FORM:
        return {} if node.paused else _form(node)
    sent = run.sent_of(node) if kind in STREAMING else []
    if node.status in ("failed", "exception"):
        fail: dict[str, Any] = {"error": node.error or "failed, as recorded"}
        return {"chunks": sent, "fail": {**fail, "after_chunks": len(sent)}} if sent else {"fail": fail}
    if node.outputs is None:
        return {}
    again = _sent_by_the_last(sent, node.outputs.get("text")) if node.attempts > 1 else sent
    entry = _answer(kind, node.outputs, again)
    if entry and node.attempts > 1:
        entry["fail"] = {"attempts": list(range(1, node.attempts))}
        if node.attempts == 2 and len(again) < len(sent):
            entry["fail"]["after_chunks"] = len(sent) - len(again)
    return entry


def _sent_by_the_last(sent: list[str], text: Any) -> list[str]:
    """Of the pieces of all attempts those that make up the output."""
    return next((sent[k:] for k in range(len(sent)) if "".join(sent[k:]) == text), sent)


def _form(node: NodeRun) -> dict[str, Any]:
    """A form that was answered before the run paused."""
    outputs = node.outputs or {}
    action = node.action or outputs.get("__action_id")
    if node.expired is not None or not action:
        return {"timeout": True} if node.expired is not None else {}
    fields = {name: value for name, value in outputs.items() if not name.startswith("__")}
    return {"submit": {"action": action, "fields": fields}}


def _answer(kind: str, outputs: Mapping[str, Any], chunks: Sequence[str]) -> dict[str, Any]:
    if kind == "question-classifier":
        return {"class": str(outputs["class_id"])} if outputs.get("class_id") else {}
    if kind == "parameter-extractor":
        return {"outputs": {name: value for name, value in outputs.items() if not name.startswith("__")}}
    if kind == "http-request":
        found = {"status": outputs.get("status_code"), "body": outputs.get("body")}
        return {key: value for key, value in found.items() if value is not None}
    if kind == "knowledge-retrieval":
        return {"results": outputs["result"]} if isinstance(outputs.get("result"), list) else {}
    text = outputs.get("text")
    if not isinstance(text, str) or kind.startswith("trigger-"):
        return {"outputs": dict(outputs)}
    entry: dict[str, Any] = {"chunks": list(chunks)} if "".join(chunks) == text and chunks else {"text": text}
    if kind == "llm":
        structured = outputs.get("structured_output")
        return {"outputs": {"text": text, "structured_output": structured}} if structured else entry
    if outputs.get("json"):
        entry["json"] = outputs["json"]
    more = {name: value for name, value in outputs.items() if name not in _NOT_OUTPUTS}
    return entry | ({"outputs": more} if more else {})
