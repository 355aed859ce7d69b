"""The list of edits, and what is told about the place under the cursor."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from workbench.core.edits import MISSING, Edit, Editing, Plan
from workbench.tui.screens.editor.desk import Checked
from workbench.tui.text import block, clip, one_line
from workbench.tui.widgets.lines import Cell, LineView
from workbench.tui.widgets.statetree import shortened
from workbench.views.secrets import Mask
from workbench.views.statefields import change_of

SHOWN = 4_000
"""Characters of a value that are told beside the tree; enter shows all."""


@dataclass(frozen=True)
class EditRow:
    """A line of the list: an edit in effect, one that was undone, or what the engine would say."""

    sign: str
    style: str
    text: str
    edit: Edit | None = None
    at: int = -1


def rows_of(editing: Editing, checked: Checked, mask: Mask) -> list[EditRow]:
    """The lines of a list of edits."""
    out = [EditRow("✗", "bad", mask.text(fault.message)) for fault in checked.refused[:50]]
    out += [
        EditRow("±", "changed", f"{told(plan, mask)}", edit, at)
        for at, (edit, plan) in enumerate(zip(editing.edits, editing.plans, strict=True))
    ]
    out += [
        EditRow("↷", "dim", f"undone: {one_line(each.target)}", each) for each in reversed(editing.undone)
    ]
    out += [EditRow("!", "warn", mask.text(fault.message)) for fault in checked.others[:50]]
    left = len(checked.others) - 50
    return [*out, EditRow("…", "dim", f"{left:,} more warnings")] if left > 0 else out


def told(plan: Plan, mask: Mask) -> str:
    """What an edit changes, in a line."""
    before, after = (short(value) for value in change_of(plan, mask))
    notes = f"  ({' '.join(plan.notes)})" if plan.notes else ""
    return one_line(f"{mask.text(plan.where)}: {before} → {after}{mask.text(notes)}", 2_000)


def short(value: Any) -> str:
    """A value in a few words."""
    if value is MISSING:
        return "nothing"
    return clip(json.dumps(shortened(value), ensure_ascii=False, default=str), 60)


class EditsPanel(LineView[EditRow]):
    """The pending edits."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x,delete", "drop", "Drop edit", key_display="x", id="edit.drop"),
    ]
    HELP = """
    The edits so far, in order; nothing is saved yet.

    ±  in effect     ↷  undone, can be redone     ✗  what the engine would refuse because of them
    !  what it would stumble over, or refused before

    enter        go to what it changed
    x            take this edit away, keep the others
    u, ctrl+r    undo the last, redo
    """

    class Dropped(LineView.Moved):
        """This edit shall go."""

    def __init__(self) -> None:
        super().__init__(_draw, empty="No edits yet.", id="edit-list")

    def action_drop(self) -> None:
        """Take this edit away."""
        if self.row is not None and self.row.at >= 0:
            self.post_message(self.Dropped(self, self.cursor))


def _draw(row: EditRow, width: int) -> Sequence[Cell]:
    return [(f"{row.sign} ", row.style), (clip(row.text, max(4, width - 2)), row.style if row.at < 0 else "")]


class AboutPanel(VerticalScroll, can_focus=True):
    """The place under the cursor, in full."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False, id="edit.about_down"),
        Binding("k", "scroll_up", "Up", show=False, id="edit.about_up"),
    ]
    HELP = """
    The place under the cursor: what an edit of it is called, its type, who wrote it, and its value.

    j k    scroll
    """

    def __init__(self) -> None:
        super().__init__(Static(id="edit-about-text"), id="edit-about")

    def show(self, lines: Sequence[tuple[str, str]], value: Any) -> None:
        """Tell about another place; `lines` are labels and texts."""
        parts: list[Any] = []
        for label, text in lines:
            if text:
                parts += [(f"{label}  " if label else "", "$text-muted"), f"{one_line(text, 1_000)}\n"]
        if value is not MISSING:
            small = shortened(value) if not isinstance(value, str) else value[:SHOWN]
            laid = (
                small
                if isinstance(small, str)
                else json.dumps(small, ensure_ascii=False, indent=2, default=str)
            )
            cut = laid[:SHOWN]
            more = "" if len(cut) == len(laid) and small == value else "\n… enter or e shows all of it"
            parts += [block(cut) or '""', more]
        self.query_one(Static).update(Content.assemble(*parts))
        self.scroll_home(animate=False)
