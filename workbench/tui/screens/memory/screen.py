"""The memory lab: move a setting and see what a node remembers, at this turn and at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static, TabbedContent, TabPane

from workbench.tui import failures
from workbench.tui.screens.memory.knobs import KnobsPanel
from workbench.tui.screens.memory.rows import Line, MatrixPanel, MessagesPanel, RowsPanel
from workbench.tui.text import clip, one_line
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.lines import LineView
from workbench.views.memory import LEGEND
from workbench.views.memory_knobs import knobs

if TYPE_CHECKING:
    from workbench.core.memory.sweep import Smallest
    from workbench.tui.app import WorkbenchApp
    from workbench.verbs.memory import Remembered
    from workbench.verbs.memory_lab import Lab

TABS = ("rows", "messages", "matrix")


class MemoryScreen(Screen[None]):
    """A conversation under settings that can be moved.

    Args:
        conversation: a file, an id, or a run of it.
        app, node: whose memory, by file or id; None is a node without an app.
    """

    app: WorkbenchApp
    CSS_PATH = "memory.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,full_stop", "turn(1)", "Next turn", key_display="n", id="memory.next"),
        Binding("p,comma", "turn(-1)", "Turn before", key_display="p", id="memory.before"),
        Binding("s", "focus_settings", "Settings", id="memory.settings"),
        *(
            Binding(str(i), f"tab('{t}')", t.capitalize(), show=False, id=f"memory.{t}")
            for i, t in enumerate(TABS, 1)
        ),
        Binding("slash", "keep", "Keep", key_display="/", id="memory.keep"),
        Binding("a", "advise", "Smallest", id="memory.advise"),
        Binding("0", "reset", "Reset", show=False, id="memory.reset"),
        Binding("q,escape", "leave", "Back", key_display="q", id="memory.leave"),
    ]
    HELP = """
    What a node really sees of a conversation. Move a setting on the left: all the rest follows.

    n p          next turn, turn before          1 2 3   rows, messages, matrix
    /            a text that must be kept        a       the smallest window and budget that keep it
    0            all settings as they were
    """

    def __init__(self, conversation: str, app: str | None = None, node: str | None = None) -> None:
        super().__init__()
        self._asked = conversation, app, node
        self.lab: Lab | None = None
        self._first: Lab | None = None

    def compose(self) -> ComposeResult:
        with Horizontal(id="memory-top"):
            yield Static(Content("Memory"), id="memory-name")
            yield Input(placeholder="type / for a text that must be kept", id="memory-keep")
        with Horizontal(id="memory-body"):
            with Vertical(id="memory-left"):
                yield KnobsPanel()
                with VerticalScroll(id="memory-told", can_focus=True) as told:
                    told.border_title = "What to know"
                    yield Static(id="memory-notices")
            with TabbedContent(id="memory-tabs", initial="memory-tab-rows"):
                with TabPane("Rows", id="memory-tab-rows"):
                    yield RowsPanel()
                with TabPane("Messages", id="memory-tab-messages"):
                    yield MessagesPanel()
                with TabPane("Matrix", id="memory-tab-matrix"):
                    yield Static(Content(LEGEND), id="memory-legend")
                    yield MatrixPanel()
        yield Static(id="memory-problem")
        yield Static(id="memory-sums")
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#memory-problem").display = False
        self.query_one(KnobsPanel).focus()
        self._open()

    # work in threads -----------------------------------------------------------------

    @work(thread=True, exclusive=True, group="lab", exit_on_error=False)
    def _open(self) -> None:
        from workbench.verbs.memory_lab import open_lab

        conversation, app, node = self._asked
        try:
            lab = open_lab(self.app.desk.ctx, conversation, app=app, node=node)
            lab = lab.changed(turn=len(lab.conversation.rows) or None)
            work_out(lab)
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self._first = lab
            self.app.hand_over(self._show, lab)

    @work(thread=True, exclusive=True, group="lab", exit_on_error=False)
    def _work(self, lab: Lab) -> None:
        try:
            work_out(lab)
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self.app.hand_over(self._worked, lab)

    def _worked(self, lab: Lab) -> None:
        if lab is self.lab:
            self._show(lab)

    def _failed(self, error: Exception) -> None:
        problem = self.query_one("#memory-problem", Static)
        problem.update(failures.content(failures.told(error, self.app.desk.ctx.home)))
        problem.display = True

    # painting --------------------------------------------------------------------------

    def _show(self, lab: Lab) -> None:
        self.lab = lab
        found = lab.remembered
        self.query_one("#memory-problem").display = False
        self.query_one(KnobsPanel).set_rows(knobs(lab))
        rows = self.query_one(RowsPanel)
        rows.set_rows(found.simulation.rows, max(0, found.turn - 1))
        self.query_one(MessagesPanel).set_rows(found.messages)
        lines = matrix_lines(lab)
        matrix = self.query_one(MatrixPanel)
        matrix._wide = len(lab.conversation.rows) + 14
        matrix.set_rows(lines)
        matrix.mark(found.turn - 1 if lines else None)
        self.query_one("#memory-name", Static).update(Content(clip(f"Memory  {lab.name}", 60)))
        self.query_one("#memory-sums", Static).update(Content(sums(found)))
        self.query_one("#memory-notices", Static).update(Content(told(lab)))

    # moving ----------------------------------------------------------------------------

    def _change(self, **wishes: Any) -> None:
        if self.lab is None:
            return
        self.lab = self.lab.changed(**wishes)
        self.query_one(KnobsPanel).set_rows(knobs(self.lab))
        self._work(self.lab)

    @on(KnobsPanel.Turned)
    def _turned(self, event: KnobsPanel.Turned) -> None:
        knob = event.view.rows[event.index]
        if self.lab is None or knob.choices[knob.at][0] == event.value:
            return
        if knob.name == "node":
            self.lab = self.lab.at_node(event.value)
            self._work(self.lab)
        else:
            self._change(**{knob.name: event.value})

    def action_turn(self, by: int) -> None:
        """To the next turn, or the one before."""
        if self.lab is None or not self.lab.conversation.rows:
            return
        turn = (self.lab.wishes.turn or 1) + by
        if 1 <= turn <= len(self.lab.conversation.rows):
            self._change(turn=turn)
        else:
            self.app.bell()

    def action_reset(self) -> None:
        """All settings as they were."""
        if self._first is not None:
            self.lab = self._first
            self.query_one(Input).value = ""
            self._work(self.lab)

    def action_focus_settings(self) -> None:
        """Into the settings."""
        self.query_one(KnobsPanel).focus()

    def action_tab(self, tab: str) -> None:
        """Open a list and go into it."""
        self.query_one(TabbedContent).active = f"memory-tab-{tab}"
        self.query_one(f"#memory-{tab}").focus()

    def action_keep(self) -> None:
        """Type a text that must be kept."""
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def _kept(self, event: Input.Submitted) -> None:
        if self.lab is not None:
            self.lab = self.lab.keeping(event.value.strip())
            self._work(self.lab)
        self.query_one(KnobsPanel).focus()

    def action_advise(self) -> None:
        """Take the smallest window and budget that keep the text."""
        if self.lab is None:
            return
        found = self.lab.smallest
        if found is None or not found.window:
            self.app.tell("Type / and a text that must be kept; then a finds the smallest settings for it.")
            return
        wishes: dict[str, Any] = {"window": found.window}
        if self.lab.settings.counter.counts:
            wishes["budget"] = found.budget
        self._change(**wishes)

    @on(LineView.Chosen)
    def _chosen(self, event: LineView.Chosen) -> None:
        view = event.view
        if isinstance(view, MatrixPanel):
            self._change(turn=view.rows[event.index].turn)
        elif isinstance(view, MessagesPanel):
            message = view.rows[event.index]
            self.app.show_value(f"{message.role} {message.row or '(own prompt)'}", message.text)
        elif isinstance(view, RowsPanel):
            row = view.rows[event.index].row
            self.app.show_value(f"Row {row.id}", f"{row.query}\n\n→\n\n{row.answer}")

    def action_leave(self) -> None:
        """Back: out of the field, then to the screen below."""
        if self.query_one(Input).has_focus:
            self.query_one(KnobsPanel).focus()
        else:
            self.app.pop_screen()


def work_out(lab: Lab) -> None:
    """Everything that is painted, in a thread; it is kept in the lab."""
    _ = lab.remembered, lab.matrix, lab.smallest


def matrix_lines(lab: Lab) -> list[Line]:
    """The matrix with the tokens of each turn."""
    from workbench.core.memory.sweep import sweep

    outcomes = sweep(lab.turns, lab.settings)
    return [
        Line(turn.turn, cells, outcome.tokens)
        for turn, cells, outcome in zip(lab.turns, lab.matrix, outcomes, strict=True)
    ]


def sums(found: Remembered) -> str:
    """The two lines below: what is kept, and what limits it."""
    result = found.simulation
    kept = sum(each.stage == "kept" for each in result.rows)
    reached = len(found.messages)
    rows = f"{kept} of {len(result.rows)} rows kept, {reached} messages before the model"
    tokens = f"{result.used:,} of {result.budget.limit:,} tokens used: {result.budget.formula}"
    return f"{rows}; binding: {result.binding}\n{tokens}  ({result.settings.counter.name})"


def told(lab: Lab) -> str:
    """What to know, the search for the smallest settings first."""
    parts: list[str] = []
    if lab.keep:
        parts.append(kept_words(lab, lab.smallest))
    parts += [f"{notice.code}\n{one_line(notice.message)}" for notice in lab.remembered.notices]
    return "\n\n".join(parts) or "Nothing."


def kept_words(lab: Lab, found: Smallest | None) -> str:
    """What it takes to keep the text at every later turn."""
    text = one_line(lab.keep, 60)
    if found is None:
        return f"No message before the last turn holds “{text}”."
    if not found.window:
        return f"No setting keeps “{text}”: it is on another branch, or more than 500 rows ago."
    budget = f" and a budget of {found.budget:,} tokens" if lab.settings.counter.counts else ""
    gone = f" At {len({n.turn for n in found.impossible})} turns no setting does." if found.impossible else ""
    size = f"a window of {found.window} rows{budget}"
    return f"“{text}” is kept at every later turn by {size}; a takes them.{gone}"
