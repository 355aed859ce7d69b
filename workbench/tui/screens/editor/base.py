"""What the editor shows: the opened pause, the tree, what was found in it, the place under the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, OptionList, Select, SelectionList, Static, TextArea

from workbench.core.edits import MISSING, Edit, Editing
from workbench.tui import failures
from workbench.tui.screens.editor import desk
from workbench.tui.screens.editor.desk import Checked, Loaded
from workbench.tui.screens.editor.panels import AboutPanel, EditsPanel, rows_of
from workbench.tui.screens.editor.searching import Haystack
from workbench.tui.screens.editor.trying import Proposal, Tried
from workbench.tui.sweeping import give_back, no_sweep
from workbench.tui.text import one_line, plain
from workbench.tui.widgets.keybar import KeyBar
from workbench.tui.widgets.lines import LineView
from workbench.tui.widgets.statetree import StateTree
from workbench.tui.widgets.valuefield import ValueField
from workbench.views.statefields import masked
from workbench.views.statetree import Spot, Tree
from workbench.views.statewords import told_about

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp

DELAY = 0.05
"""Seconds without a key before something is looked for, or tried."""
FIRST_OPEN = 300
"""Variables up to which all of them are shown at first."""


_WAITING = frozenset(
    (
        "edit", "add", "remove", "undo", "redo", "diff", "save", "pending", "command", "name", "load_edits",
        "write_edits", "replay", "kernel", "reveal", "copy_target", "debugger", "whole", "leave",
    )
)  # fmt: skip
"""What can't be done while a value or a search is typed."""


class EditorBase(Screen[str | None]):
    """The state of the editor, and how it is painted."""

    app: WorkbenchApp

    def __init__(
        self, target: str, app: str | None = None, edits: Sequence[Edit] = (), name: str = ""
    ) -> None:
        super().__init__()
        self._target, self._app_of = target, app
        self._first = tuple(edits), name
        self._kernel: str | None = None
        self._saved: str | None = None
        self._saved_at: tuple[Edit, ...] = ()
        self._unmask = False
        self._number = 0
        self._pending: Proposal | None = None
        self._tried: Tried | None = None
        self._wanted = False
        self._field_of: Spot | None = None
        self._hay: Haystack | None = None
        self.loaded: Loaded | None = None
        self.editing: Editing | None = None
        self.places: Tree | None = None
        self.checked = Checked()

    def compose(self) -> ComposeResult:
        with Horizontal(id="edit-top"):
            yield Static(Content("Edit"), id="edit-name")
            yield Input(placeholder="/ find: name, title, type, value", id="edit-search")
            yield Static(id="edit-engine")
        yield Static(id="edit-what")
        yield Static(id="edit-problem")
        with Container(id="edit-body"):
            yield StateTree()
            with Vertical(id="edit-side"):
                yield AboutPanel()
                yield ValueField()
                yield EditsPanel()
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one("#edit-problem").display = False
        self.query_one(ValueField).display = False
        tree = self.query_one(StateTree)
        tree.border_title, tree.border_subtitle = "Saved pause", ""
        self.query_one(AboutPanel).border_title = "Value"
        self.query_one(ValueField).border_title = "Edit"
        self.query_one(EditsPanel).border_title = "Edits"
        self.query_one("#edit-what", Static).update(plain(f"{self._target}: reading …"))
        tree.focus()
        self._load(*self._first)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While one types, the letters are letters: the screen's own actions wait."""
        typing = isinstance(self.focused, Input | TextArea | OptionList | SelectionList | Select)
        return not (typing and action in _WAITING)

    @work(exclusive=True, group="load", thread=True, exit_on_error=False)
    def _load(self, edits: Sequence[Edit], name: str) -> None:
        try:
            with no_sweep(self):
                loaded = desk.load(
                    self.app.desk.ctx,
                    self._target,
                    self._app_of,
                    self._kernel,
                    edits,
                    name=name,
                    unmask=self._unmask,
                )
                checked = desk.checked(loaded.editing, loaded.before)
        except Exception as error:
            self.app.hand_over(self._failed, error)
        else:
            self.app.hand_over(self._show, loaded, checked)

    def _failed(self, error: Exception) -> None:
        if self.loaded is not None:
            self.app.tell_error(error)
            return
        problem = self.query_one("#edit-problem", Static)
        problem.update(failures.content(failures.told(error, self.app.desk.ctx.home)))
        problem.display = True
        tree = self.query_one(StateTree)
        tree.empty = "q goes back."
        tree.refresh()

    def _show(self, loaded: Loaded, checked: Checked) -> None:
        first = self.loaded is None
        self.loaded, self.checked = loaded, checked
        self.editing = loaded.editing
        self._kernel = loaded.subject.kernel
        self.places = Tree(loaded.editing.document)
        tree = self.query_one(StateTree)
        tree.writers = loaded.writers
        if first:
            self._open_first(tree, self.places)
        self._hay = None
        self._told(self.places)

    def on_unmount(self) -> None:
        give_back(self)

    def _open_first(self, tree: StateTree, places: Tree) -> None:
        sections = {spot.key[0]: spot for spot in places.roots()}
        tree.expanded |= {(name,) for name in ("variables", "gate") if name in sections}
        if "variables" in sections:
            groups = places.children(sections["variables"])
            if sum(len(places.children(group)) for group in groups) <= FIRST_OPEN:
                tree.expanded |= {group.key for group in groups if group.node not in ("sys", "env")}

    def _told(self, places: Tree) -> None:
        """Paint what is known now."""
        assert self.loaded is not None
        assert self.editing is not None
        self.places = places
        tree = self.query_one(StateTree)
        tree.changed = self._changed()
        tree.show(places, self.loaded.mask)
        self._say_edits()
        self._about()

    def _say_edits(self) -> None:
        assert self.loaded is not None
        assert self.editing is not None
        loaded, editing = self.loaded, self.editing
        panel = self.query_one(EditsPanel)
        panel.set_rows(rows_of(editing, self.checked, loaded.mask))
        refused, others = len(self.checked.refused), len(self.checked.others)
        count = f"{len(editing.edits)} edits" if len(editing.edits) != 1 else "1 edit"
        name = f" “{one_line(editing.name, 60)}”" if editing.name else ""
        panel.border_title = Content(f"{count}{name}")
        anyway = any(fault.refused for fault in self.checked.others)
        state = "refused" if refused else "would be taken" if editing.edits else "unchanged"
        state = "refused as it was saved" if anyway and not refused else state
        panel.border_subtitle = Content(state + (f" · {others} warnings" if others else ""))
        self.query_one("#edit-engine", Static).update(
            Content.styled(
                f"{'✗' if refused or anyway else '✓'} {loaded.subject.kernel}",
                "$text-error" if refused or anyway else "$text-success",
            )
        )
        saved = (
            ""
            if self._saved is None or self._saved_at != editing.edits
            else f" · saved as {self._saved[:12]}"
        )
        words = f"{one_line(loaded.subject.name, 60)}: {loaded.told} · {count}{saved}"
        self.query_one("#edit-what", Static).update(plain(words))

    def _changed(self) -> frozenset[tuple[Any, ...]]:
        """The places of the edits, and what they are in."""
        assert self.editing is not None
        assert self.places is not None
        found: set[tuple[Any, ...]] = set()
        for plan in self.editing.plans:
            for step in plan.steps:
                key = self.places.key_of(step.path)
                found |= {key[:size] for size in range(1, len(key) + 1)} if key else set()
        targets = {edit.target for edit in self.editing.edits}
        found |= {("gate", target[5:]) for target in targets if target.startswith("gate:")}
        found |= {("run", target) for target in targets if target.startswith("run:")}
        return frozenset(found)

    @on(Input.Changed, "#edit-search")
    def _typed(self) -> None:
        self.set_timer(DELAY, self._search)

    def _search(self) -> None:
        words = self.query_one("#edit-search", Input).value.strip()
        tree = self.query_one(StateTree)
        if not words:
            if tree.found is not None:
                tree.find(None)
            self._count()
        elif self.places is not None and self.loaded is not None:
            self._find(words, self.places, self._hay)

    @work(exclusive=True, group="find", thread=True, exit_on_error=False)
    def _find(self, words: str, places: Tree, hay: Haystack | None) -> None:
        assert self.loaded is not None
        if hay is None or hay.document is not places.document:
            with no_sweep(self):
                hay = Haystack.of(places, self.loaded.mask)
        found = hay.find(words)
        self.app.hand_over(self._found, words, hay, found)

    def _found(self, words: str, hay: Haystack, found: Sequence[Spot]) -> None:
        self._hay = hay
        if words == self.query_one("#edit-search", Input).value.strip():
            self.query_one(StateTree).find(found)
            self._count()
            self._about()

    def _count(self) -> None:
        tree = self.query_one(StateTree)
        tree.border_subtitle = "" if tree.found is None else f"{len(tree.found):,} found"

    @on(Input.Submitted, "#edit-search")
    def _entered(self) -> None:
        self.query_one(StateTree).focus()

    def action_search(self) -> None:
        """Type to find places."""
        self.query_one("#edit-search", Input).focus()

    @on(LineView.Moved)
    def _moved(self, event: LineView.Moved) -> None:
        if isinstance(event.view, StateTree) and type(event) is LineView.Moved:
            self._about()

    @property
    def spot(self) -> Spot | None:
        """The place under the cursor."""
        return self.query_one(StateTree).row

    def _about(self) -> None:
        spot, panel = self.spot, self.query_one(AboutPanel)
        if spot is None or self.places is None or self.loaded is None:
            panel.show((), MISSING)
            return
        value = self.places.value(spot)
        shown = masked(spot, value, self.loaded.mask)
        writer = self.loaded.writers.get((spot.node, spot.label), "") if spot.kind == "variable" else ""
        lines = [
            ("target", spot.target),
            ("title", spot.title),
            ("type", self.places.type_of(spot)),
            ("written by", writer),
            *told_about(self.places, spot, self.loaded.mask),
        ]
        if spot.kind in ("section", "group"):
            lines.append(("", f"{len(self.places.children(spot)):,} inside"))
        if spot.kind == "value" and self.places.opens(spot) and isinstance(value, str):
            shown = "It holds JSON: open it (l) and edit what is inside."
        panel.show(lines, shown)

    def action_whole(self) -> None:
        """Show the whole value on a page."""
        if self.spot is not None and self.places is not None and self.loaded is not None:
            value = self.places.value(self.spot)
            if value is not MISSING:
                self.app.show_value(
                    self.spot.target or self.spot.label, masked(self.spot, value, self.loaded.mask)
                )
