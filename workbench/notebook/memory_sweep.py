"""Many settings of a memory over many conversations: a table, two charts, and the smallest that fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.memory.sweep import Smallest
from workbench.errors import UsageError
from workbench.notebook import html
from workbench.notebook.tables import Column, Table, Tabular, Type
from workbench.verbs.memory_sweep import Grid, Point, Swept, conversations_in, memory_sweep, read_each
from workbench.views.memory import sweep_lines
from workbench.views.safe import safe_line

if TYPE_CHECKING:
    from workbench.notebook.bench import Workbench
    from workbench.notebook.charts import Picture

_TYPES: Mapping[str, Type] = {
    "int": "int",
    "int | None": "int",
    "float": "float",
    "float | None": "float",
    "bool | None": "bool",
}


@dataclass(frozen=True, repr=False)
class MemorySweep(Tabular):
    """What every setting of a grid leaves of some conversations."""

    bench: Workbench = field(repr=False, compare=False)
    found: Swept = field(repr=False)

    @property
    def points(self) -> tuple[Point, ...]:
        """One a setting; window in rows, None is off; budget in tokens, None is the formula's."""
        return self.found.points

    @property
    def smallest(self) -> Smallest | None:
        """The smallest window and budget that keep what must be kept; None where nothing was asked for."""
        return self.found.smallest

    @property
    def advice(self) -> tuple[str, ...]:
        """What follows from it, in sentences with numbers."""
        return self.found.advice

    @property
    def unread(self) -> tuple[tuple[str, str], ...]:
        """(name, reason) of the conversations that could not be read."""
        return tuple((name, why) for name, _, why in self.found.conversations if why is not None)

    @property
    def table(self) -> Table:
        """One row a setting; columns as the attributes of `workbench.verbs.memory_sweep.Point`."""
        named = fields(Point)
        columns = tuple(Column(each.name, _TYPES[str(each.type)]) for each in named)
        rows = tuple(tuple(getattr(point, each.name) for each in named) for point in self.points)
        return Table("settings", columns, rows)

    def tokens_chart(self) -> Picture:
        """Mean tokens of the history a turn, against the window; a line a budget."""
        from workbench.notebook.charts import settings_chart

        return settings_chart(self.points, "mean_tokens", "tokens of the history a turn")

    def turns_chart(self) -> Picture:
        """Mean past turns that are kept, against the window; a line a budget."""
        from workbench.notebook.charts import settings_chart

        return settings_chart(self.points, "mean_turns", "past turns that are kept")

    def __repr__(self) -> str:
        return "\n".join(safe_line(line) for line in sweep_lines(self.found))

    def _repr_html_(self) -> str:
        told = [html.tag("li", sentence) for sentence in self.advice]
        unread = [html.tag("li", f"{name}: {why}") for name, why in self.unread]
        return html.join(
            [
                html.Html(self.table._repr_html_()),
                html.tag("ul", *told) if told else None,
                html.tag("ul", *unread) if unread else None,
            ]
        ).markup


def swept(
    bench: Workbench,
    targets: Sequence[Path | str],
    grid: tuple[Sequence[int | None], Sequence[int | None]],
    keep: str | None,
    price: float | None,
    *,
    app: Path | str | None,
    node: str | None,
    settings: Mapping[str, Any],
) -> MemorySweep:
    """What `Workbench.memory_sweep` gives; errors as there."""
    from workbench.verbs.memory import Wishes, node_of, settings_of

    unknown = set(settings) - {"context", "max_tokens", "counter", "prune", "form", "caller"}
    if unknown or not targets:
        what = f"There is no setting {sorted(unknown)[0]!r}." if unknown else "There is no conversation."
        raise UsageError(what, "", "Give conversations first, then settings by name.")
    wishes = Wishes(**settings)
    chosen = node_of(bench.ctx, app, node)
    read = read_each(bench.ctx, conversations_in(targets), settings_of(wishes, chosen), keep)
    found = memory_sweep(read, Grid(*map(tuple, grid)), wishes, chosen, keep=keep, price=price)
    return MemorySweep(bench, found)
