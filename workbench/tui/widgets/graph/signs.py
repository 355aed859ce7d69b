"""Signs for node types and states: one cell wide in every terminal, none of them an emoji."""

from __future__ import annotations

from workbench.core.finding import AnswerPhase
from workbench.core.picture.looks import NodeLook

_TYPES = {
    "start": "▷",
    "end": "■",
    "answer": "»",
    "if-else": "◆",
    "question-classifier": "◇",
    "human-input": "◉",
    "llm": "✦",
    "agent": "✧",
    "code": "ƒ",
    "http-request": "⇄",
    "tool": "†",
    "template-transform": "¶",
    "variable-aggregator": "⊕",
    "assigner": "←",
    "parameter-extractor": "⊙",
    "knowledge-retrieval": "≣",
    "document-extractor": "≡",
    "list-operator": "∷",
    "iteration": "∀",
    "loop": "↻",
    "iteration-start": "▷",
    "loop-start": "▷",
    "loop-end": "■",
}

STATUS: dict[NodeLook, str] = {
    "unknown": " ",
    "taken": "·",
    "running": "▸",
    "succeeded": "✓",
    "failed": "✗",
    "exception": "!",
    "paused": "‖",
    "retry": "↺",
    "skipped": "×",
}

PHASES: dict[AnswerPhase, str] = {"locked": "■", "queued": "…", "active": "▸", "done": "✓"}


def type_sign(node_type: str) -> str:
    """The sign of a node type; triggers look like a start, unknown types like a dot."""
    return _TYPES.get(node_type) or ("▷" if node_type.startswith("trigger") else "∙")
