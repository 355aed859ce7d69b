"""The settings of the memory lab, each a list of choices and a place in it: for every front end's sliders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.core.memory.settings import CALLERS, FORM_VERSIONS, FORMS, PRUNES
from workbench.core.tokens import NAMES
from workbench.core.tokens.encodings import ENCODINGS

if TYPE_CHECKING:
    from workbench.verbs.memory_lab import Lab

BUDGETS = (*range(0, 2000, 100), *range(2000, 10_000, 500), *range(10_000, 100_001, 5000))
CONTEXTS = (1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 128_000, 200_000, 400_000, 1_000_000)
REPLIES = (0, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768)
WINDOWS = range(1, 101)
"""What Dify's own slider offers."""


@dataclass(frozen=True, slots=True)
class Knob:
    """A setting.

    Attributes:
        name: the field of `Wishes`, or "node".
        choices: (value, how it is told).
        at: the place of the one that is chosen.
    """

    name: str
    label: str
    choices: tuple[tuple[Any, str], ...]
    at: int

    def moved(self, by: int) -> Any:
        """The value some places further; the ends hold."""
        return self.choices[max(0, min(len(self.choices) - 1, self.at + by))][0]


def knobs(lab: Lab) -> list[Knob]:
    """Every setting of a lab as it stands."""
    wishes, node = lab.wishes, lab.node
    found: list[Knob] = []

    def add(name: str, label: str, value: Any, choices: Sequence[tuple[Any, str]]) -> None:
        values = [each for each, _ in choices]
        if value not in values:
            choices = sorted([*choices, (value, str(value))], key=lambda c: -1 if c[0] is None else c[0])
            values = [each for each, _ in choices]
        found.append(Knob(name, label, tuple(choices), values.index(value)))

    if lab.nodes:
        titles = [(each.id, f"{each.title} ({each.caller})") for each in lab.nodes]
        add("node", "Node", None if node is None else node.id, titles)
    turns = len(lab.conversation.rows)
    if turns:
        add("turn", "Turn", wishes.turn or turns, [(n, f"{n} of {turns}") for n in range(1, turns + 1)])
    if not lab.nodes:
        add("caller", "Caller", wishes.caller or "llm", [(each, each) for each in CALLERS])
    own = [] if node is None else [(None, f"node's: {_window(node.window_enabled, node.window_size)}")]
    none = [(None, "off")] if node is None else [(0, "off")]
    add("window", "Window", wishes.window, [*own, *none, *((n, f"{n} rows") for n in WINDOWS)])
    add(
        "budget",
        "Budget",
        wishes.budget,
        [(None, "by the formula"), *((n, f"{n:,} tokens") for n in BUDGETS)],
    )
    add("context", "Context", wishes.context, [(None, "unknown"), *((n, f"{n:,} tokens") for n in CONTEXTS)])
    replies: list[tuple[Any, str]] = [(n, f"{n:,} tokens" if n else "not set") for n in REPLIES]
    if node is not None:
        replies.insert(0, (None, f"node's: {node.max_tokens or 'not set'}"))
    add("max_tokens", "Reply", wishes.max_tokens if node is not None else wishes.max_tokens or 0, replies)
    names = [*NAMES, *(each for each in ENCODINGS if each not in NAMES)]
    if wishes.counter not in names:
        names.append(wishes.counter)
    add("counter", "Counter", wishes.counter, [(each, each) for each in names])
    add("prune", "Pruning", wishes.prune, [(each, each) for each in PRUNES])
    add("form", "Form", wishes.form, [(each, f"{each} {FORM_VERSIONS[each]}") for each in FORMS])
    return found


def _window(enabled: bool, size: int | None) -> str:
    return f"{size} rows" if enabled and size else f"off ({size})" if size else "off"


def turned(lab: Lab, name: str, value: Any) -> Lab:
    """The lab with one setting at another value.

    Raises:
        UsageError: a value that does not exist.
    """
    return lab.at_node(value) if name == "node" else lab.changed(**{name: value})
