"""The editor: the tree of a saved pause, the field of the value that is edited, and the list of edits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Input, Static

from workbench.core.edits import MISSING, Edit, Editing, Given, parse
from workbench.errors import UsageError, WorkbenchError
from workbench.tui import failures
from workbench.tui.screens.editor import desk, pages
from workbench.tui.screens.editor.desk import Checked, Loaded
from workbench.tui.screens.editor.panels import AboutPanel, EditsPanel, rows_of, told
from workbench.tui.screens.editor.searching import Haystack
from workbench.tui.screens.editor.trying import Proposal, Tried, try_edit
from workbench.tui.text import one_line, plain
from workbench.tui.widgets.lines import LineView
from workbench.tui.widgets.statetree import StateTree
from workbench.tui.widgets.valuefield import ValueField
from workbench.views.secrets import mask_for
from workbench.views.statefields import Field, edit_of, field_for, field_of, masked
from workbench.views.statetree import Spot, Tree, below

if TYPE_CHECKING:
    from workbench.tui.app import WorkbenchApp

DELAY = 0.05
"""Seconds without a key before what is in the field is tried."""
FIRST_OPEN = 300
"""Variables up to which all of them are shown at first."""


class EditorScreen(Screen[str | None]):
    """Changes a saved pause; gives the id of the edited file, or None when nothing was kept.

    Args:
        target: a pause's or file's id, a run (its last pause), or a file.
        edited: the app of a saved pause that does not know its own, by file or id.
        edits: replayed first.
    """

    app: WorkbenchApp
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
        yield Footer()

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

    # loading -------------------------------------------------------------------

    @work(exclusive=True, group="load", thread=True, exit_on_error=False)
    def _load(self, edits: Sequence[Edit], name: str) -> None:
        try:
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
        state = "refused" if refused else "would be taken" if editing.edits else "unchanged"
        panel.border_subtitle = Content(state + (f" · {others} warnings" if others else ""))
        self.query_one("#edit-engine", Static).update(
            Content.styled(
                f"{'✗' if refused else '✓'} {loaded.subject.kernel}",
                "$text-error" if refused else "$text-success",
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

    # finding -------------------------------------------------------------------

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

    # the place under the cursor --------------------------------------------------

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

    # editing -------------------------------------------------------------------

    @on(LineView.Chosen)
    async def _chosen(self, event: LineView.Chosen) -> None:
        if isinstance(event.view, StateTree):
            await self.action_edit()
        elif isinstance(event.view, EditsPanel) and event.view.row is not None:
            self._go_to(event.view.row.at)

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

    async def action_edit(self) -> None:
        """Edit the value under the cursor, whole."""
        spot = self.spot
        if spot is None or self.places is None or self.loaded is None:
            return
        if not spot.target:
            self.app.tell("Open it: there is nothing to edit in this line itself.")
            return
        await self._open_field(spot, field_of(self.places, spot, self.loaded.mask))

    async def _open_field(self, spot: Spot, shown: Field, named: str | None = None, **more: bool) -> None:
        self._field_of = spot
        self._tried = self._pending = None
        self._wanted = False
        label = f"new in {spot.target or spot.label}" if named is not None else spot.target
        self.query_one(AboutPanel).display = False
        field = self.query_one(ValueField)
        field.display = True
        self.query_one("#edit-body").add_class("-editing")
        await field.show(label, shown, named, **more)

    def _close_field(self) -> None:
        self._field_of = None
        self.query_one(ValueField).display = False
        self.query_one(AboutPanel).display = True
        self.query_one("#edit-body").remove_class("-editing")
        self.query_one(StateTree).focus()

    @on(ValueField.Cancelled)
    def _cancelled(self) -> None:
        self._close_field()

    @on(ValueField.TypeChosen)
    async def _retype(self, event: ValueField.TypeChosen) -> None:
        spot, field = self._field_of, self.query_one(ValueField)
        if spot is None or self.places is None or self.loaded is None or field.field is None:
            return
        name = field.new_name
        if name is not None:
            shown = field_for(event.type, typed=field.field.typed)
            await self._open_field(spot, shown, name)
        else:
            shown = field_of(self.places, spot, self.loaded.mask, event.type)
            await self._open_field(spot, shown, retyped=True)

    @on(ValueField.Changed)
    def _field_changed(self, event: ValueField.Changed) -> None:
        self._number += 1
        self._tried = None
        field = self.query_one(ValueField)
        if self._field_of is None or self.editing is None or self.places is None:
            return
        if event.given is None:
            self._pending = None
            assert event.error is not None
            field.verdict(_sentence(event.error), "$text-error")
            return
        if field.is_untouched:
            self._pending = None
            field.verdict("unchanged", "$text-muted")
            return
        try:
            edit = self._edit(self._field_of, event, field.new_name)
        except UsageError as error:
            self._pending = None
            field.verdict(_sentence(error), "$text-error")
            return
        field.verdict("checking …", "$text-muted")
        self._pending = proposal = Proposal(self._number, self.editing, edit)
        self.set_timer(DELAY, lambda: self._try(proposal) if self._pending is proposal else None)

    def _edit(self, spot: Spot, event: ValueField.Changed, name: str | None) -> Edit:
        assert self.places is not None
        if name is None:
            if spot.kind == "command":
                return parse(str(event.given.value)) if event.given is not None else Edit("", None)
            return edit_of(self.places, spot, event.given, event.kind)
        value = self.places.value(spot)
        if isinstance(value, list) and spot.kind not in ("group", "section"):
            return Edit(below(self.places.base_of(spot), len(value)), event.given)
        if not name.strip():
            raise UsageError("It has no name yet.", "", "")
        if spot.kind == "group":
            return Edit(f"{spot.node}.{name.strip()}", event.given, event.kind)
        if spot.kind == "section":
            return Edit(name.strip(), event.given, event.kind)
        return Edit(below(self.places.base_of(spot), name), event.given)

    @work(exclusive=True, group="try", thread=True, exit_on_error=False)
    def _try(self, proposal: Proposal) -> None:
        assert self.loaded is not None
        tried = try_edit(proposal, self.loaded.before)
        self.app.hand_over(self._was_tried, tried)

    def _was_tried(self, tried: Tried) -> None:
        if tried.proposal is not self._pending or self.loaded is None:
            return
        self._tried = tried
        field = self.query_one(ValueField)
        if tried.error is not None:
            self._wanted = False
            self._undraft()
            if isinstance(tried.error, WorkbenchError):
                field.verdict(_sentence(tried.error), "$text-error")
            else:
                self._close_field()
                self.app.tell_error(tried.error)
            return
        assert tried.editing is not None
        mask = self.loaded.mask
        if tried.brought:
            words = "\n".join(f"✗ {mask.text(fault.message)}" for fault in tried.brought[:4])
            field.verdict(
                f"{self.loaded.subject.kernel} would refuse it:\n{words}", "$text-error", "Keep anyway"
            )
            if self._wanted:
                self._wanted = False
                self._undraft()
                field.focus_keep()
            return
        if self._wanted:
            self._keep(tried)
            return
        field.verdict(f"✓ {told(tried.editing.plans[-1], mask)}", "$text-success")

    @on(ValueField.Kept)
    def _kept(self) -> None:
        """Keep the edit; one that is not checked yet is kept as soon as it is."""
        field = self.query_one(ValueField)
        if field.is_untouched:
            self._close_field()
            return
        tried = self._tried
        if tried is None and self._pending is not None:
            self._wanted = True
            self._draft(self._pending)
        elif tried is None or tried.error is not None:
            self.app.bell()
        elif tried.brought and not self._on_keep_button():
            field.focus_keep()
            self.app.bell()
        else:
            self._keep(tried)

    def _on_keep_button(self) -> bool:
        return self.focused is not None and self.focused.id == "field-keep"

    def _draft(self, proposal: Proposal) -> None:
        spot, given = self._field_of, proposal.edit.given
        tree = self.query_one(StateTree)
        if spot is not None and given is not None and self.query_one(ValueField).new_name is None:
            tree.drafts[spot.key] = given.value
            tree.refresh()

    def _undraft(self) -> None:
        tree = self.query_one(StateTree)
        tree.drafts.clear()
        tree.refresh()

    def _keep(self, tried: Tried) -> None:
        assert tried.editing is not None
        self._close_field()
        self._take(tried.editing, Checked(tried.brought, tried.others))

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
            self.app.tell(_sentence(error), "warning")
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

    async def action_add(self) -> None:
        """Add a variable, a key or an item where the cursor is."""
        spot, places = self.spot, self.places
        if spot is None or places is None:
            return
        if spot.kind == "variable" and not isinstance(places.value(spot), dict | list):
            parent = next(
                (each for each in self.query_one(StateTree).rows if each.key == spot.key[:-1]), None
            )
            spot = parent or Spot(("variables",), 0, "section", "Variables")
        if spot.kind == "group" or spot.key == ("variables",):
            hint = "node.name" if spot.kind == "section" else ""
            await self._open_field(spot, field_for("string", typed=True), "")
            if hint:
                self.query_one(ValueField).query(Input).first().placeholder = hint
            return
        value = places.value(spot)
        if isinstance(value, dict | list) and (spot.target or spot.path is not None):
            named = None if isinstance(value, list) else ""
            await self._open_field(
                spot, field_for("string", typed=False), f"[{len(value)}]" if named is None else ""
            )
        else:
            self.app.tell(
                "Add where the cursor is on a node's variables, a mapping or a list; t types any edit."
            )

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

    async def action_command(self) -> None:
        """Type an edit as on the command line."""
        if self.editing is not None:
            start = f"{self.spot.target}=" if self.spot is not None and self.spot.target else ""
            spot = Spot(("command",), 0, "command", "TARGET=TEXT, TARGET:=JSON or TARGET:TYPE=VALUE")
            await self._open_field(spot, Field("text", start))
            self.query_one(ValueField).verdict(spot.label, "$text-muted")

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

    # lists of edits ----------------------------------------------------------------

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

    # saving ------------------------------------------------------------------------

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


def _sentence(error: WorkbenchError) -> str:
    return " ".join(part for part in (error.title, error.cause, error.next_step) if part)
