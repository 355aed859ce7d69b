"""Two sides, aligned fact by fact: differences first, everything else on request."""

from __future__ import annotations

import json
from typing import Any

import traitlets

from workbench.core.aligned import ABSENT, Row, shared_beginning
from workbench.views.differences import masked_at
from workbench.views.safe import safe_line
from workbench.widgets import still
from workbench.widgets.frames import short
from workbench.widgets.given import DifferencesLike
from workbench.widgets.wire import Asked, answers

PAGE, VALUE, WHOLE = 100, 400, 50_000
"""Rows of a page; characters of a value in one, and of a value that is asked for alone."""


class Compare(Asked):
    """Both sides beside each other.

    Attributes:
        selected: the selected row; -1 for none.
        differences: how many rows differ.
        only: only those are shown.
    """

    selected = traitlets.Int(-1).tag(sync=True)
    only = traitlets.Bool(True).tag(sync=True)
    differences = traitlets.Int(0, read_only=True).tag(sync=True)
    _title = traitlets.Unicode("").tag(sync=True)
    _data = traitlets.Dict().tag(sync=True)

    def __init__(self, differences: DifferencesLike) -> None:
        self._found = differences
        self._rows: tuple[Row, ...] = tuple(differences.result.rows)
        mask, result = differences.mask, differences.result
        sides = [safe_line(mask.text(side.name)) for side in (result.before, result.after)]
        count = len(self.differing)
        super().__init__(
            _view="compare",
            _title=f"{count} difference{'' if count == 1 else 's'} between {sides[0]} and {sides[1]}",
            _data={"sides": sides, "equal": "".join("=" if r.equal else "x" for r in self._rows)},
        )
        self.set_trait("differences", count)

    def hidden(self, text: str) -> str:
        return self._found.mask.text(text)

    @property
    def differing(self) -> list[int]:
        """The rows that differ."""
        return [at for at, row in enumerate(self._rows) if not row.equal]

    @property
    def row(self) -> Row | None:
        """The selected row, unmasked (`workbench.core.aligned.Row`)."""
        return self._rows[self.selected] if self.selected >= 0 else None

    @traitlets.validate("selected")  # type: ignore[untyped-decorator, unused-ignore]
    def _within(self, proposal: Any) -> int:
        return max(-1, min(int(proposal["value"]), len(self._rows) - 1))

    @answers("rows")
    def rows(self, places: list[int]) -> list[dict[str, Any]]:
        """Some rows, at most `PAGE`."""
        return [self._row(at, VALUE) for at in places[:PAGE] if 0 <= at < len(self._rows)]

    @answers("value")
    def value(self, at: int) -> dict[str, Any]:
        """One row with all of its values."""
        return self._row(at, WHOLE)

    def _row(self, at: int, most: int) -> dict[str, Any]:
        row, mask = self._rows[at], self._found.mask
        before, after = (
            None if value is ABSENT else self._text(row, value) for value in (row.before, row.after)
        )
        start = 0
        if before is not None and after is not None and not row.equal and most < WHOLE:
            # What differs is to be seen, even far inside a long value.
            start = max(0, shared_beginning(before, after) - most // 3)
        return {
            "at": at,
            "kind": row.kind,
            "what": safe_line(mask.text(row.what)) + (f" ({row.occurrence + 1})" if row.occurrence else ""),
            "equal": row.equal,
            "counted": row.counted,
            "before": _part(before, start, most),
            "after": _part(after, start, most),
            "cut": any(text is not None and len(text) > most for text in (before, after)) and most < WHOLE,
            "steps": [None if place is None else place.step for place in row.places],
        }

    def _text(self, row: Row, value: Any) -> str:
        shown = masked_at(row.path, value, self._found.mask)
        if isinstance(shown, str):
            return shown
        return json.dumps(shown, ensure_ascii=False, indent=1, default=str)

    def still(self) -> str:
        shown = [self._row(at, VALUE) for at in self.differing[: still.SHOWN + 1]]
        rows = [
            (r["kind"], r["what"], *("—" if r[side] is None else r[side] for side in ("before", "after")))
            for r in shown
        ]
        return still.card(self._title, still.table(("", "what", *self._data["sides"]), rows) if rows else "")

    def words(self) -> str:
        return str(self._title)


def _part(text: str | None, start: int, most: int) -> str | None:
    return None if text is None else ("…" if start else "") + short(text[start:], most)
