"""Writes what the outside world answers: checked against the app while one types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Button, Static, TextArea

from workbench.tui import failures
from workbench.tui.screens.pages import AskScreen
from workbench.tui.screens.script.entries import Place, inserted, places, whole
from workbench.tui.text import clip, fit, one_line, plain
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.lines import Cell, LineView

if TYPE_CHECKING:
    from workbench.records.app import App
    from workbench.tui.app import WorkbenchApp

DELAY = 0.2
"""Seconds without a key before the script is checked."""


def _draw(place: Place, width: int) -> Sequence[Cell]:
    name = max(10, width - 20)
    return [(fit(place.title, name - 1) + " ", ""), (clip(place.type, 20), "dim")]


class NodesPanel(LineView[Place]):
    """The nodes that ask the outside world."""

    HELP = """
    The nodes of the app that can be scripted.

    j k          move; below stands what an entry may say
    enter        put an entry for this node at the end of the script
    """

    def __init__(self) -> None:
        super().__init__(_draw, empty="No node asks the outside world.", id="script-nodes")
        self.border_title = "Nodes"


class ScriptScreen(Screen[str | None]):
    """Gives the text of a script, or None when it was left.

    Args:
        app: its app, by file or id.
        text: what stands in it.
    """

    app: WorkbenchApp
    CSS_PATH = "script.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "text", "Write", id="script.text"),
        Binding("n", "nodes", "Nodes", id="script.nodes"),
        Binding("a", "all", "Entry for each", id="script.all"),
        Binding("g", "fault", "To the fault", id="script.fault"),
        Binding("o", "load", "Load", id="script.load"),
        Binding("w", "save", "Write to file", show=False, id="script.save"),
        Binding("enter", "use", "Use", show=False, id="script.use"),
        Binding("escape", "leave", "Out", id="script.out"),
        Binding("q", "cancel", "Cancel", id="script.cancel"),
    ]
    HELP = """
    What models, tools and people answer in a run; a node without an entry gives a made-up answer. The
    whole vocabulary is in kernels/SCRIPT.md.

    t            into the text; esc comes out again, so that keys are commands
    n            the nodes; enter puts an entry for one at the end
    a            an entry for each node, when the text is empty
    g            to the line with the fault
    o w          load a file, write to a file
    q            leave, nothing is changed
    """

    def __init__(self, app: str, text: str) -> None:
        super().__init__()
        self._target, self._text = app, text
        self._found: App | None = None
        self._fault: int | None = None
        self._warned = False

    def compose(self) -> ComposeResult:
        yield Static(Content("Script"), id="script-name")
        with Horizontal(id="script-body"):
            yield TextArea(self._text, show_line_numbers=True, id="script-text", tab_behavior="indent")
            with Vertical(id="script-side"):
                yield NodesPanel()
                yield Static(id="script-keys")
        yield Static(id="script-problem")
        with Horizontal(id="script-buttons"):
            yield Button("Use this script", variant="primary", id="script-ok", compact=True)
            yield Button("Cancel", id="script-no", compact=True)
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one(TextArea).focus()
        self._read()

    @work(thread=True, group="read", exit_on_error=False)
    def _read(self) -> None:
        try:
            found = self.app.desk.app(self._target)
            listed = places(found)
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self.app.hand_over(self._show, found, listed)

    def _failed(self, error: Exception) -> None:
        self._say(failures.content(failures.told(error, self.app.desk.ctx.home)), wrong=True)

    def _show(self, found: App, listed: Sequence[Place]) -> None:
        self._found = found
        self.query_one("#script-name", Static).update(plain(f"Script for {found.name}", 100))
        self.query_one(NodesPanel).set_rows(listed)
        self._tell_keys()
        self._check()

    @on(LineView.Moved)
    def _tell_keys(self) -> None:
        place = self.query_one(NodesPanel).row
        words = "" if place is None else f"{one_line(place.id)} may say: {', '.join(place.keys)}"
        self.query_one("#script-keys", Static).update(Content(words))

    # checking ------------------------------------------------------------------------

    @on(TextArea.Changed)
    def _typed(self) -> None:
        self._warned = False
        self.set_timer(DELAY, self._check)

    @work(thread=True, exclusive=True, group="check", exit_on_error=False)
    def _check(self) -> None:
        from workbench.records.script import read_script

        text = self.query_one(TextArea).text
        try:
            read_script(text.encode("utf-8", "surrogatepass"), self._found)
        except Exception as error:
            self.app.hand_over(self._checked, text, error)
        else:
            self.app.hand_over(self._checked, text, None)

    def _checked(self, text: str, error: Exception | None) -> None:
        if text != self.query_one(TextArea).text:
            return
        if error is None:
            self._fault = None
            told = "The script fits the app." if text.strip() else "Empty: every answer is made up."
            self._say(Content(told), wrong=False)
            return
        found = re.search(r"[Ll]ine (\d+)", f"{error} {getattr(error, 'cause', '')}")
        self._fault = int(found[1]) if found else None
        self._failed(error)

    def _say(self, words: Content, *, wrong: bool) -> None:
        problem = self.query_one("#script-problem", Static)
        problem.update(words)
        problem.set_class(wrong, "-wrong")

    # actions -------------------------------------------------------------------------

    @on(LineView.Chosen)
    def _chosen(self, event: LineView.Chosen) -> None:
        area = self.query_one(TextArea)
        self._replace(inserted(area.text, event.view.rows[event.index]))
        area.move_cursor(area.document.end)

    def _replace(self, text: str) -> None:
        """Another text, in one step that undo takes back."""
        area = self.query_one(TextArea)
        area.replace(text, area.document.start, area.document.end)

    def action_text(self) -> None:
        """Into the text."""
        self.query_one(TextArea).focus()

    def action_nodes(self) -> None:
        """Into the nodes."""
        self.query_one(NodesPanel).focus()

    def action_all(self) -> None:
        """An entry for each node."""
        if self.query_one(TextArea).text.strip():
            self.app.tell("There is a text already; n puts entries at its end.")
        else:
            self._replace(whole(list(self.query_one(NodesPanel).rows)))

    def action_fault(self) -> None:
        """To the line with the fault."""
        area = self.query_one(TextArea)
        if self._fault is None:
            self.app.tell("Nothing is wrong, or the fault has no line.")
        else:
            area.move_cursor((max(0, min(self._fault, area.document.line_count) - 1), 0))
            area.focus()

    def action_load(self) -> None:
        """Load a file."""
        self.app.push_screen(AskScreen("Load a script", "script.yml"), self._loaded)

    def _loaded(self, name: str | None) -> None:
        from workbench.records.reading import decode, read_file

        if name is None:
            return
        try:
            text = decode(read_file(Path(name).expanduser()), name)
        except Exception as error:
            self.app.tell_error(error)
        else:
            self._replace(text)

    def action_save(self) -> None:
        """Write to a file."""
        self.app.push_screen(AskScreen("Write the script to", "script.yml"), self._saved)

    def _saved(self, name: str | None) -> None:
        if name is None:
            return
        text = self.query_one(TextArea).text
        path = Path(name).expanduser()
        try:
            with path.open("x", encoding="utf-8", errors="surrogatepass") as file:
                file.write(text)
        except OSError as error:
            self.app.tell_error(error)
        else:
            self.app.tell(f"Written: {path}")

    @on(Button.Pressed, "#script-ok")
    def action_use(self) -> None:
        """Give the script to who asked for it."""
        self.dismiss(self.query_one(TextArea).text)

    @on(Button.Pressed, "#script-no")
    def action_cancel(self) -> None:
        """Leave; what was typed is dropped, which is asked about once."""
        if self.query_one(TextArea).text == self._text or self._warned:
            self.dismiss(None)
            return
        self._warned = True
        self.app.tell("What was typed is not kept; q again leaves, enter uses it.", "warning")

    def action_leave(self) -> None:
        """Out of the text, so that keys are commands."""
        self.query_one("#script-ok").focus()
