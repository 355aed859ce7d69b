"""What a node remembers of a conversation, in Python: the ledger, the messages, and turns against rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.core.memory.sweep import Smallest
from workbench.core.tokens import counter
from workbench.notebook import html
from workbench.notebook.tables import Column, Table, Tabular
from workbench.verbs.memory_lab import Lab
from workbench.views.memory import LEGEND, SIGNS, STAGE_WORDS
from workbench.views.safe import safe_line

if TYPE_CHECKING:
    from workbench.notebook.bench import Workbench


@dataclass(frozen=True, repr=False)
class Memory(Tabular):
    """A node's memory at a turn. Frozen: `with_` gives another one.

    Attributes:
        lab: the conversation and the settings, as the TUI has them.
    """

    bench: Workbench = field(repr=False, compare=False)
    lab: Lab = field(repr=False)

    def with_(self, **settings: Any) -> Memory:
        """The same with other settings: window (0 is off), budget, context, max_tokens, counter, prune, form,
        turn, caller.

        Raises:
            UsageError: a name or a turn that does not exist.
        """
        changed = Memory(self.bench, self.lab.changed(**settings))
        _ = changed.lab.remembered
        return changed

    @property
    def turn(self) -> int:
        """The turn that runs, from 1."""
        return self.lab.remembered.turn

    @property
    def messages(self) -> tuple[tuple[str, str], ...]:
        """(role, text) in the order in which the model gets them."""
        return tuple((message.role, message.text) for message in self.lab.remembered.messages)

    @property
    def kept(self) -> tuple[str, ...]:
        """The ids of the rows that are kept, oldest first."""
        return tuple(each.row.id for each in self.lab.remembered.simulation.rows if each.stage == "kept")

    @property
    def used(self) -> int:
        """Tokens of the history, as the counter says."""
        return self.lab.remembered.simulation.used

    @property
    def budget(self) -> int:
        """Tokens that the history may take."""
        return self.lab.remembered.simulation.budget.limit

    @property
    def formula(self) -> str:
        """From what the budget follows."""
        return self.lab.remembered.simulation.budget.formula

    @property
    def binding(self) -> str:
        """The limit that decides how far back the history goes: cap, window, budget or none."""
        return self.lab.remembered.simulation.binding

    @property
    def warnings(self) -> tuple[tuple[str, str], ...]:
        """(code, sentence) of all that is worth knowing."""
        return tuple((notice.code, notice.message) for notice in self.lab.remembered.notices)

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the warnings."""
        return tuple(code for code, _ in self.warnings)

    def smallest(self, keep: str) -> Smallest | None:
        """The smallest window (rows) and budget (tokens) that keep a text at every later turn; exact.

        None when no message that a later turn could need holds it.
        """
        return self.lab.keeping(keep).smallest

    @property
    def table(self) -> Table:
        """One row a message row: turn, id, stage, tokens, query, answer."""
        rows = self.lab.remembered.simulation.rows
        columns = (
            *(Column("turn", "int"), Column("id"), Column("stage"), Column("tokens", "int")),
            *(Column("query"), Column("answer")),
        )
        return Table(
            "rows",
            columns,
            tuple((r.turn, r.row.id, r.stage, r.tokens, r.row.query, r.row.answer) for r in rows),
        )

    @property
    def matrix(self) -> tuple[str, ...]:
        """A line a turn, a sign a row: see `workbench.views.memory.LEGEND`."""
        return tuple("".join(SIGNS[cell] for cell in line) for line in self.lab.matrix)

    def widget(self) -> Any:
        """A widget with a slider for every setting; its `settings` can be set and observed.

        Raises:
            UsageError: anywidget is not installed.
        """
        from workbench.notebook.widgets import widget

        return widget("memory", self)

    def __repr__(self) -> str:
        settings = self.lab.settings
        kept, rows = len(self.kept), len(self.lab.conversation.rows)
        return safe_line(
            f"Memory at turn {self.turn}: {kept} of {rows} rows kept, {self.used} of {self.budget} tokens "
            f"({settings.counter.name}), binding: {self.binding}"
        )

    def _repr_html_(self) -> str:
        rows = [
            (str(r.turn), STAGE_WORDS[r.stage], str(r.tokens), r.row.query[:80], r.row.answer[:80])
            for r in self.lab.remembered.simulation.rows[-60:]
        ]
        head = ("turn", "what became of it", "tokens", "question", "answer")
        told = [html.tag("li", html.code(code), f" {words}") for code, words in self.warnings]
        lines = "\n".join(f"{n:>4} {line}" for n, line in list(enumerate(self.matrix, start=1))[-60:])
        return html.tag(
            "div",
            html.tag("p", html.tag("strong", repr(self))),
            html.tag("p", html.faint(self.formula)),
            html.table(head, rows),
            html.tag("pre", f"{LEGEND}\n{lines}", style="line-height:1.1;font-family:monospace"),
            html.tag("ul", *told) if told else None,
        ).markup


def count_tokens(text: str, rule: str = "o200k_base") -> int:
    """The tokens of a text by a counter (`workbench memory --help` lists them).

    Raises:
        UsageError: there is no such counter.
    """
    return counter(rule).cost("user", text, True)
