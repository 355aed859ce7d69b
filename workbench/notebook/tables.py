"""Tables: rows with typed columns that become text, HTML, Arrow or pandas."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, overload

from workbench.errors import UsageError
from workbench.notebook import html
from workbench.notebook.words import short
from workbench.views.safe import safe_line, width

if TYPE_CHECKING:
    import pandas
    import pyarrow

Type = Literal["int", "float", "text", "bool", "time", "any"]
SHOWN = 60
"""Rows that a table shows; how many are left out is said. The conversions give all."""
WIDEST = 48
_ARROW = {"int": "int64", "float": "float64", "text": "string", "bool": "bool_", "any": "string"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column. `type` "time" holds `datetime` in UTC, "any" plain JSON data; None fits every type."""

    name: str
    type: Type = "text"
    unit: str = ""


@dataclass(frozen=True, repr=False)
class Table(Sequence[dict[str, Any]]):
    """Rows with typed columns. As a sequence it gives each row as a dictionary.

    Attributes:
        name: what the rows are ("events").
    """

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...] = field(repr=False)

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> Table: ...
    def __getitem__(self, index: int | slice) -> dict[str, Any] | Table:
        if isinstance(index, slice):
            return Table(self.name, self.columns, self.rows[index])
        return dict(zip((each.name for each in self.columns), self.rows[index], strict=True))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[index] for index in range(len(self)))

    def column(self, name: str) -> tuple[Any, ...]:
        """The values of one column.

        Raises:
            UsageError: there is no such column.
        """
        names = [each.name for each in self.columns]
        if name not in names:
            raise UsageError(f"There is no column {name!r}.", f"There are: {', '.join(names)}.")
        return tuple(row[names.index(name)] for row in self.rows)

    def to_pandas(self) -> pandas.DataFrame:
        """A `pandas.DataFrame`: Int64, Float64, string, boolean and UTC times; JSON data as Python objects.

        Raises:
            UsageError: pandas is not installed.
        """
        pandas = extra("pandas", "A table becomes a DataFrame")
        kinds = {"int": "Int64", "float": "Float64", "text": "string", "bool": "boolean"}
        made = {}
        for place, each in enumerate(self.columns):
            values = self._values(place)
            if each.type == "time":
                made[each.name] = pandas.to_datetime(pandas.Series(values, dtype="object"), utc=True)
            else:
                made[each.name] = pandas.Series(values, dtype=kinds.get(each.type, "object"))
        return pandas.DataFrame(made)

    def to_arrow(self) -> pyarrow.Table:
        """A `pyarrow.Table`: int64, float64, string, bool and timestamp[ms, UTC]; JSON data as JSON text.

        Raises:
            UsageError: pyarrow is not installed.
        """
        pyarrow = extra("pyarrow", "A table becomes an Arrow table")
        made = {}
        for place, each in enumerate(self.columns):
            values = self._values(place)
            if each.type == "any":
                values = [None if value is None else _utf8(_json(value)) for value in values]
            if each.type == "time":
                kind = pyarrow.timestamp("ms", tz="UTC")
            else:
                kind = getattr(pyarrow, _ARROW[each.type])()
            made[each.name] = pyarrow.array(values, type=kind)
        return pyarrow.table(made)

    def _values(self, place: int) -> list[Any]:
        found = [row[place] for row in self.rows]
        return [_utf8(each) for each in found] if self.columns[place].type == "text" else found

    def __repr__(self) -> str:
        heads = [self._head(each) for each in self.columns]
        cells = [[safe_line(_cell(value), WIDEST) for value in row] for row in self.rows[:SHOWN]]
        widths = [max(map(width, column)) for column in zip(heads, *cells, strict=True)] if heads else []
        lines = [self._line(row, widths) for row in (heads, *cells)]
        return "\n".join([f"{len(self)} {self.name}", *lines, *self._left_out()])

    def _repr_html_(self) -> str:
        rows = [[_cell(value) for value in row] for row in self.rows[:SHOWN]]
        shown = html.table([self._head(each) for each in self.columns], rows, f"{len(self)} {self.name}")
        more = (html.tag("div", html.faint(text)) for text in self._left_out())
        return html.tag("div", shown, *more, style="overflow-x:auto").markup

    def _left_out(self) -> list[str]:
        more = len(self) - SHOWN
        return [f"… {more} more; [a:b] gives others, to_pandas() all"] if more > 0 else []

    @staticmethod
    def _head(column: Column) -> str:
        return f"{column.name} ({column.unit})" if column.unit else column.name

    @staticmethod
    def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
        padded = (cell + " " * (wide - width(cell)) for cell, wide in zip(cells, widths, strict=True))
        return "  ".join(padded).rstrip()


class Tabular:
    """What can be seen as a table."""

    @property
    def table(self) -> Table:
        """The same as a table."""
        raise NotImplementedError

    def to_pandas(self) -> pandas.DataFrame:
        """`table.to_pandas()`."""
        return self.table.to_pandas()

    def to_arrow(self) -> pyarrow.Table:
        """`table.to_arrow()`."""
        return self.table.to_arrow()


def extra(module: str, what: str) -> Any:
    """A module of the extra `notebook`.

    Raises:
        UsageError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise UsageError(
            f"{what} with the help of {module}, which can't be imported.",
            f"{type(error).__name__}: {error}",
            "Install it: pip install 'answer-workbench[notebook]'",
        ) from error


def moment(seconds: float | None) -> datetime | None:
    """Seconds since 1970 as a time in UTC, to the millisecond."""
    return None if seconds is None else datetime.fromtimestamp(round(seconds, 3), UTC)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, float):
        return f"{value:.3f}"
    return value if isinstance(value, str) else short(value, 200)


def _utf8(text: str | None) -> str | None:
    """A lone surrogate, which no UTF-8 can hold, becomes a question mark."""
    return None if text is None else text.encode("utf-8", "replace").decode()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
