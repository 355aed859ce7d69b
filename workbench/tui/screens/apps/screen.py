"""The apps screen: what is imported, what is wrong with it, and the start of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static, TabbedContent, TabPane
from textual.worker import get_current_worker

from workbench.tui import failures
from workbench.tui.follow import ChangeWatch
from workbench.tui.screens.apps import desk
from workbench.tui.screens.apps.desk import Checked, Entry
from workbench.tui.screens.pages import AskScreen, PageScreen
from workbench.tui.text import block, clip, fit, one_line
from workbench.tui.widgets.findings import FindingBox, FindingsPanel
from workbench.tui.widgets.graph.view import GraphView
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.lines import Cell, LineView

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp

DELAY = 0.08
"""Seconds without a key before the store is asked."""
COUNTS = 13


class AppsScreen(Screen[None]):
    """Imported apps and the bundled examples, each with its findings."""

    app: WorkbenchApp
    CSS_PATH = "apps.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Search", key_display="/", id="apps.search"),
        Binding("n", "start", "New run", id="apps.start"),
        Binding("i", "import", "Import", id="apps.import"),
        Binding("s", "script", "Script", id="apps.script"),
        Binding("v", "version", "Dify version", id="apps.version"),
        Binding("f", "fix", "Fix", id="apps.fix"),
        Binding("x", "export", "Export", show=False, id="apps.export"),
        Binding("w", "tab('findings')", "Findings", show=False, id="apps.findings"),
        Binding("g", "tab('graph')", "Graph", show=False, id="apps.graph"),
        Binding("r,ctrl+r", "reload", "Reload", show=False, id="apps.reload"),
        Binding("escape", "clear", "Clear", show=False, id="apps.clear"),
        Binding("q", "leave", "Back", id="apps.leave"),
    ]
    HELP = """
    Every imported app and the bundled examples. ✗ and ! count the errors and warnings that check finds.

    j k          move                   enter   into the findings
    /            search                 v       for which Dify
    n            start a run            s       write its script
    f            write a fixed copy     x       write the app's bytes to a file
    w g          findings, graph        i       import files
    """

    def __init__(self) -> None:
        super().__init__()
        self._version = 0
        self._checked: dict[tuple[str, str | None], Checked | Exception] = {}
        self._scripts: dict[str, str] = {}

    @property
    def dify(self) -> str | None:
        """The Dify that is asked about; None is all."""
        return desk.VERSIONS[self._version]

    def compose(self) -> ComposeResult:
        with Horizontal(id="apps-top"):
            yield Static(Content("Apps"), id="apps-name")
            yield Input(placeholder="type / to search name, mode or id", id="apps-search")
            yield Static(id="apps-dify")
        with Vertical(id="apps-body"):
            yield LineView[Entry](self._draw, head=self._head, empty="Opening the store …", id="apps-list")
            with TabbedContent(id="apps-tabs", initial="apps-tab-findings"):
                with TabPane("Findings", id="apps-tab-findings"):
                    yield FindingsPanel(id="apps-panel")
                with TabPane("Graph", id="apps-tab-graph"):
                    yield GraphView(id="apps-graph")
        yield Static(id="apps-problem")
        yield Static(id="apps-count")
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#apps-problem").display = False
        self._list.focus()
        self._show_version()
        self.load()
        self.run_worker(ChangeWatch(self.app.desk.change_counter, self._store_changed).run(), name="watch")

    async def _store_changed(self) -> None:
        self.load()

    @property
    def _list(self) -> LineView[Entry]:
        found: LineView[Entry] = self.query_one("#apps-list", LineView)
        return found

    # the list --------------------------------------------------------------------------

    def _head(self, width: int) -> Sequence[Cell]:
        name = max(14, width - 15 - 7 - 13 - 6 - COUNTS)
        words = fit("App", name) + fit("Mode", 15) + fit("DSL", 7) + fit("Imported", 13) + fit("Runs", 6)
        return [(fit(words + "Findings", width), "")]

    def _draw(self, entry: Entry, width: int) -> Sequence[Cell]:
        name = max(14, width - 15 - 7 - 13 - 6 - COUNTS)
        found = self._checked.get((entry.target, self.dify))
        counts: tuple[str, str] = ("…", "dim")
        if isinstance(found, Exception):
            counts = ("can't be read", "bad")
        elif found is not None:
            errors, warnings = found.count("error"), found.count("warning")
            words = [f"✗ {errors}" if errors else "", f"! {warnings}" if warnings else ""]
            style = "bad" if errors else "warn" if warnings else "good"
            counts = (" ".join(word for word in words if word) or "✓", style)
        return [
            (fit(entry.name, name - 1) + " ", "gate" if entry.example else ""),
            (fit(entry.mode, 14) + " ", "dim"),
            (fit(entry.dsl, 6) + " ", "dim"),
            (fit(entry.imported, 12) + " ", "dim"),
            (f"{entry.runs or '':>5} ", ""),
            (fit(counts[0], COUNTS), counts[1]),
        ]

    @work(thread=True, exclusive=True, group="apps", exit_on_error=False)
    def load(self) -> None:
        """Ask the store in a thread, then check app after app."""
        search, dify = self.query_one(Input).value, self.dify
        worker = get_current_worker()
        try:
            found = desk.entries(self.app.desk.ctx, search)
        except Exception as error:
            self.app.hand_over(self._failed, error)
            return
        self.app.hand_over(self._show, found)
        missing = [each for each in found if (each.target, dify) not in self._checked]
        for number, entry in enumerate(missing, start=1):
            if worker.is_cancelled:
                return
            try:
                result: Checked | Exception = desk.checked(self.app.desk.ctx, entry.target, dify)
            except Exception as error:
                result = error
            self.app.hand_over(self._check_done, entry.target, dify, result, len(missing) - number)

    def _failed(self, error: Exception) -> None:
        problem = self.query_one("#apps-problem", Static)
        problem.update(failures.content(failures.told(error, self.app.desk.ctx.home)))
        problem.display = True

    async def _show(self, found: Sequence[Entry]) -> None:
        view = self._list
        at = view.row.target if view.row is not None else None
        view.empty = "Nothing fits. esc clears the search."
        view.set_rows(found, next((i for i, e in enumerate(found) if e.target == at), 0))
        self.query_one("#apps-problem").display = False
        self._count(0)
        await self._show_checked()

    def _count(self, left: int) -> None:
        rows = self._list.rows
        imported = sum(not entry.example for entry in rows)
        words = f"{imported} imported, {len(rows) - imported} examples"
        words += f"; checking, {left} left …" if left else ""
        self.query_one("#apps-count", Static).update(Content(words))

    async def _check_done(
        self, target: str, dify: str | None, result: Checked | Exception, left: int
    ) -> None:
        self._checked[target, dify] = result
        self._list.refresh()
        self._count(left)
        row = self._list.row
        if row is not None and row.target == target and dify == self.dify:
            await self._show_checked()

    # the app under the cursor ------------------------------------------------------------

    @on(LineView.Moved)
    async def _moved(self, event: LineView.Moved) -> None:
        if not isinstance(event, LineView.Chosen):  # which is a kind of it, and goes into the findings
            await self._show_checked()

    async def _show_checked(self) -> None:
        row = self._list.row
        panel = self.query_one(FindingsPanel)
        if row is None:
            await panel.show((), {}, "")
            return
        found = self._checked.get((row.target, self.dify))
        if found is None:
            await panel.show((), {}, "Checking …")
        elif isinstance(found, Exception):
            told = failures.told(found, self.app.desk.ctx.home)
            await panel.show((), {}, one_line(f"{told.title} {told.cause} {told.next_step}"))
        else:
            note = "" if found.result.findings else "Nothing is wrong with this app."
            await panel.show(found.result.findings, dict(found.result.titles), note)
            graph = self.query_one(GraphView)
            graph.set_graph(found.graph)

    @on(LineView.Chosen)
    def _chosen(self) -> None:
        self.action_tab("findings")

    @on(FindingBox.Followed)
    def _followed(self, event: FindingBox.Followed) -> None:
        if event.finding.node_id and not isinstance(event, FindingBox.Explained):
            self.action_tab("graph")
            self.query_one(GraphView).selected = event.finding.node_id

    @on(FindingBox.Explained)
    def _explained(self, event: FindingBox.Explained) -> None:
        self.app.explain(event.finding.code)

    # actions -----------------------------------------------------------------------------

    @on(Input.Changed)
    def _typed(self) -> None:
        self.set_timer(DELAY, self.load)

    @on(Input.Submitted)
    def _entered(self) -> None:
        self._list.focus()

    def action_search(self) -> None:
        """Type to find an app."""
        self.query_one(Input).focus()

    def action_clear(self) -> None:
        """Clear the search; without one go back."""
        search = self.query_one(Input)
        if search.value or search.has_focus:
            search.value = ""
            self._list.focus()
        else:
            self.app.pop_screen()

    def action_leave(self) -> None:
        """Back to the screen below."""
        self.app.pop_screen()

    def action_reload(self) -> None:
        """Read and check everything again."""
        self._checked.clear()
        self.load()

    def action_version(self) -> None:
        """The next Dify version to check for."""
        self._version = (self._version + 1) % len(desk.VERSIONS)
        self._show_version()
        self.load()

    def _show_version(self) -> None:
        self.query_one("#apps-dify", Static).update(Content(f"for {self.dify or 'every Dify'}"))

    def action_tab(self, tab: str) -> None:
        """Open the findings or the graph and go into it."""
        self.query_one(TabbedContent).active = f"apps-tab-{tab}"
        boxes = self.query(FindingBox)
        if tab == "graph":
            self.query_one(GraphView).focus()
        elif boxes:
            boxes.first().focus()

    def action_start(self) -> None:
        """Start a run of this app."""
        if self._list.row is not None:
            target = self._list.row.target
            self.app.start_form(target, frozenset(), self._scripts.get(target, ""))

    def action_import(self) -> None:
        """Import files."""
        self.app.import_form()

    def action_script(self) -> None:
        """Write the script of this app; it is kept until the program ends."""
        row = self._list.row
        if row is None:
            return

        def keep(text: str | None) -> None:
            if text is not None:
                self._scripts[row.target] = text

        self.app.open_script(row.target, self._scripts.get(row.target, ""), keep)

    def action_export(self) -> None:
        """Write the app's bytes to a file."""
        self._ask("Write the app to", "app.yml", lambda target, path: self._write(target, path))

    def action_fix(self) -> None:
        """Write a copy with the changes that the findings advise, proved on the engine."""
        self._ask("Write the fixed app to", "fixed.yml", lambda target, path: self._fix(target, path))

    def _ask(self, title: str, name: str, then: Callable[[str, Path], Any]) -> None:
        row = self._list.row
        if row is not None:
            self.app.push_screen(
                AskScreen(f"{title} ({clip(row.name, 40)})", name),
                lambda given: then(row.target, Path(given).expanduser()) if given else None,
            )

    @work(thread=True, group="write", exit_on_error=False)
    def _write(self, target: str, path: Path) -> None:
        try:
            size = desk.write_app(self.app.desk.ctx, target, path)
        except Exception as error:
            self.app.hand_over(self.app.tell_error, error)
        else:
            self.app.hand_over(self.app.tell, f"Written: {path} ({size:,} bytes)")

    @work(thread=True, group="write", exit_on_error=False)
    def _fix(self, target: str, path: Path) -> None:
        try:
            lines = desk.fixed(self.app.desk.ctx, target, self.dify, path)
        except Exception as error:
            self.app.hand_over(self.app.tell_error, error)
        else:
            page = PageScreen("Fixed", block("\n".join(lines)))
            self.app.hand_over(self.app.push_screen, page)
