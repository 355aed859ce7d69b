"""Every event of the run, one line each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.picture.marks import Mark, MarkKind
from workbench.tui.text import clip
from workbench.tui.widgets.lines import Cell, LineView

SIGNS: dict[MarkKind, tuple[str, str]] = {
    "run": ("●", "name"),
    "start": ("▷", ""),
    "end": ("✓", "good"),
    "edge": ("→", "dim"),
    "gate": ("◆", "gate"),
    "chunk": ("·", "dim"),
    "first-chunk": ("»", "good"),
    "pause": ("‖", "warn"),
    "error": ("✗", "bad"),
    "variable": ("=", ""),
    "form": ("?", "warn"),
    "other": (" ", "dim"),
}


@dataclass(frozen=True, slots=True)
class EventRow:
    """One event. `after`: seconds since the segment's first event."""

    mark: Mark
    after: float


def _draw(row: EventRow, width: int) -> Sequence[Cell]:
    sign, style = SIGNS[row.mark.kind]
    inside = "  " if row.mark.container else ""
    when = f"{row.after:>7.3f} " if width > 50 else ""
    return [
        (f"{row.mark.step:>5} {when}", "dim"),
        (f"{sign} ", style),
        (clip(inside + row.mark.text, max(8, width - 8 - len(when))), style),
    ]


class EventsPanel(LineView[EventRow]):
    """The journal of the run."""

    HELP = """
    What the engine did, event by event; the marked line is the step you stand at.

    ● run  ▷ node starts  ✓ node ends  → edge  ◆ the gate changed  » first text  · text  ‖ pause
    ✗ error  = variable  ? form

    j k          move
    enter        go to that step
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(_draw, empty="Nothing has happened yet.", id=id)
