"""The runs: found by typing, filtered by status, opened by enter."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static, Tab, Tabs

from workbench.tui import failures
from workbench.tui.desk import RUNS_SHOWN
from workbench.tui.follow import ChangeWatch
from workbench.tui.text import fit
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.lines import Cell, LineView

if TYPE_CHECKING:
    from workbench.store.rows import RunRow
    from workbench.tui.app import WorkbenchApp

STATUSES = ("all", "paused", "running", "succeeded", "partial-succeeded", "failed", "stopped", "interrupted")
_SIGNS = {
    "running": ("▸", "name"),
    "succeeded": ("✓", "good"),
    "partial-succeeded": ("✓", "warn"),
    "failed": ("✗", "bad"),
    "paused": ("‖", "warn"),
    "stopped": ("■", "dim"),
}
PAINTED = 0.03
"""Seconds between two looks at whether the first paint is done."""
DELAY = 0.08
"""Seconds without a key before the store is searched."""


def _columns(width: int) -> tuple[int, int, int, int, int]:
    """Widths of app, status, started, engine and id; steps always take seven."""
    rest = width - 2 - 7
    status, started, engine = (17, 15, 12) if width >= 100 else (11, 12, 4)
    run_id = 13 if width >= 70 else 8
    return max(12, rest - status - started - engine - run_id), status, started, engine, run_id


def _head(width: int) -> Sequence[Cell]:
    app, status, started, engine, _ = _columns(width)
    row = (
        fit("App", app)
        + fit("Status", status)
        + fit("Started", started)
        + fit("Engine", engine)
        + "  Steps  Run"
    )
    return [(fit("  " + row, width), "")]


def _draw(row: RunRow, width: int) -> Sequence[Cell]:
    app, status, started, engine, run_id = _columns(width)
    sign, style = _SIGNS.get(row.status, ("?", "dim"))
    when = time.strftime("%m-%d %H:%M:%S" if started > 12 else "%m-%d %H:%M", time.localtime(row.started_at))
    words = "interrupted" if row.interrupted else row.status
    kernel = row.kernel if engine > 6 else row.kernel.rpartition("-")[2]
    fork = "⑂" if row.forked_from else " "
    return [
        (f"{sign} ", style),
        (fit(row.app, app - 1) + " ", ""),
        (fit(words, status - 1) + " ", style),
        (fit(when, started - 1) + " ", "dim"),
        (fit(kernel, engine - 1) + " ", "dim"),
        (f"{row.steps:>6} ", ""),
        (f"{fork}{fit(row.run_id, run_id - 1)}", "dim"),
    ]


class RunsScreen(Screen[None]):
    """All runs of the store, the newest first."""

    app: WorkbenchApp
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", key_display="/", id="runs.search"),
        Binding("s", "status(1)", "Status", id="runs.status"),
        Binding("S", "status(-1)", "Status before", show=False, id="runs.status_before"),
        Binding("n", "start", "New run", id="runs.start"),
        Binding("i", "import", "Import", id="runs.import"),
        Binding("d", "mark", "Mark, compare", show=False, id="runs.mark"),
        Binding("t", "lineage", "Lineage", show=False, id="runs.lineage"),
        Binding("e", "edit", "Edit pause", show=False, id="runs.edit"),
        Binding("a", "apps", "Apps", id="runs.apps"),
        Binding("m", "memory", "Memory", show=False, id="runs.memory"),
        Binding("T", "tour", "Examples tour", show=False, id="runs.tour"),
        Binding("r,ctrl+r", "reload", "Reload", show=False, id="runs.reload"),
        Binding("escape", "clear", "Clear", show=False, id="runs.clear"),
        Binding("q", "app.quit", "Quit", id="runs.quit"),
    ]
    HELP = """
    Every recorded run, the newest first. Type / and a few letters to find one: names of apps, ids,
    inputs and outputs are searched.

    j k          move              enter   open the run in the debugger
    /            search            esc     clear the search
    s S          next, previous status
    n            start a run       i       import files
    d            mark a run; d on another compares the two
    t            its family tree   e       edit its pause
    m            what its nodes remember of the conversation
    a            apps              T       the examples as a guided tour
    """

    def __init__(self) -> None:
        super().__init__()
        self._painted = False
        self._marked: RunRow | None = None

    def compose(self) -> ComposeResult:
        with Horizontal(id="search-row"):
            yield Static(Content("Answer Workbench"), id="brand")
            yield Input(placeholder="type / to search app, id, input or output", id="search")
        yield Tabs(*(Tab(Content(s), id=f"status-{s}") for s in STATUSES), id="statuses")
        yield LineView(self._draw_row, head=_head, empty="Opening the store …", id="runs")
        yield Static(id="problem")
        yield Static(id="count")
        yield KeyBar()

    def _draw_row(self, row: RunRow, width: int) -> Sequence[Cell]:
        cells = _draw(row, width)
        if self._marked is None or row.run_id != self._marked.run_id:
            return cells
        return [("◆ ", "warn"), *cells[1:]]

    def on_mount(self) -> None:
        self.query_one("#problem").display = False
        self.query_one("#runs").focus()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        # Not before the footer is painted: importing the store takes the interpreter from the screen.
        if not self._painted:
            self._painted = self.query_one(KeyBar).ready
            self.set_timer(PAINTED, self._begin)
            return
        self.load()
        self.run_worker(ChangeWatch(self.app.desk.change_counter, self._store_changed).run(), name="watch")

    @property
    def _status(self) -> str | None:
        active = self.query_one(Tabs).active.removeprefix("status-")
        return None if active in ("", "all") else active

    async def _store_changed(self) -> None:
        self.load()

    @work(exclusive=True, group="runs", thread=True, exit_on_error=False)
    def load(self) -> None:
        """Ask the store in a thread."""
        search, status = self.query_one(Input).value.strip(), self._status
        try:
            rows = self.app.desk.runs(search, status)
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self.app.hand_over(self._show, rows, search, status)

    def _show(self, rows: Sequence[RunRow], search: str, status: str | None) -> None:
        if search != self.query_one(Input).value.strip() or status != self._status:
            return
        view = self.query_one("#runs", LineView)
        at = view.row.run_id if view.row is not None else None
        view.empty = (
            "Nothing fits. esc clears the search, s changes the status."
            if search or status
            else "No runs yet. n starts one: the bundled examples are in the list of apps."
        )
        shown = rows[:RUNS_SHOWN]
        found = next((i for i, row in enumerate(shown) if row.run_id == at), 0)
        view.set_rows(shown, found)
        more = len(rows) > RUNS_SHOWN
        count = f"{len(shown):,} runs" + (", the newest; older ones are found by searching" if more else "")
        self.query_one("#count", Static).update(Content(count))
        self.query_one("#problem").display = False

    def _failed(self, error: Exception) -> None:
        problem = self.query_one("#problem", Static)
        problem.update(failures.content(failures.told(error, self.app.desk.ctx.home)))
        problem.display = True
        self.query_one("#runs", LineView).empty = ""

    @on(Input.Changed, "#search")
    def _typed(self) -> None:
        self.set_timer(DELAY, self.load)

    @on(Input.Submitted, "#search")
    def _entered(self) -> None:
        self.query_one("#runs").focus()
        self.load()

    @on(Tabs.TabActivated)
    def _filtered(self) -> None:
        if self._painted:
            self.load()

    @on(LineView.Chosen)
    def _chosen(self, event: LineView.Chosen) -> None:
        row: RunRow = event.view.rows[event.index]
        self.app.open_run(row.run_id)

    def action_search(self) -> None:
        """Type to find runs."""
        self.query_one(Input).focus()

    def action_clear(self) -> None:
        """Clear the search, or leave it."""
        self.query_one(Input).value = ""
        self.query_one("#runs").focus()

    def action_status(self, by: int) -> None:
        """Show runs of another status only."""
        tabs = self.query_one(Tabs)
        at = (STATUSES.index(tabs.active.removeprefix("status-")) + by) % len(STATUSES)
        tabs.active = f"status-{STATUSES[at]}"

    def action_reload(self) -> None:
        """Ask the store again."""
        self.load()

    def action_start(self) -> None:
        """Start a run."""
        view = self.query_one("#runs", LineView)
        self.app.start_form(view.row.app_id if view.row is not None else None, frozenset())

    def action_import(self) -> None:
        """Import files."""
        self.app.import_form()

    def _row(self) -> RunRow | None:
        row: RunRow | None = self.query_one("#runs", LineView).row
        if row is None:
            self.app.tell("No run is chosen.")
        return row

    def action_mark(self) -> None:
        """Mark a run; with another one marked, compare the two."""
        row, marked = self._row(), self._marked
        if row is None:
            return
        self._marked = row if marked is None else None
        self.query_one("#runs").refresh()
        if marked is None:
            self.app.tell(f"{row.app} {row.run_id[:8]} is marked; d on another run compares the two.")
        elif marked.run_id == row.run_id:
            self.app.tell("No run is marked.")
        else:
            self.app.open_compare(marked.run_id, row.run_id)

    def action_lineage(self) -> None:
        """The family of the run."""
        row = self._row()
        if row is not None:
            self.app.open_lineage(row.run_id)

    def action_memory(self) -> None:
        """What the nodes of the run's app remember of its conversation."""
        row = self._row()
        if row is not None:
            self.app.open_memory(row.run_id, row.app_id)

    def action_edit(self) -> None:
        """Edit the run's last pause."""
        row = self._row()
        if row is None:
            return
        if row.status != "paused":
            self.app.tell(
                f"This run is {row.status}: no pause of it waits. In the debugger e edits an earlier one.",
                "warning",
            )
            return
        self.app.open_editor(row.run_id, None, self._edited)

    def _edited(self, file_id: object) -> None:
        if isinstance(file_id, str):
            self.app.open_run(file_id)

    def action_apps(self) -> None:
        """The imported apps."""
        self.app.open_apps()

    def action_tour(self) -> None:
        """The examples as a guided tour."""
        self.app.open_tour()
