"""One diagnosed fact, and where an Answer stands. Codes are stable; DESIGN: each has a help page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning", "info"]
Versions = tuple[str | None, str | None]
AnswerPhase = Literal["locked", "queued", "active", "done"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnosed fact with its evidence.

    Attributes:
        code: kebab-case, stable ("gate-state-missing").
        node_id: the node it is about, usually an Answer; None for facts about a whole run or file.
        edges: DSL edge ids that are the evidence.
        steps: steps of the run that are the evidence (1-based event numbers).
        message: one or two plain sentences.
        advice: what to do about it.
        versions: the first and the last Dify on which it bites, None for no bound known ("1.15", "1.15").
    """

    code: str
    severity: Severity
    node_id: str | None
    message: str
    advice: str
    edges: tuple[str, ...] = ()
    steps: tuple[int, ...] = ()
    versions: Versions = (None, None)


@dataclass(frozen=True, slots=True)
class AnswerState:
    """Where one response node stands.

    `blocking` and `taken` are the blocking edges of the path with the fewest untaken ones.
    """

    node_id: str
    state: AnswerPhase
    blocking: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
