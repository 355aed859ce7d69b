"""What `why` and `check` found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from workbench.core.finding import AnswerState, Finding
from workbench.core.secrets import Mask, mask_for
from workbench.notebook import html
from workbench.notebook.tables import Column, Table, Tabular
from workbench.verbs.results import WhyResult
from workbench.views.safe import safe_line

if TYPE_CHECKING:
    from workbench.notebook.bench import Workbench

COLUMNS = (
    Column("code"),
    Column("severity"),
    Column("node_id"),
    Column("title"),
    Column("message"),
    Column("advice"),
    Column("edges", "any"),
    Column("steps", "any"),
)
_SIGNS = {"error": "✗", "warning": "!", "info": "·"}


@dataclass(frozen=True, repr=False)
class Page:
    """A help page, Markdown."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def __str__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return self.text


@dataclass(frozen=True, repr=False)
class Findings(Sequence[Finding], Tabular):
    """Findings, the worst first as the workbench orders them, and where each Answer stands.

    Attributes:
        result: unmasked (`workbench.verbs.results.WhyResult`).
    """

    bench: Workbench = field(repr=False, compare=False)
    result: WhyResult = field(repr=False)

    @cached_property
    def mask(self) -> Mask:
        return mask_for(self.result.environment, unmask=self.bench.unmask)

    @property
    def subject(self) -> str:
        """What was looked at."""
        return self.mask.text(self.result.subject)

    @property
    def answers(self) -> tuple[AnswerState, ...]:
        """Where each response node stands: `.node_id`, `.state`, `.blocking` and `.taken` edge ids."""
        return self.result.answers

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(map(self.mask.text, self.result.notes))

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes found, in order."""
        return tuple(each.code for each in self)

    @property
    def troubled(self) -> bool:
        """Whether one is an error or a warning."""
        return self.result.troubled

    def __len__(self) -> int:
        return len(self.result.findings)

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Finding, ...]: ...
    def __getitem__(self, index: int | slice) -> Finding | tuple[Finding, ...]:
        if isinstance(index, slice):
            return tuple(map(self._masked, self.result.findings[index]))
        return self._masked(self.result.findings[index])

    def _masked(self, each: Finding) -> Finding:
        mask = self.mask
        return Finding(
            each.code,
            each.severity,
            each.node_id,
            mask.text(each.message),
            mask.text(each.advice),
            each.edges,
            each.steps,
            each.versions,
        )

    def explain(self, code: str | None = None) -> Page:
        """The help page of a code; None is the first finding's.

        Raises:
            NotFoundError: there is no such code.
        """
        return self.bench.explain(code or (self.codes or ("",))[0])

    @property
    def table(self) -> Table:
        """One row a finding."""
        rows = [
            (
                each.code,
                each.severity,
                each.node_id,
                self.result.titles.get(each.node_id or ""),
                each.message,
                each.advice,
                list(each.edges),
                list(each.steps),
            )
            for each in self
        ]
        return Table("findings", COLUMNS, tuple(rows))

    def widget(self) -> Any:
        """The findings as a widget (extra `notebook`)."""
        from workbench.notebook.widgets import widget

        return widget("findings", self)

    def __repr__(self) -> str:
        lines = [f"{self.subject}: {'nothing found' if not self else ''}".rstrip(": ")]
        for each in self:
            lines.append(f"  {_SIGNS[each.severity]} {each.code}: {each.message}")
            lines += [f"    → {each.advice}"] if each.advice else []
            lines += [f"      {self._edge(edge)}" for edge in each.edges]
        lines += [f"  {each.state:<7} {self._title(each.node_id)}" for each in self.answers]
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(safe_line(line) for line in lines)

    def _repr_html_(self) -> str:
        rows = [
            (
                f"{_SIGNS[each.severity]} {each.severity}",
                html.code(each.code),
                html.join(
                    [
                        each.message,
                        html.tag("div", f"→ {each.advice}", style="opacity:.8") if each.advice else None,
                        html.items(map(self._edge, each.edges)),
                    ]
                ),
            )
            for each in self
        ]
        answers = [
            (
                self._title(each.node_id),
                each.state,
                html.items(map(self._edge, each.blocking)),
                html.items(map(self._edge, each.taken)),
            )
            for each in self.answers
        ]
        return html.card(
            self.subject,
            html.table(("", "code", "what"), rows) if rows else html.tag("div", "Nothing was found."),
            html.table(("Answer", "state", "waits for", "taken"), answers) if answers else None,
            html.items(self.notes),
        ).markup

    def _edge(self, edge: str) -> str:
        return self.result.edge_names.get(edge, edge)

    def _title(self, node: str) -> str:
        return self.result.titles.get(node) or node
