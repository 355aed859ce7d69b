"""`memory`: what a node sees of a conversation at a turn, and which settings keep what must be kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.memory.nodes import MemoryNode, memory_nodes
from workbench.core.memory.notices import Notice, notices
from workbench.core.memory.prompt import Prompt, final_list
from workbench.core.memory.settings import CALLERS, FORMS, PRUNES, Settings
from workbench.core.memory.simulation import Simulation, simulate
from workbench.core.memory.thread import at_turn
from workbench.core.tokens import counter
from workbench.errors import NotFoundError, UsageError
from workbench.records.app import App
from workbench.records.conversation import Conversation, read_conversation
from workbench.verbs.context import Context
from workbench.verbs.target import FileTarget, StoredTarget, find, find_app

if TYPE_CHECKING:
    from workbench.core.memory.settings import Caller, Form, Prune


@dataclass(frozen=True)
class Wishes:
    """What the user asks for; None takes the node's own, or Dify's default.

    Attributes:
        window: rows; 0 switches the window off.
        budget: tokens; None is the caller's formula.
        turn: from 1; None is the newest row.

    Raises:
        UsageError: a number that is no whole one from 0 on, or a counter that is no name.
    """

    caller: str | None = None
    window: int | None = None
    budget: int | None = None
    context: int | None = None
    max_tokens: int | None = None
    counter: str = "dify-default"
    prune: str = "shipped"
    form: str = "D"
    turn: int | None = None

    def __post_init__(self) -> None:
        for name in ("window", "budget", "context", "max_tokens", "turn"):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < 0):
                raise UsageError(f"{name} can't be {value!r}.", "", "Give a whole number from 0 on, or None.")
        if not isinstance(self.counter, str):
            raise UsageError(f"counter can't be {self.counter!r}.", "", "Give the name of a counter.")


@dataclass(frozen=True)
class Remembered:
    """A node's memory at a turn.

    Attributes:
        messages: the final list, the node's own prompt included where its app is known.
        notices: what to know about it, the conversation's own notes first.
    """

    conversation: Conversation
    simulation: Simulation
    messages: tuple[Prompt, ...]
    notices: tuple[Notice, ...]
    node: MemoryNode | None
    turn: int


def memory(
    ctx: Context,
    conversation: Path | str,
    wishes: Wishes = Wishes(),
    *,
    app: Path | str | None = None,
    node: str | None = None,
) -> Remembered:
    """What a node sees while a turn runs.

    Args:
        app, node: whose memory; without `node` the app's first one with memory.

    Raises:
        UsageError: an unknown counter, caller, node, or a turn that is not there.
        BadInputError: the conversation can't be read.
    """
    found = load_conversation(ctx, conversation)
    chosen = node_of(ctx, app, node)
    return remember(found, settings_of(wishes, chosen), wishes.turn, chosen)


def remember(
    conversation: Conversation, settings: Settings, turn: int | None = None, node: MemoryNode | None = None
) -> Remembered:
    """As `memory`, for what was read already."""
    rows = conversation.rows
    if turn is not None and not 1 <= turn <= len(rows):
        raise UsageError(f"There is no turn {turn}.", f"The conversation has turns 1 to {len(rows)}.", "")
    seen = rows if turn is None else at_turn(rows, turn)
    result = simulate(seen, settings)
    query = seen[-1].query if seen and any(each.stage == "running" for each in result.rows) else ""
    noted = tuple(Notice("conversation-note", note) for note in conversation.notes)
    return Remembered(
        conversation,
        result,
        final_list(result, node, query),
        (*noted, *notices(result)),
        node,
        turn or len(rows),
    )


def load_conversation(ctx: Context, target: Path | str) -> Conversation:
    """A conversation by file or id.

    Raises:
        NotFoundError, BadInputError, UsageError: nothing goes by that name, it can't be read, it is none.
    """
    from workbench.records.reading import STATE_LIMIT, read_file

    if Path(target).is_file():
        return read_conversation(read_file(target, STATE_LIMIT), str(target))
    found = find(ctx, target)
    if isinstance(found, StoredTarget) and found.kind == "run":
        from workbench.verbs.conversing import conversation_of_runs

        return conversation_of_runs(ctx, found.id)
    if isinstance(found, FileTarget) and found.kind == "conversation":
        return read_conversation(found.data, found.name)
    kind = found.kind if isinstance(found, FileTarget) else f"{found.kind}"
    raise UsageError(
        f"{target} is no conversation.",
        f"It is a {kind.replace('-', ' ')}.",
        "Give message rows (JSON lines, a service API answer, a message list), or a run of the conversation.",
    )


def node_of(ctx: Context, app: Path | str | None, node: str | None) -> MemoryNode | None:
    """Whose memory it is: by `choose_node` in an app; without one, None.

    Raises:
        UsageError: a node without its app.
        NotFoundError, BadInputError: there is no such node or app, or the app can't be read.
    """
    if app is not None:
        return choose_node(find_app(ctx, app), node)
    if node is not None:
        raise UsageError("A node needs its app.", "", "Give the app (--app) that the node is in.")
    return None


def choose_node(app: App, node: str | None) -> MemoryNode:
    """The node by id or title, or the first with memory.

    Raises:
        NotFoundError: it has no memory, or there is none.
    """
    nodes = memory_nodes(app.graph)
    if node is None and nodes:
        return nodes[0]
    for each in nodes:
        if node in (each.id, each.title):
            return each
    names = [each.id for each in nodes]
    known = f"Nodes with memory: {', '.join(names)}." if names else "No node of this app has memory."
    near = get_close_matches(node or "", names, n=1)
    raise NotFoundError(
        f"{app.name} has no node {node} with memory." if node else f"{app.name} has no node with memory.",
        known,
        f"Did you mean {near[0]}?" if near else "",
    )


def settings_of(wishes: Wishes, node: MemoryNode | None = None) -> Settings:
    """The settings of a node with the user's wishes on top.

    Raises:
        UsageError: a name that does not exist, listed with those that do.
    """
    caller: Caller = _one_of(wishes.caller, CALLERS, "caller") or (node.caller if node else "llm")  # type: ignore[assignment]
    prune: Prune = _one_of(wishes.prune, PRUNES, "prune rule") or "shipped"  # type: ignore[assignment]
    form: Form = _one_of(wishes.form, FORMS, "form") or "D"  # type: ignore[assignment]
    settings = Settings(
        caller=caller,
        window_enabled=node.window_enabled if node else False,
        window_size=node.window_size if node else None,
        context=wishes.context,
        max_tokens=wishes.max_tokens if wishes.max_tokens is not None else (node.max_tokens if node else 0),
        budget=wishes.budget,
        counter=counter(wishes.counter),
        prune=prune,
        form=form,
        prefixes=(node.prefixes if node and caller == "llm-completion" else None) or ("Human", "Assistant"),
    )
    if wishes.window is None:
        return settings
    if wishes.window == 0:
        return replace(settings, window_enabled=False, window_size=None if node is None else node.window_size)
    return replace(settings, window_enabled=True, window_size=wishes.window)


def _one_of(value: str | None, allowed: Sequence[str], what: str) -> str | None:
    if value is None or value in allowed:
        return value
    raise UsageError(
        f"There is no {what} {value}.", f"There are {', '.join(allowed)}.", "Choose one of them."
    )
