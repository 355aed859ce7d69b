"""What differs between two runs, steps, saved states or apps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from workbench.core.diff import Change
from workbench.core.secrets import Mask, mask_for
from workbench.notebook import html
from workbench.notebook.tables import Column, Table, Tabular
from workbench.notebook.words import count
from workbench.verbs import diff as verb
from workbench.views.differences import differences_json, differences_lines

if TYPE_CHECKING:
    from workbench.notebook.bench import Workbench

COLUMNS = (Column("path"), Column("op"), Column("before", "any"), Column("after", "any"))
SHOWN = 100


@dataclass(frozen=True, repr=False)
class Differences(Sequence[Change], Tabular):
    """The changes that turn `before` into `after`.

    Attributes:
        result: unmasked (`workbench.verbs.diff.Differences`), with `rows` aligned fact by fact.
    """

    bench: Workbench = field(repr=False, compare=False)
    result: verb.Differences = field(repr=False)

    @cached_property
    def mask(self) -> Mask:
        environment = (*self.result.before.environment, *self.result.after.environment)
        return mask_for(environment, unmask=self.bench.unmask)

    @property
    def equal(self) -> bool:
        """Whether there is no change."""
        return self.result.equal

    @property
    def before(self) -> str:
        """What the first side is called."""
        return self.mask.text(self.result.before.name)

    @property
    def after(self) -> str:
        """What the second side is called."""
        return self.mask.text(self.result.after.name)

    @property
    def view(self) -> str:
        """How both were looked at: "run", "step", "app", or the kind of a file."""
        return self.result.view

    @property
    def patch(self) -> list[dict[str, Any]]:
        """The changes as a JSON Patch (RFC 6902)."""
        return list(self._told["patch"])

    @cached_property
    def _told(self) -> dict[str, Any]:
        """As `--json` tells it, masked."""
        return differences_json(self.result, self.mask)

    def __len__(self) -> int:
        return len(self.result.changes)

    @overload
    def __getitem__(self, index: int) -> Change: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Change, ...]: ...
    def __getitem__(self, index: int | slice) -> Change | tuple[Change, ...]:
        if isinstance(index, slice):
            return tuple(self._change(place) for place in range(len(self))[index])
        return self._change(range(len(self))[index])

    def _change(self, place: int) -> Change:
        """One change, masked as `--json` masks it."""
        told = self._told["changes"][place]
        change = self.result.changes[place]
        return Change(change.path, change.op, told["before"], told["after"])

    @property
    def table(self) -> Table:
        """One row a change: path, op ("add", "remove", "replace"), before, after."""
        told = self._told["changes"]
        rows = [(each["path"], each["op"], each["before"], each["after"]) for each in told]
        return Table("differences", COLUMNS, tuple(rows))

    def swapped(self) -> Differences:
        """The same from the other side."""
        return Differences(self.bench, self.result.swapped())

    def widget(self) -> Any:
        """Both sides in a widget (extra `notebook`)."""
        from workbench.notebook.widgets import widget

        return widget("compare", self)

    def __repr__(self) -> str:
        return "\n".join(differences_lines(self.result, self.mask))

    def _repr_html_(self) -> str:
        if self.equal:
            return html.card(f"No difference between {self.before} and {self.after}").markup
        return html.card(
            f"{count(len(self), 'difference')} between {self.before} and {self.after}",
            html.Html(self.table._repr_html_()),
        ).markup
