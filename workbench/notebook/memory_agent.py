"""What an Agent (v2) remembers, in Python: its messages, what they cost, and what compaction would take."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.core.memory.agents import AgentStep
from workbench.notebook import html
from workbench.notebook.tables import Column, Table, Tabular
from workbench.verbs.memory_agent import AgentRemembered
from workbench.views.safe import safe_line

if TYPE_CHECKING:
    from workbench.notebook.bench import Workbench


@dataclass(frozen=True, repr=False)
class AgentMemory(Tabular):
    """The history of an Agent's session (a CompositorSessionSnapshot)."""

    bench: Workbench = field(repr=False, compare=False)
    found: AgentRemembered = field(repr=False)

    @property
    def total(self) -> int:
        """Tokens of the whole history."""
        return self.found.memory.total

    @property
    def target(self) -> int | None:
        """Tokens above which Dify compacts; None where the context is unknown."""
        return self.found.memory.target

    @property
    def after_clearing(self) -> int | None:
        """Tokens once old results of tools are cleared; None when nothing is to be done."""
        return self.found.memory.after_clearing

    @property
    def growth(self) -> tuple[int, ...]:
        """Tokens that each turn added."""
        return self.found.memory.growth

    @property
    def tools(self) -> dict[str, tuple[int, int]]:
        """Calls and tokens of each tool."""
        return dict(self.found.memory.tools)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is odd in the session."""
        return tuple(self.found.session.notes)

    @property
    def table(self) -> Table:
        """One row a message: turn, what it is, tokens, total so far, what becomes of it, text."""
        columns = (
            *(Column("turn", "int"), Column("what"), Column("tokens", "int"), Column("total", "int")),
            *(Column("fate"), Column("text")),
        )
        rows = ((s.turn, _what(s), s.tokens, s.total, _fate(s), _text(s)) for s in self.found.memory.steps)
        return Table("messages", columns, tuple(rows))

    def __repr__(self) -> str:
        compacted = "" if self.after_clearing is None else f", {self.after_clearing} after clearing"
        limit = "no target" if self.target is None else f"target {self.target}"
        turns = len(self.growth)
        return safe_line(
            f"Session of {turns} turns: {self.total} tokens ({self.found.counter}), {limit}{compacted}"
        )

    def _repr_html_(self) -> str:
        rows = [
            (str(s.turn), _what(s), str(s.tokens), _fate(s), _text(s)[:80]) for s in self.found.memory.steps
        ]
        head = ("turn", "what", "tokens", "what compaction does", "text")
        return html.tag(
            "div", html.tag("p", html.tag("strong", repr(self))), html.table(head, rows[-60:])
        ).markup


def _what(step: AgentStep) -> str:
    return ", ".join(f"{part.kind} {part.tool}".strip() for part in step.message.parts)


def _fate(step: AgentStep) -> str:
    return "summarised" if step.summarised else "cleared" if step.cleared else "stays"


def _text(step: AgentStep) -> str:
    return " ".join(part.text for part in step.message.parts)
