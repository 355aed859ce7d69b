"""The variable pool of a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from workbench.tui.text import clip, fit, value_text
from workbench.tui.widgets.lines import Cell, LineView


@dataclass(frozen=True, slots=True)
class VariableRow:
    """One variable. `changed`: this step gave it its value."""

    node: str
    title: str
    name: str
    value: Any
    changed: bool


def rows_of(
    variables: Mapping[str, Mapping[str, Any]],
    before: Mapping[str, Mapping[str, Any]],
    titles: Mapping[str, str],
) -> list[VariableRow]:
    """The rows of a pool; nodes first, then conversation, system and environment variables."""
    last = {"conversation": 1, "sys": 2, "env": 3}
    rows = []
    for node in sorted(variables, key=lambda n: last.get(n, 0)):
        old = before.get(node, {})
        for name, value in variables[node].items():
            changed = name not in old or (old[name] is not value and old[name] != value)
            rows.append(VariableRow(node, titles.get(node, node), name, value, changed))
    return rows


def _draw(row: VariableRow, width: int) -> Sequence[Cell]:
    left = min(34, max(18, width * 2 // 5))
    name = clip(row.name, max(6, left // 2))
    title = clip(row.title, left - len(name) - 3)
    label = f"{title}.{name}"
    return [
        ("* " if row.changed else "  ", "warn"),
        (fit(label, left), "name" if row.changed else ""),
        (clip(value_text(row.value), max(4, width - left - 3)), "warn" if row.changed else ""),
    ]


class VariablesPanel(LineView[VariableRow]):
    """One line a variable."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("W", "writer", "Who wrote it", id="variables.writer")]
    HELP = """
    The variables as they are at this step; * marks those that this step gave their value.

    j k          move
    enter        show the whole value
    W            go to the step that wrote it
    """

    class WhoWrote(LineView.Moved):
        """The user asks who wrote a variable."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(_draw, empty="No variable has a value yet.", id=id)

    def action_writer(self) -> None:
        """Go to the step that wrote this value."""
        if self.row is not None:
            self.post_message(self.WhoWrote(self, self.cursor))
