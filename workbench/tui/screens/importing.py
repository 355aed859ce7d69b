"""Many files come in: how far it is, and a way to stop."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, ProgressBar, Static

from workbench.tui.text import one_line, plain

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp
    from workbench.verbs.results import ImportedFile


class ImportingScreen(ModalScreen["tuple[ImportedFile, ...] | Exception"]):
    """Imports files and gives what they were; what was stored before a stop stays."""

    app: WorkbenchApp
    CSS_PATH = "forms.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "stop", "Stop", id="importing.stop")]

    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__()
        self._paths = list(paths)
        self._stopped = threading.Event()

    def compose(self) -> ComposeResult:
        with Vertical(id="form") as form:
            form.border_title = plain(f"Importing {', '.join(self._paths)}", 70)
            yield ProgressBar(show_eta=False, id="import-progress")
            yield Static(Content("Looking for files …"), id="import-count", classes="note last")
            with Horizontal(id="buttons"):
                yield Button("Stop", id="stop", compact=True)

    def on_mount(self) -> None:
        self._import()

    @work(thread=True, group="import", exit_on_error=False)
    def _import(self) -> None:
        try:
            files = self.app.desk.import_files(self._paths, self._goes_on)
        except Exception as error:
            self.app.hand_over(self.dismiss, error)
        else:
            self.app.hand_over(self.dismiss, files)

    def _goes_on(self, done: int, count: int) -> bool:
        self.app.hand_over(self._show, done, count)
        return not self._stopped.is_set()

    def _show(self, done: int, count: int) -> None:
        self.query_one(ProgressBar).update(total=count, progress=done)
        words = f"{done} of {count} files" + (", stopping …" if self._stopped.is_set() else "")
        self.query_one("#import-count", Static).update(Content(words))

    @on(Button.Pressed, "#stop")
    def action_stop(self) -> None:
        """No file more."""
        self._stopped.set()


def summary(files: Sequence[ImportedFile]) -> Content:
    """What many files were: how many of each kind, then those that could not be read, and why."""
    kinds: dict[str, int] = {}
    for file in files:
        kind = "not read" if file.error else file.kind.replace("-", " ")
        kinds[kind] = kinds.get(kind, 0) + 1
    counts = "\n".join(f"{count:>6}  {kind}" for kind, count in sorted(kinds.items()))
    pieces: list[str | tuple[str, str]] = [(f"{len(files)} files\n", "bold"), counts]
    for file in files:
        if file.error:
            pieces += [("\n\n✗ ", "$text-error"), (one_line(file.file, 200), "bold")]
            pieces.append(f"\n  {one_line(file.error, 400)}")
    return Content.assemble(*pieces)
