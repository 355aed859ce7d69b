"""Other lists of edits: made in a worker, painted as soon as they are there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import on, work
from textual.widgets import Input

from workbench.core.edits import Editing, Given
from workbench.errors import UsageError, WorkbenchError
from workbench.tui.screens.editor import desk
from workbench.tui.screens.editor.base import EditorBase
from workbench.tui.screens.editor.desk import Checked
from workbench.tui.screens.editor.panels import EditsPanel
from workbench.tui.widgets.statetree import StateTree
from workbench.views.statefields import edit_of, field_of

if TYPE_CHECKING:
    pass


class Changes(EditorBase):
    """Applies edits, takes them back, makes them again."""

    def _go_to(self, at: int) -> None:
        assert self.editing is not None
        assert self.places is not None
        if not 0 <= at < len(self.editing.plans):
            return
        target = self.editing.edits[at].target
        keys = [self.places.key_of(step.path) for step in self.editing.plans[at].steps]
        key = ("gate", target[5:]) if target.startswith("gate:") else next((k for k in keys if k), None)
        if key is not None:
            self.query_one("#edit-search", Input).value = ""
            tree = self.query_one(StateTree)
            tree.reveal(key)
            tree.focus()

    def _undraft(self) -> None:
        tree = self.query_one(StateTree)
        tree.drafts.clear()
        tree.refresh()

    def _take(self, editing: Editing, checked: Checked | None) -> None:
        """Show other edits. Without `checked` the engine's rules are gone through in a worker."""
        assert self.places is not None
        assert self.editing is not None
        before = self.editing
        self._undraft()
        self.editing = editing
        shared = 0
        for old, new in zip(before.plans, editing.plans, strict=False):
            if old is not new:
                break
            shared += 1
        changed = (*before.plans[shared:], *editing.plans[shared:])
        if checked is not None:
            self.checked = checked
        self._told(self.places.after(editing.document, changed))
        if checked is None:
            self._check(editing)
        tree = self.query_one(StateTree)
        if tree.found is not None:
            self._search()

    @work(exclusive=True, group="check", thread=True, exit_on_error=False)
    def _check(self, editing: Editing) -> None:
        assert self.loaded is not None
        checked = desk.checked(editing, self.loaded.before)
        self.app.hand_over(self._was_checked, editing, checked)

    def _was_checked(self, editing: Editing, checked: Checked) -> None:
        if editing is self.editing:
            self.checked = checked
            self._say_edits()

    @work(group="change", thread=True, exit_on_error=False)
    def _change(self, change: Callable[[Editing], Editing]) -> None:
        """Another list of edits, made in a worker."""
        assert self.editing is not None
        base = self.editing
        try:
            made = change(base)
        except Exception as error:
            self.app.hand_over(self._not_changed, error)
        else:
            self.app.hand_over(self._was_changed, base, change, made)

    def _not_changed(self, error: Exception) -> None:
        self._undraft()
        if isinstance(error, UsageError):
            self.app.tell(sentence(error), "warning")
        else:
            self.app.tell_error(error)

    def _was_changed(self, base: Editing, change: Callable[[Editing], Editing], made: Editing) -> None:
        if base is self.editing:
            self._take(made, None)
        else:  # another edit came first: make it again on top of that one
            self._change(change)

    @on(StateTree.Toggled)
    def _toggled(self, event: StateTree.Toggled) -> None:
        spot = self.spot
        if spot is None or self.places is None or self.loaded is None or not spot.target:
            return
        shown = field_of(self.places, spot, self.loaded.mask)
        if shown.form != "choice":
            self.app.tell("enter edits it: it has more than a few values.")
            return
        values = [value for value, _ in shown.choices]
        at = values.index(shown.text) if shown.text in values else -1
        text = values[(at + 1) % len(values)]
        given = Given(text == "true" if shown.type == "boolean" else text)
        tree = self.query_one(StateTree)
        tree.drafts[spot.key] = given.value
        tree.refresh()
        edit = edit_of(self.places, spot, given, shown.type if shown.typed else None)
        self._change(lambda editing: editing.apply(edit))

    def action_remove(self) -> None:
        """Take away what is under the cursor."""
        spot = self.spot
        if spot is None or self.places is None:
            return
        if not spot.target:
            self.app.tell("This can't be removed: it belongs to every state.", "warning")
            return
        edit = edit_of(self.places, spot, None)
        self._change(lambda editing: editing.apply(edit))

    def action_undo(self) -> None:
        """Take the last edit back."""
        self._change(lambda editing: editing.undo())

    def action_redo(self) -> None:
        """Make the edit again that was undone last."""
        self._change(lambda editing: editing.redo())

    @on(EditsPanel.Dropped)
    def _dropped(self, event: EditsPanel.Dropped) -> None:
        if event.view.row is not None:
            at = event.view.row.at

            def without(editing: Editing) -> Editing:
                kept = (*editing.edits[:at], *editing.edits[at + 1 :])
                return Editing(editing.original, editing.name).replay(kept)

            self._change(without)

    def action_pending(self) -> None:
        """To the list of edits, and back."""
        panel = self.query_one(EditsPanel)
        body = self.query_one("#edit-body")
        if panel.has_focus:
            body.remove_class("-edits")
            self.query_one(StateTree).focus()
        else:
            body.add_class("-edits")
            panel.focus()


def sentence(error: WorkbenchError) -> str:
    return " ".join(part for part in (error.title, error.cause, error.next_step) if part)
