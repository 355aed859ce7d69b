"""What the workbench found out about the run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from workbench.core.finding import Finding, Severity
from workbench.tui.text import one_line

_SEVERITY: dict[Severity, tuple[str, str]] = {
    "error": ("✗", "bold $text-error"),
    "warning": ("!", "bold $text-warning"),
    "info": ("i", "$text-primary"),
}


class FindingBox(Static, can_focus=True):
    """One finding."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "follow", "Go to the evidence", id="findings.follow"),
        Binding("K", "explain", "Explain", id="findings.explain"),
        Binding("j,down", "app.focus_next", "Next", show=False, id="findings.next"),
        Binding("k,up", "app.focus_previous", "Previous", show=False, id="findings.previous"),
    ]

    class Followed(Message):
        """The user wants to see the evidence."""

        def __init__(self, finding: Finding) -> None:
            super().__init__()
            self.finding = finding

    class Explained(Followed):
        """The user wants to read the help page."""

    HELP = """
    A fact about this run that explains what a chat user saw.

    enter, click   go to the step that shows it
    K              explain what it means and what to do
    j k            next, previous finding
    """

    def __init__(self, finding: Finding, title: str) -> None:
        sign, style = _SEVERITY[finding.severity]
        steps = ", ".join(map(str, finding.steps[:6]))
        super().__init__(
            Content.assemble(
                (f"{sign} {one_line(finding.code)}", style),
                (f"  {one_line(title)}" if title else "", "bold"),
                (f"  step {steps}" if steps else "", "$text-muted"),
                f"\n{one_line(finding.message)}",
                (f"\n→ {one_line(finding.advice)}" if finding.advice else "", "$text-muted"),
            )
        )
        self.finding = finding

    def action_follow(self) -> None:
        """Go to the evidence."""
        self.post_message(self.Followed(self.finding))

    def action_explain(self) -> None:
        """Show the help page of the finding."""
        self.post_message(self.Explained(self.finding))

    def on_click(self) -> None:
        self.action_follow()


class FindingsPanel(VerticalScroll, can_focus=False):
    """All findings, the worst first."""

    def compose(self) -> ComposeResult:
        yield Static("", id="findings-note")

    async def show(self, findings: Sequence[Finding], titles: dict[str, str], note: str) -> None:
        """Show other findings, or a note where there are none."""
        rank = ("error", "warning", "info")
        await self.query(FindingBox).remove()
        self.query_one("#findings-note", Static).update(
            Content.styled(note, "italic $text-muted") if note else ""
        )
        self.query_one("#findings-note").display = bool(note)
        await self.mount_all(
            FindingBox(f, titles.get(f.node_id or "", f.node_id or ""))
            for f in sorted(findings, key=lambda f: rank.index(f.severity))
        )
