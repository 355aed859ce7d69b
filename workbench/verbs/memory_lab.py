"""The memory lab: one conversation under settings that the user moves; both front ends paint it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path

from workbench.core.memory.matrix import Cell, matrix
from workbench.core.memory.nodes import MemoryNode, memory_nodes
from workbench.core.memory.settings import Settings
from workbench.core.memory.sweep import Smallest, Turn, needs_of, prepare, smallest
from workbench.errors import UsageError
from workbench.records.conversation import Conversation
from workbench.verbs.context import Context
from workbench.verbs.memory import Remembered, Wishes, choose_node, load_conversation, remember, settings_of
from workbench.verbs.target import find_app

Counted = dict[tuple[str, str], tuple[Turn, ...]]
"""Turns that were walked and counted, by form and counter; shared by the labs of one conversation."""


@dataclass(frozen=True)
class Lab:
    """A conversation, a node and the settings chosen for it. Frozen: `changed` gives the next one.

    Attributes:
        nodes: the nodes with memory of the app, empty without one.
        node: whose memory it is; None is a node without an app.
        wishes: what the user changed.
        keep: a text that must be kept; "" is none.
    """

    name: str
    conversation: Conversation
    nodes: tuple[MemoryNode, ...] = ()
    node: MemoryNode | None = None
    wishes: Wishes = field(default_factory=Wishes)
    keep: str = ""
    _counted: Counted = field(default_factory=dict, repr=False, compare=False)

    def changed(self, **wishes: object) -> Lab:
        """The lab with other wishes (fields of `Wishes`).

        Raises:
            UsageError: a name or a value that does not exist.
        """
        known = [each.name for each in fields(Wishes)]
        for name in wishes:
            if name not in known:
                raise UsageError(f"There is no setting {name!r}.", f"There are {', '.join(known)}.", "")
        found = replace(self, wishes=replace(self.wishes, **wishes))  # type: ignore[arg-type]
        _ = found.settings
        return found

    def at_node(self, node_id: str | None) -> Lab:
        """The same wishes at another node."""
        return replace(self, node=next((node for node in self.nodes if node.id == node_id), None))

    def keeping(self, text: str) -> Lab:
        """The lab with another text to keep."""
        return replace(self, keep=text)

    @cached_property
    def settings(self) -> Settings:
        """The node's settings with the wishes on top."""
        return settings_of(self.wishes, self.node)

    @cached_property
    def remembered(self) -> Remembered:
        """What the node sees at the chosen turn."""
        return remember(self.conversation, self.settings, self.wishes.turn, self.node)

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """Every turn, walked and counted; the slow part, once for each form and counter."""
        key = self.settings.form, self.settings.counter.name
        if key not in self._counted:
            rows = self.conversation.rows
            self._counted[key] = tuple(prepare(rows, self.settings.form, self.settings.counter))
        return self._counted[key]

    @cached_property
    def matrix(self) -> tuple[tuple[Cell, ...], ...]:
        """For each turn what became of every row."""
        return matrix(self.turns, self.settings)

    @cached_property
    def smallest(self) -> Smallest | None:
        """The smallest window and budget that keep the text at every later turn; None without a text."""
        rows = self.conversation.rows
        needs = needs_of(rows, self.keep, range(1, len(rows) + 1)) if self.keep else ()
        return smallest(self.turns, needs, self.settings.prune) if needs else None


def open_lab(
    ctx: Context, conversation: Path | str, *, app: Path | str | None = None, node: str | None = None
) -> Lab:
    """A lab on a conversation (a file, an id, a run of it), at a node with memory of an app.

    Raises:
        BadInputError, NotFoundError, UsageError: as `workbench.verbs.memory.memory`.
    """
    found = load_conversation(ctx, conversation)
    if app is None:
        return Lab(str(conversation), found)
    opened = find_app(ctx, app)
    nodes = memory_nodes(opened.graph)
    chosen = None if node is None and not nodes else choose_node(opened, node)
    return Lab(str(conversation), found, nodes, chosen)
