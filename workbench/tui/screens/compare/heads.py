"""What stands above the rows: the two sides, and whether they are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from workbench.tui.text import one_line

if TYPE_CHECKING:
    from workbench.verbs.diff import Differences

_WORDS = ("left ", "right")


class SideHead(Static):
    """The name of a side. A click opens it in the debugger."""

    class Clicked(Message):
        """The side shall be opened."""

        def __init__(self, side: int) -> None:
            super().__init__()
            self.side = side

    def __init__(self, side: int) -> None:
        super().__init__(id=f"side-{side}", classes="side-head")
        self.side = side

    def show(self, name: str, told: str) -> None:
        """Show what this side is."""
        self.update(
            Content.assemble(
                (f"{self.side + 1} {_WORDS[self.side]} ", "$text-muted"),
                (one_line(name, 200), "bold"),
                (f"  {one_line(told, 200)}" if told else "", "$text-muted"),
            )
        )

    def on_click(self) -> None:
        self.post_message(self.Clicked(self.side))


def verdict(found: Differences) -> tuple[str, str]:
    """Whether both sides are equal, in a sentence, and its style."""
    differing = [row for row in found.rows if not row.equal]
    beside = sorted({row.kind for row in differing if not row.counted})
    also = f" What differs beside it: {', '.join(beside)}." if beside else ""
    if found.equal:
        what = {"run": "Both runs did and said the same", "step": "Both steps are the same"}.get(
            found.view, "Both are the same"
        )
        return f"= Equal. {what}; {len(found.rows):,} rows were compared.{also}", "bold $text-success"
    counted = [row.kind for row in differing if row.counted]
    few = f"{len(counted):,} difference{'s' if len(counted) > 1 else ''} in {', '.join(sorted(set(counted)))}"
    return f"≠ Not equal. {few}.{also}", "bold $text-warning"
