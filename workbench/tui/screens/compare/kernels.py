"""One run on every engine, a column an engine, and why they differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from workbench.tui import failures
from workbench.tui.text import block, fit, one_line, value_text
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.lines import Cell, LineView
from workbench.views.secrets import Mask, mask_for

if TYPE_CHECKING:
    from workbench.engine.control import Control
    from workbench.tui.app import WorkbenchApp
    from workbench.verbs.engines import OnEngines
    from workbench.verbs.results import ComparedRuns, RunResult


@dataclass(frozen=True)
class FactLine:
    """One fact of every engine. `values` are masked texts, one a column."""

    what: str
    values: tuple[str, ...]

    @property
    def equal(self) -> bool:
        return len(set(self.values)) < 2


_FACTS: tuple[tuple[str, Callable[[RunResult], Any]], ...] = (
    ("status", lambda run: run.status),
    ("streamed text", lambda run: run.streamed),
    ("pieces", lambda run: len(run.chunks)),
    ("answer", lambda run: run.answer),
    ("outputs", lambda run: {k: v for k, v in run.outputs.items() if k != "answer"}),
    (
        "waits for",
        lambda run: (
            [r.get("node_title") or r.get("node_id") for r in run.pause.reasons] if run.pause else None
        ),
    ),
    ("error", lambda run: run.error),
    ("broken stream", lambda run: run.stream_error),
    ("steps", lambda run: run.steps),
)


def _waits_for(run: RunResult) -> list[Any] | None:
    if run.pause is None:
        return None
    return [reason.get("node_title") or reason.get("node_id") for reason in run.pause.reasons]


def fact_lines(compared: ComparedRuns, mask: Mask) -> list[FactLine]:
    """The facts of all engines; those that no engine has are left out."""
    lines = []
    facts: list[tuple[str, list[Any]]] = [
        (what, [value(run) for run in compared.runs]) for what, value in _FACTS
    ]
    facts.append(("path", [" → ".join(way.nodes) for way in compared.ways]))
    facts.append(("findings", [", ".join(code for code, _ in way.findings) for way in compared.ways]))
    for what, values in facts:
        if any(v not in (None, "", {}, []) for v in values):
            lines.append(FactLine(what, tuple(_text(v, mask) for v in values)))
    return lines


def _text(value: Any, mask: Mask) -> str:
    return "nothing" if value in (None, "", {}, []) else value_text(mask.data(value))


class EnginesPanel(LineView[FactLine]):
    """A fact a row, an engine a column."""

    HELP = """
    One run on every engine: a fact a row, an engine a column.

    =  the same on all       ≠  not the same

    l h, click   choose a column; the first column is what the others are compared with
    enter        compare the chosen engine with the first one, fact by fact
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Compare with the first", id="kernels.choose"),
        Binding("h,left", "column(-1)", "Column left", show=False, id="kernels.left"),
        Binding("l,right", "column(1)", "Column right", show=False, id="kernels.right"),
    ]

    def __init__(self) -> None:
        super().__init__(
            self._line, head=self._titles, empty="Looking for this run on other engines …", id="engines"
        )
        self.names: tuple[str, ...] = ()
        self.column = 0

    def _widths(self, width: int) -> tuple[int, int]:
        what = 15
        return what, max(6, (width - 2 - what) // max(1, len(self.names)))

    def _titles(self, width: int) -> Sequence[Cell]:
        what, each = self._widths(width)
        names = "".join(
            fit(("▸" if at == self.column else " ") + name, each) for at, name in enumerate(self.names)
        )
        return [(f"  {' ' * what}{names}", "")]

    def _line(self, line: FactLine, width: int) -> Sequence[Cell]:
        what, each = self._widths(width)
        cells: list[Cell] = [
            ("= " if line.equal else "≠ ", "dim" if line.equal else "warn"),
            (fit(line.what, what), "dim" if line.equal else "name"),
        ]
        for value in line.values:
            style = "dim" if line.equal else "warn" if value != line.values[0] else ""
            cells.append((fit(value, each - 1) + " ", style))
        return cells

    def action_column(self, by: int) -> None:
        """Choose another column."""
        self.column = max(0, min(len(self.names) - 1, self.column + by))
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is not None and self.names:
            what, each = self._widths(self.scrollable_content_region.width)
            if place.x >= 2 + what:
                self.column = min(len(self.names) - 1, (place.x - 2 - what) // each)
                self.refresh()


class KernelsScreen(Screen[None]):
    """A run on every engine.

    Args:
        run_id: the run; the same run on other engines is looked for in the store.
    """

    app: WorkbenchApp
    CSS_PATH = "kernels.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "pair", "Compare with the first", show=False, id="kernels.pair"),
        Binding("g", "run_missing", "Run on others", id="kernels.run"),
        Binding("o", "open", "Debugger", id="kernels.open"),
        Binding("X", "stop", "Stop", show=False, id="kernels.stop"),
        Binding("r,ctrl+r", "reload", "Reload", show=False, id="kernels.reload"),
        Binding("q,escape", "leave", "Back", key_display="q", id="kernels.leave"),
    ]
    HELP = """
    Where engines disagree about one run, and the known causes.

    g   run it on the engines that it did not run on yet, with the same inputs and script
    o   open the chosen column in the debugger
    """

    def __init__(self, run_id: str) -> None:
        super().__init__()
        self._run_id = run_id
        self.found: OnEngines | None = None
        self._control: Control | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="engines-head")
        yield Static(id="engines-problem")
        yield EnginesPanel()
        with VerticalScroll(id="engines-causes", can_focus=True):
            yield Static(id="engines-text")
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#engines-problem").display = False
        self.query_one("#engines-causes").border_title = "Why they differ"
        self.query_one(EnginesPanel).focus()
        self.load()

    @work(exclusive=True, group="engines", thread=True, exit_on_error=False)
    def load(self) -> None:
        """Look for the same run on other engines."""
        from workbench.verbs.engines import on_engines

        try:
            found = on_engines(self.app.desk.ctx, self._run_id)
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self.app.hand_over(self._show, found)

    def _failed(self, error: Exception) -> None:
        self._control = None
        problem = self.query_one("#engines-problem", Static)
        problem.update(failures.content(failures.told(error, self.app.desk.ctx.home)))
        problem.display = True
        self.query_one(EnginesPanel).empty = ""
        self.query_one(EnginesPanel).refresh()

    def _show(self, found: OnEngines) -> None:
        self.found = found
        mask = mask_for(found.environment)
        runs = found.compared.runs
        panel = self.query_one(EnginesPanel)
        before = len(panel.names)
        panel.names = tuple(run.kernel for run in runs)
        if len(panel.names) > 1 >= before:
            panel.column = 1
        panel.set_rows(fact_lines(found.compared, mask))
        self.query_one("#engines-problem").display = False
        self.query_one("#engines-head", Static).update(Content(one_line(self._heading(found), 400)))
        self.query_one("#engines-text", Static).update(self._causes(found, mask))

    def _heading(self, found: OnEngines) -> str:
        runs = found.compared.runs
        words = f"{runs[0].app} on {len(runs)} engine{'s' if len(runs) > 1 else ''}"
        if found.missing:
            words += f"; not yet on {', '.join(found.missing)}" + ("" if found.why_not else " (g runs it)")
        return words

    def _causes(self, found: OnEngines, mask: Mask) -> Content:
        pieces: list[str | tuple[str, str]] = []
        for each in found.compared.differences:
            pieces.append((f"≠ {', '.join(each.kernels)}  ", "bold $text-warning"))
            pieces.append(f"{one_line(mask.text(each.what), 1000)}\n")
            pieces.append((f"  → {each.cause or 'No known cause fits.'}\n", "$text-muted"))
        if not pieces and len(found.compared.runs) > 1:
            pieces.append(("= Equal. All engines did and said the same.", "bold $text-success"))
        elif not pieces:
            pieces.append("It ran on one engine only: there is nothing to compare yet.")
        if found.missing and found.why_not:
            pieces.append(
                (f"\nIt can't be run on the others from here: {block(found.why_not)}", "$text-muted")
            )
        return Content.assemble(*pieces)

    # actions ---------------------------------------------------------------------

    @on(LineView.Chosen)
    def action_pair(self) -> None:
        """Compare the chosen engine with the first one."""
        chosen = self._chosen()
        if self.found is None or chosen is None:
            return
        first = self.found.compared.runs[0]
        if chosen is first:
            self.app.tell("Choose another column with l: the first is what the others are compared with.")
        else:
            self.app.open_compare(first.run_id, chosen.run_id)

    def _chosen(self) -> RunResult | None:
        column = self.query_one(EnginesPanel).column
        runs = self.found.compared.runs if self.found is not None else ()
        return runs[column] if column < len(runs) else None

    def action_open(self) -> None:
        """Open the chosen column's run in the debugger."""
        chosen = self._chosen()
        if chosen is not None:
            self.app.open_run(chosen.run_id)

    def action_run_missing(self) -> None:
        """Run it on the engines that it did not run on yet."""
        found = self.found
        if found is None:
            return
        if self._control is not None:
            self.app.tell("It is running; X stops it.", "warning")
        elif not found.missing:
            self.app.tell("It ran on every engine that it can run on.")
        elif found.why_not:
            self.app.tell(found.why_not, "warning")
        else:
            self._control = self.app.desk.control()
            self.query_one("#engines-head", Static).update(
                Content(f"Running on {', '.join(found.missing)} … X stops it")
            )
            self._run(found.missing, self._control)

    @work(exclusive=True, group="engines", thread=True, exit_on_error=False)
    def _run(self, kernels: Sequence[str], control: Control) -> None:
        from workbench.verbs.engines import on_engines, run_missing

        ctx = self.app.desk.ctx
        try:
            run_missing(ctx, self._run_id, kernels, control=control)
            found = on_engines(ctx, self._run_id)
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self.app.hand_over(self._ran, found)

    def _ran(self, found: OnEngines) -> None:
        self._control = None
        self._show(found)

    def action_stop(self) -> None:
        """Stop the runs that were started here."""
        if self._control is None:
            self.app.tell("Nothing that was started here is running.")
        else:
            self._control.abort()

    def action_reload(self) -> None:
        """Look again."""
        self.load()

    def action_leave(self) -> None:
        """Back to the screen below."""
        if self._control is not None:
            self.app.tell("It is running; X stops it.", "warning")
        else:
            self.app.pop_screen()
