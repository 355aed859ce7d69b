"""An Agent's (v2) history: what it costs, how it grows, and what Dify's compaction would take out of it.

Source: Dify since #40872 (August 2026): the target is four fifths of the context or what the reply leaves,
the smaller; first results of tools are cleared, then old messages are summarised (facts: dify-memory.md,
8.4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.core.tokens import Counter
from workbench.records.agent_session import AgentMessage, AgentSession

KEPT_PAIRS = 3
"""Pairs of a tool's call and result that the first tier leaves."""
KEPT_MESSAGES = 20
"""Messages that a summary leaves; the first user message stays too."""

MANIFEST: Mapping[str, str] = {
    **dict.fromkeys(
        (
            *("system_prompt", "workflow_prompt", "workflow_context", "model", "structured_output"),
            *("tools.dify_tools", "tools.cli_tools", "knowledge", "env", "sandbox", "skills_files", "human"),
        ),
        "supported",
    ),
    "memory": "reserved_not_executed",
}
"""The feature manifest: an Agent Soul's `memory` (scope, budget, artifacts) is taken and not carried out."""

SCOPES = (
    ("before #41871 (September 2026)", "workflow_run", "each turn of a chatflow starts with nothing"),
    ("since #41871", "conversation", "a chatflow's Agent goes on with its conversation's history"),
)
"""Whose session it is, by version: (Dify, owner, what follows)."""


@dataclass(frozen=True, slots=True)
class AgentStep:
    """A message with its cost.

    Attributes:
        turn: from 1: a user prompt begins one.
        tokens: of all its parts, by the counter.
        total: of the history up to here.
        cleared: a tool's result that the first tier would clear.
        summarised: the second tier would put it into the summary.
    """

    message: AgentMessage
    turn: int
    tokens: int
    total: int
    cleared: bool = False
    summarised: bool = False


@dataclass(frozen=True)
class AgentMemory:
    """What an Agent remembers.

    Attributes:
        target: tokens above which Dify compacts; None where the context is unknown: nothing is compacted.
        after_clearing: tokens when old results of tools are cleared; None when nothing is to be done.
        tools: calls and tokens (calls and results together) of each tool.
        growth: tokens that each turn added.
    """

    steps: tuple[AgentStep, ...]
    total: int
    target: int | None
    after_clearing: int | None
    tools: Mapping[str, tuple[int, int]]
    growth: tuple[int, ...]


def agent_memory(
    session: AgentSession, rule: Counter, *, context: int | None = None, max_tokens: int = 0
) -> AgentMemory:
    """The history of a session, counted."""
    target = None if not context else max(0, min(context * 4 // 5, context - max_tokens))
    costs = [
        sum(rule.cost(part.kind, part.text, False) for part in message.parts) for message in session.messages
    ]
    total = sum(costs)
    over = target is not None and total > target
    cleared = _cleared(session) if over else frozenset()
    saved = sum(
        rule.cost(part.kind, part.text, False)
        for place in cleared
        for part in session.messages[place].parts
        if part.kind == "tool-return"
    )
    after = total - saved if over else None
    still_over = after is not None and target is not None and after > target
    summarised = _summarised(session) if still_over else frozenset()
    steps: list[AgentStep] = []
    growth: list[int] = []
    turn = running = 0
    tools: dict[str, list[int]] = {}
    for place, (message, cost) in enumerate(zip(session.messages, costs, strict=True)):
        if any(part.kind == "user-prompt" for part in message.parts) or not turn:
            turn += 1
            growth.append(0)
        running += cost
        growth[-1] += cost
        steps.append(AgentStep(message, turn, cost, running, place in cleared, place in summarised))
        for part in message.parts:
            if part.tool:
                counts = tools.setdefault(part.tool, [0, 0])
                counts[0] += part.kind == "tool-call"
                counts[1] += rule.cost(part.kind, part.text, False)
    return AgentMemory(
        tuple(steps),
        total,
        target,
        after,
        {name: (calls, tokens) for name, (calls, tokens) in tools.items()},
        tuple(growth),
    )


def _cleared(session: AgentSession) -> frozenset[int]:
    """Messages with a tool's result, but for the newest `KEPT_PAIRS`."""
    results = [
        place
        for place, message in enumerate(session.messages)
        if any(part.kind == "tool-return" for part in message.parts)
    ]
    return frozenset(results[:-KEPT_PAIRS])


def _summarised(session: AgentSession) -> frozenset[int]:
    """Messages before the newest `KEPT_MESSAGES`; the first user message stays."""
    old = range(max(0, len(session.messages) - KEPT_MESSAGES))
    first = next(
        (p for p in old if any(part.kind == "user-prompt" for part in session.messages[p].parts)), None
    )
    return frozenset(place for place in old if place != first)
