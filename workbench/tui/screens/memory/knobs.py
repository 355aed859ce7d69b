"""The settings of the memory lab, each a row with a slider."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType

from workbench.tui.text import fit
from workbench.tui.widgets.lines import Cell, LineView
from workbench.views.memory_knobs import Knob

LABEL = 10


class KnobsPanel(LineView[Knob]):
    """The settings; a row is moved by keys or by a click on its bar."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l,right", "turn(1)", "More", show=False, id="memory.more"),
        Binding("h,left", "turn(-1)", "Less", show=False, id="memory.less"),
        Binding("L,plus", "turn(10)", "Much more", show=False, id="memory.much_more"),
        Binding("H,minus", "turn(-10)", "Much less", show=False, id="memory.much_less"),
        Binding("enter,space", "next", "Next value", show=False, id="memory.next_value"),
    ]
    HELP = """
    What the node is set to. Everything else on this screen follows.

    j k          another setting
    h l          less, more            H L    by ten
    enter        the next value, then the first again
    A click on a bar puts it there.
    """

    class Turned(LineView.Moved):
        """A setting has another value: `value` of `knob`."""

        def __init__(self, view: LineView[Any], index: int, value: Any) -> None:
            super().__init__(view, index)
            self.value = value

    def __init__(self) -> None:
        super().__init__(self._draw_knob, id="memory-knobs")
        self.border_title = "Settings"

    def _draw_knob(self, knob: Knob, width: int) -> Sequence[Cell]:
        told = max(12, min(22, width - LABEL - 8))
        bar = self._bar(width)
        last = len(knob.choices) - 1
        place = round(knob.at * (bar - 1) / last) if last else 0
        return [
            (fit(knob.label, LABEL), "name"),
            ("━" * place, "good"),
            ("●", "warn"),
            ("─" * (bar - 1 - place) + " ", "dim"),
            (fit(knob.choices[knob.at][1], told), ""),
        ]

    @staticmethod
    def _bar(width: int) -> int:
        told = max(12, min(22, width - LABEL - 8))
        return max(4, width - LABEL - told - 1)

    def _turn(self, value: Any) -> None:
        self.post_message(self.Turned(self, self.cursor, value))

    def action_turn(self, by: int) -> None:
        """Move the setting under the cursor."""
        if self.row is not None:
            self._turn(self.row.moved(by))

    def action_next(self) -> None:
        """The next value; after the last the first."""
        if self.row is not None:
            knob = self.row
            self._turn(knob.choices[(knob.at + 1) % len(knob.choices)][0])

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is None:
            return
        index = place.y + self.scroll_offset.y
        if not 0 <= index < len(self.rows):
            return
        self.cursor = index
        bar, x = self._bar(self.scrollable_content_region.width), place.x - LABEL
        if 0 <= x < bar:
            knob = self.rows[index]
            self._turn(knob.choices[round(x * (len(knob.choices) - 1) / max(1, bar - 1))][0])
        event.prevent_default()
