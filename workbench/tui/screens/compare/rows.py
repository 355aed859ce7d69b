"""The aligned facts, one a line: what it is, and both values beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType

from workbench.core.aligned import ABSENT, Row
from workbench.tui.text import fit, value_text
from workbench.tui.widgets.lines import Cell, LineView
from workbench.views.differences import masked_at
from workbench.views.secrets import Mask

_LONG = 600
"""Characters of a text, and a third of it the entries of a list or object, that one line looks at."""


def sign_of(row: Row) -> tuple[str, str]:
    """How a row differs, as a sign and a style."""
    if row.equal:
        return "=", "dim"
    if not row.counted:
        return "~", "gate"
    if row.before is ABSENT:
        return "+", "good"
    return ("-", "bad") if row.after is ABSENT else ("≠", "warn")


def shortened(value: Any, depth: int = 4) -> Any:
    """The beginning of a value, so that a line never looks at megabytes."""
    if isinstance(value, str):
        return value[:_LONG]
    if isinstance(value, Mapping):
        few = list(value.items())[: _LONG // 3] if depth else []
        return {key: shortened(item, depth - 1) for key, item in few} if depth else {"…": "…"}
    if isinstance(value, list | tuple):
        return [shortened(item, depth - 1) for item in value[: _LONG // 3]] if depth else ["…"]
    return value


def parts_that_differ(row: Row) -> list[str]:
    """The keys in which two objects differ: a node's `outputs`, say."""
    if not (isinstance(row.before, Mapping) and isinstance(row.after, Mapping)) or row.equal:
        return []
    keys = list(dict.fromkeys([*row.before, *row.after]))
    return [str(k) for k in keys if row.before.get(k, ABSENT) != row.after.get(k, ABSENT)]


def columns(width: int) -> tuple[int, int, int]:
    """Widths of the kind, of what it is, and of each value."""
    kind = 9 if width >= 70 else 5
    what = max(12, min(44, (width - 2 - kind) * 3 // 10))
    return kind, what, max(4, (width - 2 - kind - what - 3) // 2)


class RowsPanel(LineView[Row]):
    """The rows of a comparison."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Values", id="compare.whole"),
    ]
    HELP = """
    One fact a row: the first side left, the second right. A node's second time stands beside its second
    time.

    =  the same       ≠  different      -  only left     +  only right
    ~  told beside the differences: timing, findings, the gate at the end

    j k          move                  enter, click   the whole values
    n p          next, previous difference
    """

    def __init__(self) -> None:
        super().__init__(self._line, head=self._titles, empty="Reading both sides …", id="compare-rows")
        self.mask: Mask | None = None
        self._values: dict[int, tuple[str, str]] = {}

    def show(self, rows: Sequence[Row], mask: Mask, cursor: int) -> None:
        """Show other rows."""
        self.mask = mask
        self._values.clear()
        self.set_rows(rows, cursor)

    def _titles(self, width: int) -> Sequence[Cell]:
        kind, what, value = columns(width)
        return [(f"  {fit('Kind', kind)}{fit('What', what)} {fit('Left', value)} {fit('Right', value)}", "")]

    def _line(self, row: Row, width: int) -> Sequence[Cell]:
        kind, what, value = columns(width)
        sign, style = sign_of(row)
        before, after = self._texts(row)
        dim = "dim" if row.equal else ""
        return [
            (f"{sign} ", style),
            (fit(row.kind, kind), "dim"),
            (fit(row.what, what) + " ", dim or "name"),
            (fit(before, value), dim or ("dim" if row.before is ABSENT else "")),
            ("│" if cell_len(before) <= value else "┆", "dim"),
            (fit(after, width - 3 - kind - what - value - 1), dim or ("dim" if row.after is ABSENT else "")),
        ]

    def _texts(self, row: Row) -> tuple[str, str]:
        known = self._values.get(id(row))
        if known is None:
            known = self._values[id(row)] = (self._text(row, row.before), self._text(row, row.after))
        return known

    def _text(self, row: Row, value: Any) -> str:
        if value is ABSENT:
            return "(not there)"
        if row.kind == "timing":
            return f"{float(value['seconds'] or 0):.3f} s, {value['tokens']} tokens"
        if row.kind == "node" and row.equal and "status" in value:
            return str(value["status"])
        parts = parts_that_differ(row)
        if parts and len(parts) < len(value):
            value = {key: value[key] for key in parts if key in value}
        assert self.mask is not None
        small = masked_at(row.path, shortened(value), self.mask)
        if small == "":
            return '""'
        return value_text(small)
