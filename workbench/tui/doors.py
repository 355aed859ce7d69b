"""The ways to every screen. Each is imported when it is first opened: the first paint waits for none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from textual.app import App

if TYPE_CHECKING:
    from workbench.tui.desk import Desk, StartOrder


class Doors(App[None]):
    """What the application opens: one method a screen."""

    desk: Desk

    def tell_error(self, error: BaseException) -> None:
        """Show an error on a page of its own."""
        raise NotImplementedError

    def start_run(self, order: StartOrder | None) -> None:
        """Start a run; None starts none."""
        raise NotImplementedError

    def import_paths(self, paths: Sequence[str], show: bool = False) -> None:
        """Import files; `show` opens what they are."""
        raise NotImplementedError

    def open_run(self, run_id: str, step: int | None = None, app: str | None = None) -> None:
        """Show a run, a pause or a saved pause in the debugger.

        Args:
            app: the app of a saved pause that does not know its own, by file or id.
        """
        from workbench.tui.screens.debugger import DebuggerScreen

        self.push_screen(DebuggerScreen(run_id, step, app))

    def open_editor(
        self, target: str, app: str | None = None, then: Callable[[Any], None] | None = None
    ) -> None:
        """Edit a pause; `then` gets the id of the edited file, or None where nothing was kept."""
        from workbench.tui.screens.editor import EditorScreen

        self.push_screen(EditorScreen(target, app), then)

    def open_compare(self, before: str, after: str, app: str | None = None) -> None:
        """Two runs, steps (`RUN@7`) or saved states, side by side."""
        from workbench.tui.screens.compare import CompareScreen

        self.push_screen(CompareScreen(before, after, app))

    def open_lineage(self, run_id: str | None = None) -> None:
        """The tree of forks, on a run when one is given."""
        from workbench.tui.screens.lineage import LineageScreen

        self.push_screen(LineageScreen(run_id))

    def open_apps(self) -> None:
        """The imported apps and what is wrong with them."""
        from workbench.tui.screens.apps import AppsScreen

        self.push_screen(AppsScreen())

    def open_script(self, app: str, text: str, then: Callable[[str | None], None] | None = None) -> None:
        """Edit the script of an app; `then` gets the text, or None when it was left."""
        from workbench.tui.screens.script import ScriptScreen

        self.push_screen(ScriptScreen(app, text), then)

    def open_tour(self) -> None:
        """The examples, as a guided tour."""
        from workbench.tui.screens.tour import TourScreen

        self.push_screen(TourScreen())

    def open_memory(self, conversation: str, app: str | None = None, node: str | None = None) -> None:
        """What a node remembers of a conversation (a file, an id, a run of it)."""
        from workbench.tui.screens.memory import MemoryScreen

        self.push_screen(MemoryScreen(conversation, app, node))

    def show_value(self, title: str, value: Any) -> None:
        """Show a whole value."""
        from workbench.tui.screens.pages import value_page

        self.push_screen(value_page(title, value))

    def explain(self, code: str) -> None:
        """Show the help page of a finding."""
        from workbench.tui.screens.pages import PageScreen

        try:
            text = self.desk.explain(code)
        except Exception as error:
            self.tell_error(error)
        else:
            self.push_screen(PageScreen(code, text, markdown=True))

    def start_form(self, app_id: str | None, breakpoints: frozenset[str], script: str = "") -> None:
        """Ask for all that a run needs, then start it; `script` is the text of one."""
        from workbench.tui.screens.start import StartScreen

        self.push_screen(StartScreen(app_id, sorted(breakpoints), script))

    def import_form(self) -> None:
        """Ask for a file to import."""
        from workbench.tui.screens.pages import ImportScreen

        self.push_screen(ImportScreen(), lambda paths: self.import_paths(list(paths or ())))
