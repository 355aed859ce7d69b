"""A saved pause as a tree of lines; what it holds is in `workbench.views.statetree`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType

from workbench.core.edits import MISSING
from workbench.tui.text import clip, fit
from workbench.tui.widgets.lines import Cell, LineView
from workbench.views.secrets import Mask
from workbench.views.statefields import masked
from workbench.views.statetree import Spot, Tree, rows

LOOKED_AT = 1_500
"""Characters, and a tenth of it entries, of a value that one line looks at."""

_SIGNS = {"taken": "good", "active": "good", "skipped": "dim", "locked": "warn", "queued": "warn"}


class StateTree(LineView[Spot]):
    """The places of a saved pause, those below an open one included."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Edit, open", id="edit.choose"),
        Binding("l,right", "open", "Open", show=False, id="edit.open"),
        Binding("h,left", "shut", "Close", show=False, id="edit.shut"),
        Binding("asterisk", "open_below", "Open all below", show=False, id="edit.open_below"),
        Binding("minus", "shut_all", "Close all", show=False, id="edit.shut_all"),
        Binding("space", "turn", "Toggle", show=False, id="edit.toggle"),
    ]
    HELP = """
    Everything that is saved, as a tree. Texts that hold JSON open like anything else. ± marks what your
    edits changed.

    j k          move                    l, right     open a branch
    h, left      close it, or go up      *  -         open all below, close everything
    enter, click edit a value, open or close a branch
    e            edit the whole value of a branch, as JSON
    space        true or false, the next state; opens a branch
    /            type to find: names, titles, types, values
    """

    class Toggled(LineView.Moved):
        """The value under the cursor shall be the next of its few."""

    def __init__(self) -> None:
        super().__init__(self._line, empty="Reading the pause …", id="edit-tree")
        self.places: Tree | None = None
        self.mask: Mask | None = None
        self.found: Sequence[Spot] | None = None
        self.expanded: set[tuple[Any, ...]] = set()
        self.writers: Mapping[tuple[str, str], str] = {}
        self.changed: frozenset[tuple[Any, ...]] = frozenset()
        self.drafts: dict[tuple[Any, ...], Any] = {}

    # what is shown -----------------------------------------------------------

    def show(self, tree: Tree, mask: Mask) -> None:
        """Show another document; the cursor stays on its place."""
        self.places, self.mask = tree, mask
        self._lay()

    def find(self, found: Sequence[Spot] | None) -> None:
        """Show only what was found, or everything again with the cursor on the same place."""
        here = self.row
        self.found = found
        if found is None and here is not None:
            self.expanded |= {here.key[:size] for size in range(1, len(here.key))}
        self._lay(0 if found is not None else None)

    def reveal(self, key: tuple[Any, ...]) -> None:
        """Open what a place is in, and go there."""
        self.found = None
        self.expanded |= {key[:size] for size in range(1, len(key))}
        self._lay()
        self.cursor = next((i for i, spot in enumerate(self.rows) if spot.key == key), self.cursor)

    def _lay(self, cursor: int | None = None) -> None:
        if self.places is None:
            return
        here = self.row
        self.empty = "Nothing fits. esc clears the search." if self.found is not None else "It holds nothing."
        shown = rows(self.places, self.expanded) if self.found is None else self.found
        if cursor is None and here is not None:
            at = self.cursor
            if not (at < len(shown) and shown[at].key == here.key):
                cursor = next((i for i, spot in enumerate(shown) if spot.key == here.key), None)
        self.set_rows(shown, cursor)

    # painting ------------------------------------------------------------------

    def _line(self, spot: Spot, width: int) -> Sequence[Cell]:
        tree = self.places
        assert tree is not None
        if spot.kind == "section":
            sign = "▾ " if spot.key in self.expanded else "▸ "
            held = f"  {len(tree.children(spot)):,}" if spot.key != ("raw",) else ""
            return [(sign, "dim"), (spot.label, "name"), (held, "dim")]
        found = self.found is not None
        opens = tree.opens(spot)
        sign = ("▾ " if spot.key in self.expanded else "▸ ") if opens and not found else "  "
        left = min(width // 2, 46)
        mark = "±" if spot.key in self.changed else " "
        indent = "" if found else "  " * min(spot.depth, 12)
        name = spot.target or spot.label if found else spot.label
        room = max(6, left - len(indent) - 3)
        cells: list[Cell] = [(mark, "changed" if mark == "±" else ""), (indent + sign, "dim")]
        title = clip(spot.title, room * 2 // 3) if spot.title and spot.title != name and not found else ""
        if title:
            name = clip(name, max(0, room - cell_len(title) - 1))
            cells += [(title, "name" if spot.kind == "group" else ""), (f" {name}", "dim")]
        else:
            name = clip(name, room)
            cells.append((name, "name" if spot.kind in ("group", "frame") else ""))
        if spot.kind in ("group", "frame"):
            return [*cells, (f"  {len(tree.children(spot)):,}", "dim")]
        cells.append((" " * (room - cell_len(name) - (cell_len(title) + 1 if title else 0)) + " ", ""))
        rest = max(4, width - 1 - len(indent) - 2 - room - 1)
        draft = spot.key in self.drafts
        value = self.drafts[spot.key] if draft else tree.value(spot)
        kind = tree.type_of(spot)
        if kind:
            wide = 13 if width >= 68 else 7
            cells.append((fit(kind, wide) + " ", "dim"))
            rest -= wide + 1
        writer = self.writers.get((spot.node, spot.label), "") if spot.kind == "variable" else ""
        told = clip(f" by {writer}", rest // 3) if writer and rest >= 40 else ""
        rest -= cell_len(told)
        style = "changed" if draft or mark == "±" else _SIGNS.get(value, "") if isinstance(value, str) else ""
        if spot.kind not in ("state", "phase") and style != "changed":
            style = ""
        return [*cells, (fit(self._told(spot, value, opens), max(4, rest)), style), (told, "dim")]

    def _told(self, spot: Spot, value: Any, opens: bool) -> str:
        if value is MISSING:
            return "(nothing)"
        if isinstance(value, str):
            if opens and spot.kind != "variable":
                return f"JSON text, {len(value):,} characters"
            small: Any = value[:LOOKED_AT]
        elif isinstance(value, dict | list):
            many = f"{len(value):,} {'keys' if isinstance(value, dict) else 'items'}"
            if spot.kind == "value" and len(spot.key) < 5:
                return f"{{ {many} }}" if isinstance(value, dict) else f"[ {many} ]"
            small = shortened(value)
        else:
            small = value
        assert self.mask is not None
        shown = masked(spot, small, self.mask)
        if isinstance(shown, str):
            return shown if shown else '""'
        return json.dumps(shown, ensure_ascii=False, default=str)

    # moving ------------------------------------------------------------------

    def action_choose(self) -> None:
        """Edit the value, or open or close the branch."""
        spot = self.row
        if spot is None or self.places is None:
            return
        if self.found is None and self.places.opens(spot):
            self._turn(spot)
        else:
            super().action_choose()

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is None:
            return
        index = place.y + self.scroll_offset.y
        if 0 <= index < len(self.rows):
            self.cursor = index
            self.action_choose()

    def action_open(self) -> None:
        """Open the branch, or go to what is in it."""
        spot = self.row
        if spot is None or self.places is None or self.found is not None or not self.places.opens(spot):
            return
        if spot.key in self.expanded:
            self.cursor += 1
        else:
            self._turn(spot)

    def action_shut(self) -> None:
        """Close the branch, or go to the one it is in."""
        spot = self.row
        if spot is None or self.found is not None:
            return
        if spot.key in self.expanded:
            self._turn(spot)
            return
        rows = self.rows
        self.cursor = next(
            (at for at in range(self.cursor - 1, -1, -1) if rows[at].depth < spot.depth), self.cursor
        )

    def action_open_below(self) -> None:
        """Open this branch and those in it, two levels deep."""
        spot, tree = self.row, self.places
        if spot is None or tree is None or self.found is not None:
            return
        self.expanded.add(spot.key)
        for child in tree.children(spot)[:2_000] if tree.opens(spot) else ():
            if tree.opens(child):
                self.expanded.add(child.key)
        self._lay()

    def action_shut_all(self) -> None:
        """Close every branch."""
        spot = self.row
        self.expanded.clear()
        if spot is not None and self.found is None:
            self._lay()
            self.cursor = next((i for i, each in enumerate(self.rows) if each.key == spot.key[:1]), 0)

    def action_turn(self) -> None:
        """The next of the few values that a place can have; a branch opens."""
        if self.row is None or self.places is None:
            return
        if self.found is None and self.places.opens(self.row):
            self._turn(self.row)
        else:
            self.post_message(self.Toggled(self, self.cursor))

    def _turn(self, spot: Spot) -> None:
        if spot.key in self.expanded:
            self.expanded.discard(spot.key)
        else:
            self.expanded.add(spot.key)
        self._lay()


def shortened(value: Any, depth: int = 3) -> Any:
    """The beginning of a value, so that a line never looks at megabytes."""
    if isinstance(value, str):
        return value[:LOOKED_AT]
    if isinstance(value, dict):
        few = list(value.items())[: LOOKED_AT // 10] if depth else []
        return {key: shortened(item, depth - 1) for key, item in few} if depth else {"…": "…"}
    if isinstance(value, list):
        return [shortened(item, depth - 1) for item in value[: LOOKED_AT // 10]] if depth else ["…"]
    return value
