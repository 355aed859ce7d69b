"""The editor: the tree of a saved pause, the field of the value that is edited, and the list of edits."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from workbench.tui.screens.editor.keeping import Keeping


class EditorScreen(Keeping):
    """Changes a saved pause; gives the id of the edited file, or None when nothing was kept.

    Args:
        target: a pause's or file's id, a run (its last pause), or a file.
        edited: the app of a saved pause that does not know its own, by file or id.
        edits: replayed first.
    """

    CSS_PATH = "editor.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - as Textual declares it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "Find", key_display="/", id="edit.search"),
        Binding("e", "edit", "Edit", id="edit.edit"),
        Binding("a", "add", "Add", id="edit.add"),
        Binding("x,delete", "remove", "Remove", key_display="x", id="edit.remove"),
        Binding("u", "undo", "Undo", id="edit.undo"),
        Binding("U,ctrl+r", "redo", "Redo", key_display="U", id="edit.redo"),
        Binding("d", "diff", "Diff", id="edit.diff"),
        Binding("s", "save", "Save", id="edit.save"),
        Binding("p", "pending", "Edits", id="edit.pending"),
        Binding("t", "command", "TARGET=VALUE", show=False, id="edit.command"),
        Binding("n", "name", "Name the edits", show=False, id="edit.name"),
        Binding("L", "load_edits", "Load edits", show=False, id="edit.load"),
        Binding("W", "write_edits", "Write edits", show=False, id="edit.write"),
        Binding("R", "replay", "Replay on another pause", show=False, id="edit.replay"),
        Binding("K", "kernel", "Engine", show=False, id="edit.kernel"),
        Binding("v", "reveal", "Show, hide secrets", show=False, id="edit.reveal"),
        Binding("Y", "copy_target", "Copy target", show=False, id="edit.copy_target"),
        Binding("g", "debugger", "In the debugger", show=False, id="edit.debugger"),
        Binding("w", "whole", "Whole value", show=False, id="edit.whole"),
        Binding("escape", "clear", "Clear", show=False, id="edit.clear"),
        Binding("q", "leave", "Back", id="edit.leave"),
    ]
    HELP = """
    Changes a saved pause. The original stays; what you save is a new file of the store.

    enter, e     edit the value         a   add a variable, key or item       x   remove
    /            find                   t   type an edit: TARGET=VALUE
    u  U         undo, redo             p   the list of edits                 n   name it
    d            what would change      s   save, then open or resume it
    L  W         load, write the list of edits; R replays it on another pause
    K            whose rules it shall keep                v   show or hide secrets
    Y            copy the target         g   open this pause in the debugger
    """
