"""`memory agent`: what an Agent (v2) remembers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.core.memory.agents import AgentMemory, agent_memory
from workbench.core.tokens import counter
from workbench.errors import UsageError
from workbench.records.agent_session import AgentSession, read_agent_session
from workbench.verbs.context import Context
from workbench.verbs.target import FileTarget, find


@dataclass(frozen=True)
class AgentRemembered:
    """A session and its history, counted."""

    session: AgentSession
    memory: AgentMemory
    counter: str


def memory_agent(
    ctx: Context,
    target: Path | str,
    *,
    counter_name: str = "o200k_base",
    context: int | None = None,
    max_tokens: int = 0,
) -> AgentRemembered:
    """An Agent's session by file or id, counted.

    Raises:
        UsageError: it is no session, or there is no such counter.
        BadInputError, NotFoundError: it can't be read, it is not there.
    """
    rule = counter(counter_name)
    found = find(ctx, target)
    if not isinstance(found, FileTarget) or found.kind != "agent-session":
        raise UsageError(
            f"{target} is no session of an Agent.",
            f"It is a {found.kind.replace('-', ' ')}.",
            "Give a CompositorSessionSnapshot (agent_workspace_bindings.session_snapshot).",
        )
    session = read_agent_session(found.data, found.name)
    return AgentRemembered(
        session, agent_memory(session, rule, context=context, max_tokens=max_tokens), counter_name
    )
