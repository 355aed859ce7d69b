"""Lists of edits and files: naming, loading, writing, replaying, saving, leaving."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import work
from textual.widgets import Input

from workbench.core.edits import Editing
from workbench.errors import WorkbenchError
from workbench.tui.screens.editor import desk, pages
from workbench.tui.screens.editor.desk import Loaded
from workbench.tui.screens.editor.fielding import Fielding
from workbench.tui.widgets.statetree import StateTree
from workbench.views.secrets import mask_for

if TYPE_CHECKING:
    pass


class Keeping(Fielding):
    """Keeps what was edited."""

    def action_name(self) -> None:
        """Give the list of edits a name."""
        if self.editing is not None:
            ask = pages.AskScreen("Name the edits", "It is kept with the edited pause.", self.editing.name)
            self.app.push_screen(ask, self._named)

    def _named(self, name: str | None) -> None:
        if name is not None and self.editing is not None:
            self.editing = self.editing.named(name)
            self._say_edits()

    def action_load_edits(self) -> None:
        """Replay the edits of a file on this pause."""
        words = "A file that `workbench edit --save-edits` or W wrote"
        self.app.push_screen(pages.AskScreen("Load edits", words, ok="Load"), self._load_from)

    def _load_from(self, path: str | None) -> None:
        if path:

            def replayed(editing: Editing) -> Editing:
                name, edits = desk.read_edits(path)
                done = editing.replay(edits)
                return done.named(name) if name and not editing.name else done

            self._change(replayed)

    def action_write_edits(self) -> None:
        """Write the list of edits to a file, for another pause."""
        if self.editing is None or not self.editing.edits:
            self.app.tell("There are no edits to write.")
            return
        words = "They can be replayed: workbench edit ID --from FILE. Values are not masked in it."
        self.app.push_screen(pages.AskScreen("Write the edits", words, "edits.yml", "Write"), self._write_to)

    def _write_to(self, path: str | None) -> None:
        if path and self.editing is not None:
            try:
                desk.write_edits(path, self.editing)
            except (WorkbenchError, OSError) as error:
                self.app.tell_error(error)
            else:
                self.app.tell(f"Written: {path}")

    def action_replay(self) -> None:
        """Open another pause with these edits."""
        if self.editing is None or not self.editing.edits:
            self.app.tell("There are no edits to replay.")
            return
        words = "The id of a pause, run or file, or a path: it opens with these edits"
        self.app.push_screen(pages.AskScreen("Replay on another pause", words, ok="Open"), self._replay_on)

    def _replay_on(self, target: str | None) -> None:
        if target and self.editing is not None:
            name = self.editing.name
            from workbench.tui.screens.editor.screen import EditorScreen

            self.app.push_screen(EditorScreen(target, None, self.editing.edits, name))

    def action_kernel(self) -> None:
        """Choose the engine kernel whose rules it shall keep."""
        if self.loaded is not None:
            choices = [(name, name) for name in desk.kernels(self.app.desk.ctx)]
            words = "The edited pause is checked by what this engine loads."
            choose = pages.ChooseScreen("Engine kernel", words, choices, self.loaded.subject.kernel)
            self.app.push_screen(choose, self._kernel_chosen)

    def _kernel_chosen(self, kernel: str | None) -> None:
        if kernel and self.editing is not None and kernel != self._kernel:
            self._kernel = kernel
            self._load(self.editing.edits, self.editing.name)

    def action_reveal(self) -> None:
        """Show secrets, or hide them again."""
        if self.loaded is None:
            return
        from dataclasses import replace

        self._unmask = not self._unmask
        mask = mask_for(self.loaded.subject.environment, unmask=self._unmask)
        self.loaded = replace(self.loaded, mask=mask)
        self._hay = None
        if self.places is not None:
            self._told(self.places)
        self.app.tell("Secrets are shown now." if self._unmask else "Secrets are hidden.", "warning")

    def action_copy_target(self) -> None:
        """Copy what an edit of this place is called."""
        if self.spot is not None and self.spot.target:
            self.app.copy_to_clipboard(self.spot.target)
            self.app.tell(f"Copied: {self.spot.target}")

    def action_debugger(self) -> None:
        """Open this pause in the debugger."""
        if self.loaded is not None:
            subject = self.loaded.subject
            if subject.made and subject.run_id is not None:
                self.app.open_run(subject.run_id, subject.step)
            else:
                self.app.open_run(self._target, None, self._app_of)

    def action_diff(self) -> None:
        """What saving would change."""
        self._differences(self._show_differences)

    def _show_differences(self, lines: list[str]) -> None:
        from workbench.tui.screens.pages import PageScreen
        from workbench.tui.text import block

        self.app.push_screen(PageScreen("What saving would change", block("\n".join(lines))))

    @work(exclusive=True, group="diff", thread=True, exit_on_error=False)
    def _differences(self, then: Callable[[list[str]], None]) -> None:
        if self.loaded is None or self.editing is None:
            return
        try:
            lines = desk.differences(self.loaded, self.editing)
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self.app.hand_over(then, lines)

    def action_save(self) -> None:
        """Save the edited pause as a new file."""
        if self.editing is None:
            return
        if not self.editing.edits:
            self.app.tell("There is nothing to save: no edit is in effect.")
        else:
            self._differences(self._ask_save)

    def _ask_save(self, lines: list[str]) -> None:
        assert self.loaded is not None
        assert self.editing is not None
        refused = [self.loaded.mask.text(fault.message) for fault in self.checked.refused]
        kernel, mask = self.loaded.subject.kernel, self.loaded.mask
        anyway = [mask.text(fault.message) for fault in self.checked.others if fault.refused]
        if anyway:
            told = f"{kernel} would refuse it even without these edits: {' '.join(anyway[:3])}"
            lines = [told, *lines]
        save = pages.SaveScreen(self.editing.name, self.loaded.subject.kernel, lines, refused)
        self.app.push_screen(save, self._save)

    def _save(self, order: pages.SaveOrder | None) -> None:
        if order is not None and self.editing is not None and self.loaded is not None:
            self.editing = self.editing.named(order.name)
            self._write(order, self.loaded, self.editing)

    @work(exclusive=True, group="save", thread=True, exit_on_error=False)
    def _write(self, order: pages.SaveOrder, loaded: Loaded, editing: Editing) -> None:
        ctx = self.app.desk.ctx
        try:
            result = desk.save(
                ctx, self._target, self._app_of, loaded, editing, force=order.force, path=order.path
            )
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self.app.hand_over(self._was_saved, order, editing, str(result.file_id))

    def _was_saved(self, order: pages.SaveOrder, editing: Editing, file_id: str) -> None:
        self._saved, self._saved_at = file_id, editing.edits
        written = f" and written to {order.path}" if order.path else ""
        self.app.tell(f"Kept as {file_id}{written}. The original stays as it was.")
        self._say_edits()
        if order.then == "stay":
            return
        self.dismiss(file_id)
        if order.then == "open":
            assert self.loaded is not None
            self.app.open_run(file_id, None, self._app_of)

    def action_leave(self) -> None:
        """Back; edits that were not saved are asked about."""
        editing = self.editing
        if editing is None or not editing.edits or editing.edits == self._saved_at:
            self.dismiss(self._saved)
            return
        choices = [("stay", "Go on editing"), ("save", "Save …"), ("drop", "Leave without saving")]
        count = f"{len(editing.edits)} edits are" if len(editing.edits) > 1 else "1 edit is"
        self.app.push_screen(pages.ChooseScreen("Not saved", f"{count} not saved.", choices), self._left)

    def _left(self, choice: str | None) -> None:
        if choice == "drop":
            self.dismiss(self._saved)
        elif choice == "save":
            self.action_save()

    def action_clear(self) -> None:
        """Clear the search, then back."""
        search, tree = self.query_one("#edit-search", Input), self.query_one(StateTree)
        if search.value or search.has_focus:
            search.value = ""
            tree.focus()
        elif not tree.has_focus:
            tree.focus()
        else:
            self.action_leave()
