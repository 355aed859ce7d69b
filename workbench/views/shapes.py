"""The JSON of every verb, exactly as DESIGN promises it and docs/json.md describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.core.finding import AnswerState, Finding
from workbench.core.path_lists import MOST_BITS, power_of_ten
from workbench.core.paths import SearchCost
from workbench.verbs.results import (
    ComparedRuns,
    Difference,
    Exported,
    ImportedFile,
    PauseInfo,
    RunResult,
    Way,
    WhyResult,
)
from workbench.views.secrets import Mask

VERSION = 1
"""Of the JSON documents. Keys may be added within a version; none is taken away or changes its meaning."""


def run_json(result: RunResult, mask: Mask) -> dict[str, Any]:
    """`run` and `resume`."""
    return {
        "version": VERSION,
        "run_id": result.run_id,
        "app": mask.text(result.app),
        "mode": result.mode,
        "status": result.status,
        "answer": None if result.answer is None else mask.text(result.answer),
        "outputs": mask.data(result.outputs),
        "streamed": mask.text(result.streamed),
        "chunks": [mask.text(chunk) for chunk in result.chunks],
        "pause": None if result.pause is None else pause_json(result.pause, mask),
        "steps": result.steps,
        "kernel": result.kernel,
        "gate": result.gate,
        "forked_from": None if result.forked_from is None else dict(result.forked_from),
        "error": None if result.error is None else mask.text(result.error),
        "stream_error": None if result.stream_error is None else mask.text(result.stream_error),
        "notes": [mask.text(note) for note in result.notes],
    }


def pause_json(pause: PauseInfo, mask: Mask) -> dict[str, Any]:
    """The `pause` of a run."""
    return {"pause_id": pause.pause_id, "reasons": [reason_json(reason, mask) for reason in pause.reasons]}


def reason_json(reason: Mapping[str, Any], mask: Mask) -> dict[str, Any]:
    """One reason: the promised keys always, those that the host adds where they are."""
    actions = [
        {**each, "id": each["id"], "title": each.get("title", "")} for each in reason.get("actions") or ()
    ]
    fields = [
        {**each, "name": each["name"], "type": each.get("type", "paragraph"), "default": each.get("default")}
        for each in reason.get("fields") or ()
    ]
    shown = {**reason, "actions": actions, "fields": fields}
    for key in ("node_id", "form_id"):
        shown.setdefault(key, None)
    masked: dict[str, Any] = mask.data(shown)
    return masked


def compared_json(result: ComparedRuns, mask: Mask) -> dict[str, Any]:
    """`run` and `resume` with `--kernel all`."""
    return {
        "version": VERSION,
        "runs": [
            {**run_json(run, mask), **way_json(way)}
            for run, way in zip(result.runs, result.ways, strict=True)
        ],
        "differences": [difference_json(each, mask) for each in result.differences],
    }


def way_json(way: Way) -> dict[str, Any]:
    return {
        "path": list(way.nodes),
        "findings": [{"code": code, "node_id": node_id} for code, node_id in way.findings],
    }


def difference_json(difference: Difference, mask: Mask) -> dict[str, Any]:
    return {
        "kernels": list(difference.kernels),
        "what": mask.text(difference.what),
        "cause": difference.cause,
    }


def why_json(result: WhyResult, mask: Mask) -> dict[str, Any]:
    """`why` and `check`."""
    return {
        "version": VERSION,
        "subject": mask.text(result.subject),
        "findings": [finding_json(finding, mask) for finding in result.findings],
        "answers": [answer_json(answer) for answer in result.answers],
        "notes": [mask.text(note) for note in result.notes],
        **({} if result.search is None else {"search": search_json(result.search)}),
    }


def search_json(search: SearchCost) -> dict[str, Any]:
    """What listing the paths costs; numbers that a double can't hold are text, all their digits."""
    return {
        "paths": {node: _count(count) for node, count in search.paths.items()},
        "calls": _count(search.calls),
        "capped": search.capped,
        "seconds": round(search.seconds, 6) if search.seconds < 1e9 else None,
    }


def _count(count: int) -> int | str:
    if count < 2**53:
        return count
    return str(count) if count.bit_length() <= MOST_BITS else power_of_ten(count)


def finding_json(finding: Finding, mask: Mask) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "node_id": finding.node_id,
        "edges": list(finding.edges),
        "steps": list(finding.steps),
        "message": mask.text(finding.message),
        "advice": mask.text(finding.advice),
        "versions": {"first": finding.versions[0], "last": finding.versions[1]},
    }


def answer_json(answer: AnswerState) -> dict[str, Any]:
    return {
        "node_id": answer.node_id,
        "state": answer.state,
        "blocking": list(answer.blocking),
        "taken": list(answer.taken),
    }


def imported_json(files: Sequence[ImportedFile]) -> dict[str, Any]:
    """`import`."""
    return {
        "version": VERSION,
        "files": [
            {"file": each.file, "kind": each.kind, "id": each.id, "detail": each.detail, "error": each.error}
            for each in files
        ],
    }


def exported_json(result: Exported) -> dict[str, Any]:
    """`export`."""
    return {
        "version": VERSION,
        "file": result.path,
        "format": result.format,
        "bytes": result.size,
        "secrets": result.secrets,
        "notes": list(result.notes),
    }
