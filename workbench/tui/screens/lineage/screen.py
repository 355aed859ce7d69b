"""The family tree of runs: found by typing, compared with what they were made of, opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static
from textual.worker import get_current_worker

from workbench.tui import failures
from workbench.tui.follow import ChangeWatch
from workbench.tui.screens.lineage import desk
from workbench.tui.screens.lineage.desk import Leaf
from workbench.tui.screens.lineage.rows import TreePanel, told
from workbench.tui.sweeping import give_back, no_sweep
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.lines import LineView
from workbench.views.secrets import mask_for

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp
    from workbench.verbs.family import ForkFacts

DELAY = 0.08
"""Seconds without a key before the store is asked."""


class LineageScreen(Screen[None]):
    """The forks, edits and resumes of all runs, as family trees.

    Args:
        run_id: the run on which the cursor stands first.
    """

    app: WorkbenchApp
    CSS_PATH = "lineage.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", key_display="/", id="lineage.search"),
        Binding("d", "compare", "Compare", id="lineage.compare"),
        Binding("m,space", "mark", "Mark", key_display="m", id="lineage.mark"),
        Binding("D", "compare_marked", "With marked", id="lineage.compare_marked"),
        Binding("u", "parent", "Parent", id="lineage.parent"),
        Binding(
            "right_curly_bracket", "family(1)", "Next family", key_display="}", show=False, id="lineage.next"
        ),
        Binding(
            "left_curly_bracket",
            "family(-1)",
            "Family before",
            key_display="{",
            show=False,
            id="lineage.before",
        ),
        Binding("K", "kernels", "Engines", show=False, id="lineage.kernels"),
        Binding("r,ctrl+r", "reload", "Reload", show=False, id="lineage.reload"),
        Binding("escape", "clear", "Clear", show=False, id="lineage.clear"),
        Binding("q", "leave", "Back", id="lineage.leave"),
    ]
    HELP = """
    Where runs come from: every fork, resume and edit below what it was made of.

    /      type to find runs: apps, ids, inputs and outputs are searched
    esc    clear the search, then back
    """

    def __init__(self, run_id: str | None = None) -> None:
        super().__init__()
        self._wanted = run_id
        self._facts: dict[tuple[str, int, str], ForkFacts] = {}

    def compose(self) -> ComposeResult:
        with Horizontal(id="lineage-top"):
            yield Static(Content("Lineage"), id="lineage-name")
            yield Input(placeholder="type / to search app, id, input or output", id="lineage-search")
        yield TreePanel()
        yield Static(id="lineage-problem")
        with VerticalScroll(id="lineage-about", can_focus=True):
            yield Static(id="lineage-text")
        yield Static(id="lineage-count")
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#lineage-problem").display = False
        self.query_one("#lineage-about").border_title = "What is different"
        tree = self.query_one(TreePanel)
        tree.focus()
        self.watch(tree, "scroll_y", self._scrolled, init=False)
        self.load()
        self.run_worker(ChangeWatch(self.app.desk.change_counter, self._store_changed).run(), name="watch")

    def on_unmount(self) -> None:
        give_back(self)

    async def _store_changed(self) -> None:
        self.load()

    # the tree --------------------------------------------------------------------

    @work(exclusive=True, group="lineage", thread=True, exit_on_error=False)
    def load(self) -> None:
        """Ask the store in a thread."""
        search = self.query_one(Input).value.strip()
        try:
            with no_sweep(self):
                leaves = desk.load(self.app.desk.ctx, search)
                words = desk.counted(leaves)
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self.app.hand_over(self._show, leaves, search, words)

    def _failed(self, error: Exception) -> None:
        problem = self.query_one("#lineage-problem", Static)
        problem.update(failures.content(failures.told(error, self.app.desk.ctx.home)))
        problem.display = True
        tree = self.query_one(TreePanel)
        tree.empty = ""
        tree.refresh()

    def _show(self, leaves: Sequence[Leaf], search: str, words: str) -> None:
        if search != self.query_one(Input).value.strip():
            return
        tree = self.query_one(TreePanel)
        at = self._wanted or (tree.row.key if tree.row is not None else None)
        tree.empty = "Nothing fits. esc clears the search." if search else "No runs yet."
        place = next((i for i, leaf in enumerate(leaves) if leaf.key == at), None)
        if place is not None:
            self._wanted = None
        tree.set_rows(leaves, place or 0)
        self.query_one("#lineage-count", Static).update(Content(words))
        self.query_one("#lineage-problem").display = False
        self._about()
        self.call_after_refresh(self._scrolled)

    # what a chat user saw of the runs on screen ------------------------------------

    def _scrolled(self) -> None:
        self.set_timer(DELAY, self._listen)

    def _listen(self) -> None:
        tree = self.query_one(TreePanel)
        first = int(tree.scroll_offset.y)
        shown = tree.rows[first : first + max(1, tree.size.height)]
        missing = [
            leaf.run.run_id
            for leaf in shown
            if leaf.run is not None and (leaf.key not in tree.heard or leaf.run.status == "running")
        ]
        if missing:
            self._hear(missing)

    @work(exclusive=True, group="heard", thread=True, exit_on_error=False)
    def _hear(self, run_ids: Sequence[str]) -> None:
        worker = get_current_worker()
        for run_id in run_ids:
            if worker.is_cancelled:
                return
            try:
                found = desk.heard(self.app.desk.ctx, run_id)
            except Exception:
                continue  # the line keeps its dots; the panel below tells what is wrong
            self.app.hand_over(self._heard, run_id, found)

    def _heard(self, run_id: str, found: tuple[str, bool]) -> None:
        tree = self.query_one(TreePanel)
        tree.heard[run_id] = found
        tree.refresh()

    # what is told about the line under the cursor ----------------------------------

    @on(LineView.Moved)
    def _moved(self) -> None:
        self._about()

    def _key(self, leaf: Leaf) -> tuple[str, int, str]:
        run = leaf.run
        return (leaf.key, 0, "") if run is None else (run.run_id, run.steps, run.status)

    def _about(self) -> None:
        leaf = self.query_one(TreePanel).row
        if leaf is None:
            self.query_one("#lineage-text", Static).update(Content(""))
            return
        known = self._facts.get(self._key(leaf))
        mask = mask_for(known.environment if known is not None else ())
        self.query_one("#lineage-text", Static).update(told(leaf, known, mask))
        if known is None and leaf.run is not None:
            self.set_timer(DELAY, lambda: self._read(leaf) if self._current(leaf) else None)

    def _current(self, leaf: Leaf) -> bool:
        row = self.query_one(TreePanel).row
        return row is not None and self._key(row) == self._key(leaf)

    @work(exclusive=True, group="facts", thread=True, exit_on_error=False)
    def _read(self, leaf: Leaf) -> None:
        try:
            found = desk.facts(self.app.desk.ctx, leaf.key)
        except Exception as error:
            self.app.hand_over(self._unread, leaf, error)
        else:
            self.app.hand_over(self._known, leaf, found)

    def _known(self, leaf: Leaf, found: ForkFacts) -> None:
        self._facts[self._key(leaf)] = found
        if self._current(leaf):
            self._about()

    def _unread(self, leaf: Leaf, error: Exception) -> None:
        if self._current(leaf):
            text = failures.content(failures.told(error, self.app.desk.ctx.home))
            self.query_one("#lineage-text", Static).update(text)

    # actions ---------------------------------------------------------------------

    @on(Input.Changed)
    def _typed(self) -> None:
        self.set_timer(DELAY, self.load)

    @on(Input.Submitted)
    def _entered(self) -> None:
        self.query_one(TreePanel).focus()

    @on(LineView.Chosen)
    def _chosen(self, event: LineView.Chosen) -> None:
        leaf: Leaf = event.view.rows[event.index]
        self.app.open_run(leaf.key, None, leaf.file.app_id if leaf.file is not None else None)

    def action_search(self) -> None:
        """Type to find runs."""
        self.query_one(Input).focus()

    def action_clear(self) -> None:
        """Clear the search; without one go back."""
        search, tree = self.query_one(Input), self.query_one(TreePanel)
        if search.value or search.has_focus:
            search.value = ""
            tree.focus()
        else:
            self.app.pop_screen()

    def action_leave(self) -> None:
        """Back to the screen below."""
        self.app.pop_screen()

    def action_reload(self) -> None:
        """Ask the store again."""
        self.load()

    def action_compare(self) -> None:
        """Compare a fork with its parent, an edited pause with the one it was made of."""
        leaf = self.query_one(TreePanel).row
        if leaf is None:
            return
        if leaf.parent is None or leaf.orphan:
            self.app.tell("It was made of nothing that is in this store. m marks a run to compare with.")
        else:
            self.app.open_compare(leaf.parent, leaf.key, leaf.file.app_id if leaf.file is not None else None)

    def action_mark(self) -> None:
        """Mark a run, to be compared with another one."""
        tree = self.query_one(TreePanel)
        if tree.row is not None:
            tree.chosen = None if tree.chosen == tree.row.key else tree.row.key
            tree.refresh()

    def action_compare_marked(self) -> None:
        """Compare the marked run with this one."""
        tree = self.query_one(TreePanel)
        if tree.row is None:
            return
        if tree.chosen is None:
            self.app.tell("Nothing is marked: m marks a run, D compares it with the one under the cursor.")
        elif tree.chosen == tree.row.key:
            self.app.tell("This is the marked one itself.")
        else:
            self.app.open_compare(tree.chosen, tree.row.key)

    def action_parent(self) -> None:
        """To what this one was made of."""
        self._go(
            lambda rows, at: next((i for i in range(at - 1, -1, -1) if rows[i].depth < rows[at].depth), at)
        )

    def action_family(self, by: int) -> None:
        """To the next family, or the one before."""

        def found(rows: Sequence[Leaf], at: int) -> int:
            heads = [i for i, leaf in enumerate(rows) if leaf.depth == 0]
            if by > 0:
                return next((i for i in heads if i > at), at)
            return next((i for i in reversed(heads) if i < at), at)

        self._go(found)

    def _go(self, find: Any) -> None:
        tree = self.query_one(TreePanel)
        if tree.rows:
            at = find(tree.rows, tree.cursor)
            if at == tree.cursor:
                self.app.bell()
            tree.cursor = at

    def action_kernels(self) -> None:
        """This run on every engine that it ran on."""
        from workbench.tui.screens.compare.kernels import KernelsScreen

        leaf = self.query_one(TreePanel).row
        if leaf is not None and leaf.run is not None:
            self.app.push_screen(KernelsScreen(leaf.run.run_id))
