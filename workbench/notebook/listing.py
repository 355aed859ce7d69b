"""Several things at once: the runs of the store, imported files, one app on every engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from workbench.core.secrets import Mask
from workbench.notebook import html
from workbench.notebook.run import Run
from workbench.notebook.tables import Column, Table, Tabular, moment
from workbench.verbs.results import Difference, ImportedFile
from workbench.views.safe import safe_line

if TYPE_CHECKING:
    from workbench.notebook.bench import Workbench

COLUMNS = (
    Column("run_id"),
    Column("app"),
    Column("mode"),
    Column("status"),
    Column("kernel"),
    Column("started_at", "time"),
    Column("finished_at", "time"),
    Column("steps", "int"),
    Column("interrupted", "bool"),
    Column("forked_from"),
    Column("forked_at", "int"),
)


@dataclass(frozen=True, repr=False)
class Runs(Sequence[Run], Tabular):
    """Runs of the store, the newest first; each is read when it is looked at."""

    runs: tuple[Run, ...] = field(repr=False)

    def __len__(self) -> int:
        return len(self.runs)

    @overload
    def __getitem__(self, index: int) -> Run: ...
    @overload
    def __getitem__(self, index: slice) -> Runs: ...
    def __getitem__(self, index: int | slice) -> Run | Runs:
        return Runs(self.runs[index]) if isinstance(index, slice) else self.runs[index]

    @property
    def table(self) -> Table:
        """One row a run; times are UTC, `steps` counts events."""
        mask = Mask()
        rows = []
        for run in self.runs:
            row, fork = run.row, run.row.forked_from or {}
            rows.append(
                (
                    row.run_id,
                    mask.text(row.app),
                    row.mode,
                    row.status,
                    row.kernel,
                    moment(row.started_at),
                    moment(row.finished_at),
                    row.steps,
                    row.interrupted,
                    fork.get("run_id"),
                    fork.get("step"),
                )
            )
        return Table("runs", COLUMNS, tuple(rows))

    def __repr__(self) -> str:
        return repr(self._short())

    def _repr_html_(self) -> str:
        return self._short()._repr_html_()

    def _short(self) -> Table:
        full = self.table
        kept = [full.columns.index(each) for each in COLUMNS if each.name not in ("mode", "finished_at")]
        columns = tuple(full.columns[place] for place in kept)
        return Table("runs", columns, tuple(tuple(row[place] for place in kept) for row in full.rows))


@dataclass(frozen=True, repr=False)
class Imported(Sequence[ImportedFile], Tabular):
    """Files that were imported; one that is nothing known has an `error` and no `id`."""

    bench: Workbench = field(repr=False, compare=False)
    files: tuple[ImportedFile, ...]

    def __len__(self) -> int:
        return len(self.files)

    @overload
    def __getitem__(self, index: int) -> ImportedFile: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ImportedFile, ...]: ...
    def __getitem__(self, index: int | slice) -> ImportedFile | tuple[ImportedFile, ...]:
        return self.files[index]

    @property
    def errors(self) -> tuple[ImportedFile, ...]:
        """The files that could not be imported."""
        return tuple(each for each in self.files if each.id is None)

    def load(self, index: int = 0) -> Any:
        """What the file at `index` holds, as `Workbench.load` gives it.

        Raises:
            BadInputError: it could not be imported.
        """
        return self.bench.load_imported(self.files[index])

    @property
    def table(self) -> Table:
        """One row a file: file, kind, id, detail, error."""
        names = ("file", "kind", "id", "detail", "error")
        rows = [(f.file, f.kind, f.id, f.detail, f.error) for f in self.files]
        return Table("files", tuple(map(Column, names)), tuple(rows))

    def __repr__(self) -> str:
        return repr(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


@dataclass(frozen=True, repr=False)
class OnAllKernels:
    """One app, or one pause, on every engine kernel, the newest first.

    Attributes:
        differences: in what they disagree: `.kernels`, `.what`, `.cause` (None where no known cause fits).
    """

    runs: Runs
    differences: tuple[Difference, ...]

    def __repr__(self) -> str:
        lines = [f"  {', '.join(d.kernels)}: {d.what}{self._cause(d)}" for d in self.differences]
        told = [safe_line(line) for line in lines] or ["  no difference between the engines"]
        return "\n".join([repr(self.runs), *told])

    def _repr_html_(self) -> str:
        rows = [(", ".join(d.kernels), d.what, d.cause or "") for d in self.differences]
        found = html.table(("engines", "what differs", "known cause"), rows) if rows else None
        none = None if rows else html.tag("div", "No difference between the engines.")
        return html.join([html.Html(self.runs._repr_html_()), found, none]).markup

    @staticmethod
    def _cause(difference: Difference) -> str:
        return f" ({difference.cause})" if difference.cause else ""
