"""The Textual application: its screens, themes, keys, and the runs that it starts."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Sequence
from functools import partial
from inspect import isawaitable
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from workbench.tui import failures, settings
from workbench.tui.desk import Desk, ForkOrder, ResumeOrder, StartOrder
from workbench.tui.doors import Doors
from workbench.tui.keys import keys_of, own_bindings
from workbench.tui.live import RunBegan, RunEnded, RunNote, play
from workbench.tui.palette import WorkbenchCommands
from workbench.tui.screens.runs import RunsScreen
from workbench.tui.text import one_line
from workbench.tui.themes import THEMES
from workbench.views.breakpoints import Breakpoints

if TYPE_CHECKING:
    from workbench.engine.control import Control
    from workbench.tui.screens.form import FormScreen
    from workbench.verbs.context import Context
    from workbench.verbs.results import ImportedFile

SAVED_PAUSES = ("resumption-context", "runtime-state", "stream-filter")
"""Kinds of imported files that open in the debugger."""
TOLD_ALONE = 5
"""Imported files that are told one by one and opened; of more a page tells."""


class WorkbenchApp(Doors):
    """The TUI on one store.

    Args:
        files: imported first; the last run or pause among them is shown.
        selected: the id of a run, a pause or a saved pause that is shown first.
        app: the app of the saved pauses among them, by file or id.
        desk: what answers the screens' questions; made for `ctx` when None.
    """

    TITLE = "Answer Workbench"
    # A default screen loads no styles of its own: those of the runs stand here.
    CSS_PATH: ClassVar[list[str | PurePath]] = ["workbench.tcss", "screens/runs.tcss"]
    COMMANDS: ClassVar[set[Any]] = {WorkbenchCommands}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "Help", key_display="?", id="app.help"),
        Binding("colon", "command_palette", "Commands", key_display=":", id="app.commands"),
        Binding("semicolon", "jump", "Jump", key_display=";", show=False, id="app.jump"),
        Binding("M", "next_theme", "Theme", show=False, id="app.theme"),
        Binding("y", "copy", "Copy", show=False, id="app.copy"),
        Binding("E", "export_screen", "Export screen", show=False, id="app.export"),
        Binding("Q", "quit", "Quit", show=False, id="app.quit"),
    ]

    def __init__(
        self,
        ctx: Context,
        *,
        files: Sequence[Path | str] = (),
        selected: str | None = None,
        app: str | None = None,
        desk: Desk | None = None,
    ) -> None:
        self.settings, self._settings_note = settings.load(ctx.home)
        super().__init__()
        self.desk = desk or Desk(ctx)
        self._files, self._selected, self._app_given = tuple(files), selected, app
        self.playing: str | None = None
        self.breakpoints: dict[str, Breakpoints] = {}
        self._watching = Breakpoints()
        self._form: FormScreen[Any] | None = None
        self._control: Control | None = None
        for theme in THEMES:
            self.register_theme(theme)
        known = self.settings.theme in self.available_themes
        # Set before the styles are parsed: a change of theme parses them all again.
        self.theme = self.settings.theme if known else THEMES[0].name
        self.stylesheet.set_variables(self.get_css_variables())

    def get_default_screen(self) -> Screen[Any]:
        return RunsScreen()

    def on_mount(self) -> None:
        if not self.is_headless:
            for number in (signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    asyncio.get_running_loop().add_signal_handler(number, self._end, number)
        self.set_keymap(self.settings.keys)
        if self._settings_note:
            self.tell(self._settings_note, "warning")
        if self._selected:
            self.open_run(self._selected, app=self._app_given)
        if self._files:
            self.import_paths([str(f) for f in self._files], show=True)

    def _end(self, number: signal.Signals) -> None:
        """Told to end from outside: stop the run that goes on, and give the terminal back."""
        if self._control is not None:
            reason = f"Stopped by {number.name}."
            threading.Thread(target=self._control.abort, args=(reason,), daemon=True).start()
        self.exit(return_code=128 + number)

    class Handed(Message):
        """Work of a thread is done: call this in the event loop."""

        def __init__(self, callback: Callable[..., Any], values: tuple[Any, ...]) -> None:
            super().__init__()
            self.callback, self.values = callback, values

    def hand_over(self, callback: Callable[..., Any], *values: Any) -> None:
        """From a worker thread: have something called in the event loop, without waiting for it."""
        self.post_message(self.Handed(callback, values))

    async def on_workbench_app_handed(self, event: Handed) -> None:
        owner = getattr(event.callback, "__self__", None)
        if isinstance(owner, Screen) and not owner.is_attached:
            return
        try:
            result = event.callback(*event.values)
            if isawaitable(result):
                await result
        except Exception as error:
            self.tell_error(error)

    # talking -----------------------------------------------------------------

    def tell(self, text: str, severity: str = "information") -> None:
        """A short message; never parsed as markup."""
        self.notify(one_line(text, 400), severity=severity, markup=False)  # type: ignore[arg-type]

    def tell_error(self, error: BaseException) -> None:
        """An error with its three parts, on a page that stays until it is closed."""
        from workbench.tui.screens.pages import PageScreen

        self.push_screen(PageScreen("Not done", failures.content(failures.told(error, self.desk.ctx.home))))

    def remember(self, **values: Any) -> None:
        """Keep values in the settings file."""
        changed = self.settings.changed(**values)
        if changed != self.settings:
            self.settings = changed
            settings.save(self.desk.ctx.home, changed)

    # work --------------------------------------------------------------------

    def start_run(self, order: StartOrder | None, form: FormScreen[Any] | None = None) -> None:
        """Start a run in a thread. `form` is closed when it begins, and told when it can't."""
        if order is not None:
            self._watching = self.breakpoints.get(str(order.app), Breakpoints())
            self._play(lambda watcher, control: self.desk.start(order, watcher, control), form)

    def resume_run(self, order: ResumeOrder) -> None:
        """Continue a pause in a thread."""
        self._play(lambda watcher, control: self.desk.resume(order, watcher, control))

    def fork_run(self, order: ForkOrder | None, form: FormScreen[Any] | None = None) -> None:
        """Go on from a step as a new run, in a thread. `form` as in `start_run`."""
        if order is not None:
            self._play(lambda watcher, control: self.desk.fork(order, watcher, control), form)

    def watch_for(self, app_id: str, breakpoints: Breakpoints) -> None:
        """Keep the breakpoints of an app; a run that goes on here stops at them."""
        self.breakpoints[app_id] = self._watching = breakpoints

    def _play(self, work: Any, form: FormScreen[Any] | None = None) -> None:
        if self._control is not None:
            self.tell("A run is still going on; X stops it.", "warning")
            return
        self._control, self._form = self.desk.control(), form
        if form is not None:
            form.working("Starting the engine …")
        self.run_worker(
            partial(play, self, self.desk.ctx.home, work, self._control, lambda: self._watching),
            thread=True,
            group="run",
            exit_on_error=False,
        )

    def pause_run(self, reason: str, run_id: str) -> bool:
        """Have the engine of a run that was started here pause before its next node; False where none is."""
        if self._control is None or self.playing != run_id:
            return False
        self._control.pause(reason)
        return True

    def stop_run(self) -> None:
        """Stop the run that goes on."""
        if self._control is None:
            self.tell("No run started here is going on.")
        else:
            self._control.abort()

    def on_run_began(self, event: RunBegan) -> None:
        from workbench.tui.screens.debugger import DebuggerScreen

        self.playing = event.run_id
        form, self._form = self._form, None
        if form is not None and form.is_attached:
            form.dismiss(None)
        screen = self.screen
        if isinstance(screen, DebuggerScreen) and screen.run_id == event.run_id:
            screen.following = True
            screen.load()
        elif isinstance(screen, DebuggerScreen):
            self.switch_screen(DebuggerScreen(event.run_id))
        else:
            self.open_run(event.run_id)

    def on_run_note(self, event: RunNote) -> None:
        self.tell(event.text)

    def on_run_ended(self, event: RunEnded) -> None:
        from workbench.tui.screens.debugger import DebuggerScreen

        self._control, self.playing = None, None
        form, self._form = self._form, None
        if event.error is not None:
            if form is not None and form.is_attached:
                form.not_done(event.error)
            else:
                self.tell_error(event.error)
            return
        assert event.result is not None
        result = event.result
        self.tell(f"{result.app}: {result.status}", "error" if result.status == "failed" else "information")
        for screen in self.screen_stack:
            if isinstance(screen, DebuggerScreen) and screen.run_id == result.run_id:
                screen.load()

    def import_paths(self, paths: Sequence[str], show: bool = False) -> None:
        """Import files, or all in a folder, and tell what they are."""
        from workbench.tui.screens.importing import ImportingScreen

        if paths:
            self.push_screen(ImportingScreen(paths), partial(self._imported, show=show))

    def _imported(self, files: tuple[ImportedFile, ...] | Exception | None, show: bool) -> None:
        from workbench.tui.screens.importing import summary
        from workbench.tui.screens.pages import PageScreen

        if isinstance(files, Exception) or files is None:
            if files is not None:
                self.tell_error(files)
            return
        if len(files) > TOLD_ALONE:
            self.push_screen(PageScreen("Imported", summary(files)))
            return
        for file in files:
            words = f"{file.file}: {file.error}" if file.error else f"{file.file}: {file.kind}. {file.detail}"
            self.tell(words, "error" if file.error else "information")
        good = [file for file in files if file.id and not file.error]
        apps = [file for file in good if file.kind == "app"]
        pauses = [file for file in good if file.kind in SAVED_PAUSES]
        bundles = [file for file in good if file.kind == "bundle"]
        chats = [file for file in good if file.kind == "conversation"]
        if pauses:
            app = self._app_given or (apps[-1].id if apps else None)
            self.open_run(str(pauses[-1].id), None, app)
        elif bundles and show:
            self.open_run(str(bundles[-1].id))
        elif chats:
            app = self._app_given or (apps[-1].id if apps else None)
            self.open_memory(str(chats[-1].id), app)
        elif apps:
            self.start_form(apps[-1].id, frozenset())

    # actions -----------------------------------------------------------------

    def action_help(self) -> None:
        """Help for the panel in focus."""
        from workbench.tui.screens.pages import PageScreen, help_text

        pages: list[str] = []
        node: Any = self.focused or self.screen
        while node is not None and node is not self:
            page = getattr(node, "HELP", None)
            if isinstance(page, str) and page.strip() and page not in pages:
                pages.append(page)
            node = node.parent
        self.push_screen(PageScreen("Help", help_text(pages, self.keys_now())))

    def keys_now(self) -> list[tuple[str, str]]:
        """Every key that works now, and what it does."""
        return [(keys_of(self.screen, a), a.binding.description) for a in own_bindings(self.screen)]

    def action_jump(self) -> None:
        """Letters on every panel: type one to go there."""
        from workbench.tui.screens.jump import JumpScreen

        targets = [
            w for w in self.screen.query("*") if isinstance(w, Widget) and w.focusable and w.region.area > 2
        ]
        shown = [w for w in targets if self.screen.region.contains_region(w.region)]
        self.push_screen(JumpScreen(shown), lambda target: target.focus() if target is not None else None)

    def action_next_theme(self) -> None:
        """The next of the workbench's themes."""
        names = [theme.name for theme in THEMES]
        at = names.index(self.theme) if self.theme in names else -1
        self.theme = names[(at + 1) % len(names)]

    def watch_theme(self, theme: str) -> None:
        self.remember(theme=theme)

    def action_copy(self) -> None:
        """Copy what the panel in focus shows."""
        from workbench.tui.export import screen_text

        widget = self.focused or self.screen
        self.copy_to_clipboard(screen_text(self, widget.region))
        self.tell("Copied what the panel shows.")

    def action_export_screen(self) -> None:
        """Write the screen as SVG and as text."""
        from workbench.tui.export import export_screen

        try:
            paths = export_screen(self, self.desk.ctx.home)
        except OSError as error:
            self.tell_error(error)
        else:
            self.tell(f"Written: {paths[0]} and {paths[1].name}")

    def handle_bindings_clash(self, clashed_bindings: set[Binding], node: Any) -> None:
        names = ", ".join(sorted(b.id or b.action for b in clashed_bindings))
        self.tell(f"Two actions have the same key in tui.json: {names}", "warning")

    def _fatal_error(self) -> None:
        """Leave with three lines instead of Textual's traceback, which would print the values of
        variables.
        """
        error = self._exception or RuntimeError("unknown")
        text = failures.content(failures.told(error, self.desk.ctx.home)).plain
        self._exit_renderables.append(Text(text))
        self._close_messages_no_wait()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own colours, for themes that are not ours."""
        return {"panel-border": "#5a6673"}

    def get_system_commands(self, screen: Any) -> Any:
        """None of Textual's own: `WorkbenchCommands` lists everything."""
        return ()
