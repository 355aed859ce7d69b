"""What a node's memory is set to, and the two limits that follow from it: rows and tokens.

Sources: graphon 0.4.0 to 0.8.0, `nodes/llm/llm_utils.py`, `question_classifier_node.py`,
`parameter_extractor_node.py`; Dify's `AgentRuntimeSupport` (Agent v1) and `AppRunner` (basic chat).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from workbench.core.tokens import Counter, counter

Caller = Literal["llm", "llm-completion", "classifier", "extractor", "agent-v1", "chat"]
CALLERS: tuple[Caller, ...] = ("llm", "llm-completion", "classifier", "extractor", "agent-v1", "chat")
Prune = Literal["shipped", "36758", "turns"]
PRUNES: tuple[Prune, ...] = ("shipped", "36758", "turns")
Form = Literal["A", "B", "C", "D"]
FORMS: tuple[Form, ...] = ("A", "B", "C", "D")
FORM_VERSIONS: Mapping[Form, str] = {
    "A": "Dify 0.8 and older",
    "B": "Dify 0.9.1 and later",
    "C": "Dify 1.x",
    "D": "Dify with graphon",
}

CAP = 500
"""Rows that are read at most, whatever the window."""

DEFAULT_BUDGET = 2000
"""Tokens where the context size is unknown, and always for Agent v1 (DEFAULT_MEMORY_MAX_TOKEN_LIMIT)."""

EXTRACTOR_EXTRA = 1000
"""What the parameter extractor takes off for the parts of its prompt that it does not count."""


@dataclass(frozen=True)
class Settings:
    """All that decides what a node remembers.

    Attributes:
        window_enabled, window_size: `memory.window` of the node. The classifier, the extractor and Agent v1
        apply
            the size whether it is enabled or not.
        context: the model's context size in tokens; None or 0 is unknown.
        max_tokens: what its parameters reserve for the reply; 0 where they name none.
        budget: tokens; None takes the caller's own formula.
        own: the (role, text) messages of its own prompt that classifier, extractor and basic chat take off.
        prefixes: names of user and assistant where history becomes text.
    """

    caller: Caller = "llm"
    window_enabled: bool = False
    window_size: int | None = None
    context: int | None = None
    max_tokens: int = 0
    budget: int | None = None
    counter: Counter = field(default_factory=counter)
    prune: Prune = "shipped"
    form: Form = "D"
    own: Sequence[tuple[str, str]] = ()
    prefixes: tuple[str, str] = ("Human", "Assistant")


@dataclass(frozen=True)
class Budget:
    """How many tokens history may take, and from what that follows."""

    limit: int
    formula: str


def row_limit(settings: Settings) -> int | None:
    """The window that the caller passes on, in rows; None is none."""
    size = settings.window_size
    heeds_switch = settings.caller in ("llm", "llm-completion", "chat")
    if heeds_switch and not settings.window_enabled:
        return None
    return size if size is not None and size > 0 else None


def rows_read(settings: Settings) -> int:
    """How many rows are read at most: the window, never more than 500."""
    window = row_limit(settings)
    return CAP if window is None else min(window, CAP)


def budget(settings: Settings) -> Budget:
    """The caller's budget in tokens; never negative."""
    if settings.budget is not None:
        return Budget(max(0, settings.budget), "given")
    if settings.caller == "agent-v1":
        return Budget(DEFAULT_BUDGET, "2000, fixed: Agent v1 passes no budget")
    if not settings.context:
        return Budget(DEFAULT_BUDGET, "2000: the model's context size is unknown")
    own = settings.counter.total(settings.own)
    words = f"{settings.context} (context) - {settings.max_tokens} (max_tokens)"
    if settings.caller in ("llm", "llm-completion"):
        empty = settings.counter.empty
        return _clamped(settings.context - settings.max_tokens - empty, f"{words} - {empty} (an empty list)")
    if settings.caller == "extractor":
        own += EXTRACTOR_EXTRA
        words = f"{words} - {own - EXTRACTOR_EXTRA} (its prompt) - {EXTRACTOR_EXTRA}"
    else:
        words = f"{words} - {own} (its prompt)"
    return _clamped(settings.context - settings.max_tokens - own, words)


def _clamped(limit: int, formula: str) -> Budget:
    return Budget(max(0, limit), formula if limit >= 0 else f"{formula}, below 0: 0")
