"""The comparison screen: both sides' names, the verdict, the rows, and the whole values of one row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static, Tab, Tabs

from workbench.core.aligned import KINDS, Row
from workbench.core.textdiff import Pair
from workbench.tui import failures
from workbench.tui.screens.compare import desk
from workbench.tui.screens.compare.detail import Beside, DetailPanel, laid_out
from workbench.tui.screens.compare.heads import SideHead
from workbench.tui.screens.compare.rows import RowsPanel
from workbench.tui.sweeping import give_back, no_sweep
from workbench.tui.text import one_line
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.lines import LineView

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp

ALL = "all"
DELAY = 0.05
"""Seconds that the cursor rests on a row before its values are laid out."""


class CompareScreen(Screen[None]):
    """Two runs, steps (`RUN@7`), saved states or apps side by side.

    Args:
        app: the app of saved pauses, by file or id.
    """

    app: WorkbenchApp
    CSS_PATH = "compare.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,full_stop", "next(1)", "Next", key_display="n", id="compare.next"),
        Binding("p,comma", "next(-1)", "Before", key_display="p", id="compare.previous"),
        Binding("o", "only", "Only ≠", id="compare.only"),
        Binding("f", "kind(1)", "Kind", id="compare.kind"),
        Binding("F", "kind(-1)", "Kind before", show=False, id="compare.kind_before"),
        Binding("x", "swap", "Swap", id="compare.swap"),
        Binding("1", "open(0)", "Left", id="compare.open_left"),
        Binding("2", "open(1)", "Right", id="compare.open_right"),
        Binding("K", "kernels", "Engines", id="compare.kernels"),
        Binding("z", "maximise", "Maximise", show=False, id="compare.maximise"),
        Binding("Y", "copy_as('text')", "Copy as text", show=False, id="compare.copy_text"),
        Binding("P", "copy_as('patch')", "Copy as JSON Patch", show=False, id="compare.copy_patch"),
        Binding("W", "write", "Write to files", show=False, id="compare.write"),
        Binding("r,ctrl+r", "reload", "Reload", show=False, id="compare.reload"),
        Binding("q,escape", "leave", "Back", key_display="q", id="compare.leave"),
    ]
    HELP = """
    Two things side by side, aligned by what they are: nodes by their id and how often they ran.
    Ids and times that are new in each run are no difference.

    n p          next, previous difference; in the values: the next changed line
    o            only what differs, or everything
    f F          one kind of row only
    enter        the whole values           z     only this panel
    x            swap the sides
    1 2          open the left, the right side in the debugger, where this row came about
    K            the same run on the other engines
    Y P W        copy as text, copy as JSON Patch, write both to files
    """

    def __init__(self, before: str, after: str, app: str | None = None) -> None:
        super().__init__()
        self._asked = before, after, app
        self.compared: desk.Compared | None = None
        self.only = False
        self._pairs: tuple[Pair, ...] = ()
        self._detail_of: Row | None = None

    def compose(self) -> ComposeResult:
        yield SideHead(0)
        yield SideHead(1)
        yield Static(id="compare-verdict")
        yield Static(id="compare-problem")
        yield Tabs(Tab(ALL, id="kind-all"), *(Tab(k, id=f"kind-{k}") for k in KINDS), id="compare-kinds")
        with Container(id="compare-body"):
            yield RowsPanel()
            yield DetailPanel()
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#compare-problem").display = False
        for kind in KINDS:
            self.query_one(f"#kind-{kind}", Tab).display = False
        rows, detail = self.query_one(RowsPanel), self.query_one(DetailPanel)
        rows.border_title, detail.border_title = "Side by side", "Values"
        rows.focus()
        for side, name in enumerate(self._asked[:2]):
            self.query_one(f"#side-{side}", SideHead).show(str(name), "")
        self.load()

    def on_unmount(self) -> None:
        give_back(self)

    # loading -----------------------------------------------------------------

    def load(self) -> None:
        """Read both sides again."""
        before, after, app = self._asked
        self.query_one("#compare-verdict", Static).update(Content("Reading both sides …"))
        self._ask(lambda: desk.load(self.app.desk.ctx, before, after, app))

    @work(exclusive=True, group="compare", thread=True, exit_on_error=False)
    def _ask(self, work: Callable[[], desk.Compared]) -> None:
        try:
            with no_sweep(self):
                compared = work()
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self.app.hand_over(self._loaded, compared)

    def _failed(self, error: Exception) -> None:
        problem = self.query_one("#compare-problem", Static)
        problem.update(failures.content(failures.told(error, self.app.desk.ctx.home)))
        problem.display = True
        self.query_one("#compare-verdict", Static).update(Content("Nothing was compared."))
        rows = self.query_one(RowsPanel)
        rows.empty = "q goes back."
        rows.refresh()

    def _loaded(self, compared: desk.Compared) -> None:
        self.compared = compared
        self.query_one("#compare-problem").display = False
        for side, what in enumerate((compared.found.before, compared.found.after)):
            text = compared.mask.text
            self.query_one(f"#side-{side}", SideHead).show(text(what.name), text(what.told))
        words, style = compared.verdict
        self.query_one("#compare-verdict", Static).update(Content.styled(words, style))
        for kind in KINDS:
            rows, count = compared.counts.get(kind, (0, 0))
            tab = self.query_one(f"#kind-{kind}", Tab)
            tab.display = bool(rows)
            tab.label = Content(f"{kind} {count}" if count else kind)
        self._show_rows(at=next((r for r in compared.rows if r.counted and not r.equal), None))

    # rows ----------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """The kind of rows that is shown, or "all"."""
        return self.query_one(Tabs).active.removeprefix("kind-") or ALL

    def _wanted(self, row: Row) -> bool:
        return self.kind in (ALL, row.kind) and not (self.only and row.equal)

    def _show_rows(self, at: Row | None = None) -> None:
        compared = self.compared
        if compared is None:
            return
        panel = self.query_one(RowsPanel)
        at = at if at is not None else panel.row
        shown = [row for row in compared.rows if self._wanted(row)]
        panel.empty = "Nothing differs here." if self.only else "There is nothing of this kind."
        panel.show(shown, compared.mask, next((i for i, row in enumerate(shown) if row is at), 0))
        panel.border_subtitle = (
            "only differences" if self.only else "everything"
        ) + f" · {len(shown):,} rows"
        self._show_detail()

    @on(Tabs.TabActivated)
    def _filtered(self) -> None:
        self._show_rows()

    @on(LineView.Moved)
    def _moved(self, event: LineView.Moved) -> None:
        if isinstance(event.view, RowsPanel):
            self._show_detail()

    @on(LineView.Chosen)
    def _chosen(self, event: LineView.Chosen) -> None:
        if isinstance(event.view, RowsPanel) and event.view.row is not None:
            self._maximise(self.query_one(DetailPanel))
            self.query_one(DetailPanel).focus()

    # whole values ----------------------------------------------------------------

    def _show_detail(self) -> None:
        row = self.query_one(RowsPanel).row
        panel = self.query_one(DetailPanel)
        if row is self._detail_of and row is not None:
            return
        self._detail_of = row
        panel.border_title = Content(one_line(f"Values: {row.what}", 200) if row is not None else "Values")
        if row is None:
            self._pairs = ()
            panel.show(())
        else:
            self.set_timer(DELAY, lambda: self._lay_out(row) if row is self._detail_of else None)

    def _lay_out(self, row: Row) -> None:
        assert self.compared is not None
        self._details(row, self.compared.mask, self.query_one(DetailPanel).inner_width)

    @work(exclusive=True, group="detail", thread=True, exit_on_error=False)
    def _details(self, row: Row, mask: Any, width: int) -> None:
        try:
            pairs = desk.details(row, mask)
            lines = laid_out(pairs, width)
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self.app.hand_over(self._show_lines, row, pairs, lines)

    @work(exclusive=True, group="detail", thread=True, exit_on_error=False)
    def _wrap(self, row: Row, pairs: tuple[Pair, ...], width: int) -> None:
        self.app.hand_over(self._show_lines, row, pairs, laid_out(pairs, width))

    def _show_lines(self, row: Row, pairs: tuple[Pair, ...], lines: Sequence[Beside]) -> None:
        if row is not self._detail_of:
            return
        self._pairs = pairs
        panel = self.query_one(DetailPanel)
        panel.show(lines)
        count = sum(not pair.equal for pair in pairs)
        if row.equal:
            told = "the same"
        elif count:
            told = f"{count:,} of {len(pairs):,} lines differ" if len(pairs) > 1 else "differs"
        else:
            told = "they differ in what looks the same on a screen"
        panel.border_subtitle = told

    @on(DetailPanel.Resized)
    def _rewrap(self) -> None:
        if self._detail_of is not None and self._pairs:
            self._wrap(self._detail_of, self._pairs, self.query_one(DetailPanel).inner_width)

    # actions ---------------------------------------------------------------------

    def action_next(self, direction: int) -> None:
        """To the next row that differs; in the values to the next changed line."""
        detail, panel = self.query_one(DetailPanel), self.query_one(RowsPanel)
        if detail.has_focus and detail.next_change(direction):
            return
        at = panel.cursor + direction
        counted = self.kind == ALL
        while 0 <= at < len(panel.rows):
            row = panel.rows[at]
            if not row.equal and (row.counted or not counted):
                panel.cursor = at
                return
            at += direction
        self.app.bell()
        self.app.tell("No more differences." if direction > 0 else "No difference before this one.")

    def action_only(self) -> None:
        """Show only what differs, or everything."""
        self.only = not self.only
        self._show_rows()

    def action_kind(self, by: int) -> None:
        """Show rows of another kind only."""
        tabs = self.query_one(Tabs)
        there = [tab.id for tab in tabs.query(Tab) if tab.display and tab.id]
        at = there.index(tabs.active) if tabs.active in there else 0
        tabs.active = there[(at + by) % len(there)]

    def action_swap(self) -> None:
        """Let the sides change their places."""
        before, after, app = self._asked
        self._asked = after, before, app
        compared = self.compared
        if compared is not None:
            self._ask(lambda: desk.swapped(compared))

    def action_open(self, side: int) -> None:
        """Open a side in the debugger, at the step where the row came about."""
        if self.compared is None:
            return
        found = self.compared.found
        opens = (found.before, found.after)[side].opens
        row = self.query_one(RowsPanel).row
        place = row.places[side] if row is not None else None
        if place is not None and place.run_id is not None:
            self.app.open_run(place.run_id, place.step)
        elif opens is not None:
            self.app.open_run(*opens, self._asked[2])
        else:
            self.app.tell("An app has no steps: nothing to open in the debugger.", "warning")

    @on(SideHead.Clicked)
    def _head_clicked(self, event: SideHead.Clicked) -> None:
        self.action_open(event.side)

    def action_kernels(self) -> None:
        """The left side's run on every engine that it ran on."""
        from workbench.tui.screens.compare.kernels import KernelsScreen

        opens = self.compared.found.before.opens if self.compared is not None else None
        if self.compared is None or opens is None or self.compared.found.before.timing is None:
            self.app.tell("Only a run can be compared across engines.", "warning")
        else:
            self.app.push_screen(KernelsScreen(opens[0]))

    def action_maximise(self) -> None:
        """Only the panel in focus, or both again."""
        alone = self.query_one("#compare-body").has_class("-alone")
        focused = self.focused
        self._maximise(None if alone or not isinstance(focused, LineView) else focused)

    def _maximise(self, panel: Widget | None) -> None:
        self.query_one("#compare-body").set_class(panel is not None, "-alone")
        for each in self.query(LineView):
            each.set_class(panel is not None and each is not panel, "-hidden")

    def action_copy_as(self, how: str) -> None:
        """Copy the differences."""
        if self.compared is None:
            return
        text = desk.as_text(self.compared) if how == "text" else desk.as_patch(self.compared)
        self.app.copy_to_clipboard(text)
        self.app.tell("Copied as text." if how == "text" else "Copied as JSON Patch.")

    def action_write(self) -> None:
        """Write the comparison to files."""
        if self.compared is None:
            return
        try:
            paths = desk.write(self.compared, self.app.desk.ctx.home)
        except OSError as error:
            self.app.tell_error(error)
        else:
            self.app.tell(f"Written: {paths[0]}, and as .json and .patch.json beside it.")

    def action_reload(self) -> None:
        """Read both sides again."""
        self.load()

    def action_leave(self) -> None:
        """Back: out of a maximised panel, out of the values, then out of the comparison."""
        if self.query_one("#compare-body").has_class("-alone"):
            self._maximise(None)
            self.query_one(RowsPanel).focus()
        elif self.query_one(DetailPanel).has_focus:
            self.query_one(RowsPanel).focus()
        else:
            self.app.pop_screen()
