"""A chat over several turns: the runs of a conversation are the rows of its memory, as messages are in Dify.

Every run of a chatflow is a message row: its query, and all that its Answers streamed (not what a node said).
Nodes with memory read the rows of the turns before; conversation variables go on from turn to turn.
Source: Dify's chat pipeline; facts, dify-memory.md, 5 and 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.memory.settings import Settings
from workbench.core.memory.simulation import simulate
from workbench.core.tokens import Counter, counter
from workbench.errors import BadInputError, NotFoundError, UsageError
from workbench.records.app import App
from workbench.records.conversation import Conversation, Row, read_conversation
from workbench.verbs.context import Context
from workbench.verbs.target import FileTarget, StoredTarget, find

if TYPE_CHECKING:
    from workbench.engine.order import Answers
    from workbench.verbs.options import MemoryOptions
    from workbench.verbs.pauses import PauseSource


@dataclass(frozen=True)
class Chat:
    """A conversation before its next turn.

    Attributes:
        id: `sys.conversation_id`.
        rows: its turns so far, oldest first.
        variables: the conversation variables as the last turn left them.
    """

    id: str
    rows: tuple[Row, ...] = ()
    variables: Mapping[str, Any] | None = None

    def next(self, query: str, run_id: str) -> Row:
        """The row of a turn that begins: no answer yet, its parent is the last turn."""
        last = self.rows[-1] if self.rows else None
        at = 0.0 if last is None else last.created_at + 1
        return Row(run_id, query, "", at, None if last is None else last.id, 0, "normal")


@dataclass(frozen=True)
class Turn:
    """A run as a turn of a conversation."""

    chat: Chat
    answers: Answers

    def payload(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """APP of the protocol, its conversation variables as the last turn left them."""
        left = self.chat.variables or {}
        variables = [
            {**each, "value": left[each["name"]]} if each.get("name") in left else each
            for each in payload["conversation_variables"]
        ]
        return {**payload, "conversation_variables": variables}


def turn_of(ctx: Context, app: App, memory: MemoryOptions | None, query: str, run_id: str) -> Turn | None:
    """The next turn of a conversation; None for a run on its own.

    Raises:
        UsageError: the app has no conversations, or there is no such counter.
        BadInputError: what is named is no conversation.
    """
    if memory is None:
        return None
    if app.mode != "advanced-chat":
        raise UsageError(f"A {app.mode} app has no conversation.", "", "Leave --conversation out.")
    rule = counter(memory.counter)
    chat = chat_of(ctx, memory.conversation)
    return Turn(chat, answers(chat, chat.next(query, run_id), rule))


def resumed_turn(ctx: Context, source: PauseSource) -> tuple[Mapping[str, Any], Answers] | None:
    """The run's own `options.memory`, and what nodes are told after its pause; None for a run on its own.

    What was streamed before the pause is the message's answer by then, so the turn is part of its own
    history.
    """
    if source.run_id is None:
        return None
    run = ctx.store.run(source.run_id)
    memory = run.options.get("memory")
    if not isinstance(memory, Mapping):
        return None
    from workbench.verbs.heal import streamed_before

    chat = before(_stored(ctx, conversation_id(ctx, run.run_id)), run.run_id)
    row = chat.next(str(run.system.get("query", "")), run.run_id)
    row = replace(row, answer=streamed_before(ctx, source) or "")
    return memory, answers(chat, row, counter(str(memory.get("counter", "dify-default"))))


def chat_of(ctx: Context, text: str | Path) -> Chat:
    """The conversation that a run belongs to, that a file holds, or that has this name; a new name is a new
    one.

    Raises:
        BadInputError: the file is no conversation.
    """
    try:
        found = find(ctx, text)
    except NotFoundError:
        if Path(text).suffix:
            raise
        return _stored(ctx, str(text))
    if isinstance(found, StoredTarget) and found.kind in ("run", "pause"):
        run_id = found.id if found.kind == "run" else ctx.store.pause(found.id).run_id
        return _stored(ctx, conversation_id(ctx, run_id))
    if isinstance(found, FileTarget) and found.kind == "conversation":
        read_conversation(found.data, found.name)  # refused before it is kept
        kept = found.id or ctx.store.put_file("conversation", found.data, Path(found.name).name, found.detail)
        return _stored(ctx, kept)
    raise BadInputError(
        f"{text} is no conversation.",
        f"It is a {found.kind.replace('-', ' ')}.",
        "Give a run of the conversation, a file with message rows, or a name.",
    )


def conversation_id(ctx: Context, run_id: str) -> str:
    """The conversation of a run. Raises BadInputError where it has none (workflow apps)."""
    found = ctx.store.run(run_id).system.get("conversation_id")
    if not isinstance(found, str) or not found:
        raise BadInputError(
            f"Run {run_id} belongs to no conversation.",
            "Workflow apps have none.",
            "Give a run of a chatflow.",
        )
    return found


def conversation_of_runs(ctx: Context, run_id: str) -> Conversation:
    """The message rows that the runs of a run's conversation made."""
    chat = _stored(ctx, conversation_id(ctx, run_id))
    return Conversation(chat.rows, "runs")


def before(chat: Chat, run_id: str) -> Chat:
    """The conversation as it was before one of its runs."""
    places = [place for place, row in enumerate(chat.rows) if row.id == run_id]
    return chat if not places else replace(chat, rows=chat.rows[: places[0]])


def answers(chat: Chat, row: Row, rule: Counter) -> Answers:
    """What the nodes of a turn are told when they ask for their memory or for tokens.

    Args:
        row: the turn that runs. After a pause it has what was streamed until then, and is history itself.
        rule: how tokens are counted.
    """
    rows = (*chat.rows, row)

    def answer(question: Mapping[str, Any]) -> Mapping[str, Any]:
        if question["what"] == "tokens":
            return {"tokens": rule.total((role, text) for role, text in question["messages"])}
        limits = Settings(
            window_enabled=True,
            window_size=question.get("rows"),
            budget=int(question["max_tokens"]),
            counter=rule,
        )
        result = simulate(rows, limits)
        if result.raises:
            raise ValueError("Workflow run not found: a turn's files can't be read any more.")
        return {"messages": [[m.role, m.text] for m in result.left]}

    return answer


def _of_file(ctx: Context, chat_id: str) -> tuple[Row, ...]:
    """The rows that a conversation began with, where it is named after a stored file."""
    try:
        file = ctx.store.file(chat_id)
    except NotFoundError:
        return ()
    return read_conversation(file.data, file.name).rows


def _stored(ctx: Context, chat_id: str) -> Chat:
    """The rows of the file that a conversation began with, and the turns that were run since."""
    from workbench.verbs.inspect import open_run

    found = list(_of_file(ctx, chat_id))
    variables: Mapping[str, Any] | None = None
    for run in ctx.store.turns(chat_id):
        loaded = open_run(ctx, run.run_id)
        state = loaded.timeline.at(loaded.timeline.steps)
        failed = run.status == "failed"  # Dify keeps no answer then; of a stopped turn what was streamed
        at = max(run.started_at, found[-1].created_at + 1e-6 if found else 0.0)
        found.append(
            Row(
                run.run_id,
                str(loaded.run.system.get("query", "")),
                "" if failed else state.streamed,
                at,
                found[-1].id if found else None,
                0 if failed or not state.streamed else None,
                "paused" if run.status == "paused" else "error" if failed else "normal",
                running_id=run.run_id,
            )
        )
        variables = state.variables.get("conversation") or variables
    return Chat(chat_id, tuple(found), variables)
