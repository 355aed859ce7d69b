"""What a saved pause tells without its app: which gate a resume begins with, and what the gate waits for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from workbench.core.finding import AnswerState, Finding
from workbench.core.findings.dify import gate_fate
from workbench.core.findings.lost_gate import MISSING
from workbench.core.findings.running import by_severity
from workbench.core.findings.saved import HEAL, why_fresh
from workbench.core.findings.unreachable import UNREACHABLE

NEEDS_APP: Final = (
    "With --app APP the edges and Answers have names, and it is told which Answers go silent or repeat, "
    "and why."
)


def diagnose_bare(
    gate: Mapping[str, Any] | None,
    dify: str | None = None,
    *,
    coordinator: Mapping[str, Any] | None = None,
) -> tuple[tuple[Finding, ...], tuple[AnswerState, ...]]:
    """As `saved.diagnose_saved`, without the app's graph; edge ids as saved."""
    fate = gate_fate(dify) if dify is not None else "kept"
    used = coordinator if fate == "inside" else None if fate == "lost" else gate
    if used is None:
        return (_fresh(why_fresh(gate, coordinator, dify, fate)),), ()
    return by_severity(_without_paths(used)), tuple(_answers(used))


def _fresh(reason: str) -> Finding:
    return Finding(
        code=MISSING,
        severity="warning",
        node_id=None,
        message=(
            f"A resume begins with a fresh gate, because {reason}. Answers behind a branch, container, "
            "Answer or assigner that ran before the pause stay silent, and those that were open are "
            "streamed again. Which ones these are, if any, is in the app's graph."
        ),
        advice=f"Give the app (--app APP) to see which. {HEAL}",
    )


def _without_paths(gate: Mapping[str, Any]) -> Iterator[Finding]:
    """Locked Answers that the saved gate has no path to."""
    paths = gate.get("paths_map")
    for node in _nodes(gate.get("pending_sessions")):
        if isinstance(paths, Mapping) and paths.get(node, []) == []:
            yield Finding(
                code=UNREACHABLE,
                severity="warning",
                node_id=node,
                message=(
                    f'"{node}" is locked, and the saved gate knows no path to it: it stands in a loop or '
                    "iteration, or hangs on nothing. It will not stream."
                ),
                advice="Give the app (--app APP) to see which; put an Answer behind the container.",
            )


def _answers(gate: Mapping[str, Any]) -> Iterator[AnswerState]:
    active = _nodes([gate.get("active_session")])
    waiting, pending = _nodes(gate.get("waiting_sessions")), _nodes(gate.get("pending_sessions"))
    paths = gate.get("paths_map")
    for node in gate.get("response_nodes") or ():
        if not isinstance(node, str):
            continue
        listed = paths.get(node) if isinstance(paths, Mapping) else None
        left: list[str] = min(listed, key=len) if isinstance(listed, list) and listed else []
        if node in pending:
            yield AnswerState(node, "locked", tuple(map(str, left)))
        else:
            yield AnswerState(node, "active" if node in active else "queued" if node in waiting else "done")


def _nodes(sessions: Any) -> list[str]:
    return [
        session["node_id"]
        for session in (sessions if isinstance(sessions, list) else ())
        if isinstance(session, Mapping) and isinstance(session.get("node_id"), str)
    ]
