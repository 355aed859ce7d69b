"""Editing one value: the field, the trial of what is in it, keeping it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on, work
from textual.widgets import Input

from workbench.core.edits import Edit, parse
from workbench.errors import UsageError, WorkbenchError
from workbench.tui.screens.editor.base import DELAY
from workbench.tui.screens.editor.changes import Changes, sentence
from workbench.tui.screens.editor.desk import Checked
from workbench.tui.screens.editor.panels import AboutPanel, EditsPanel, told
from workbench.tui.screens.editor.trying import Proposal, Tried, try_edit
from workbench.tui.widgets.lines import LineView
from workbench.tui.widgets.statetree import StateTree
from workbench.tui.widgets.valuefield import ValueField
from workbench.views.statefields import Field, edit_of, field_for, field_of
from workbench.views.statetree import Spot, below

if TYPE_CHECKING:
    pass


class Fielding(Changes):
    """Opens the field for a place and keeps what comes out of it."""

    @on(LineView.Chosen)
    async def _chosen(self, event: LineView.Chosen) -> None:
        if isinstance(event.view, StateTree):
            await self.action_edit()
        elif isinstance(event.view, EditsPanel) and event.view.row is not None:
            self._go_to(event.view.row.at)

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
        label = f"new in {spot.target or spot.label}" if named is not None else spot.target or spot.label
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
            field.verdict(sentence(event.error), "$text-error")
            return
        if field.is_untouched:
            self._pending = None
            field.verdict("unchanged", "$text-muted")
            return
        try:
            edit = self._edit(self._field_of, event, field.new_name)
        except UsageError as error:
            self._pending = None
            field.verdict(sentence(error), "$text-error")
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
                field.verdict(sentence(tried.error), "$text-error")
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

    def _keep(self, tried: Tried) -> None:
        assert tried.editing is not None
        self._close_field()
        self._take(tried.editing, Checked(tried.brought, tried.others))

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

    async def action_command(self) -> None:
        """Type an edit as on the command line."""
        if self.editing is not None:
            start = f"{self.spot.target}=" if self.spot is not None and self.spot.target else ""
            spot = Spot(("command",), 0, "command", "TARGET=TEXT, TARGET:=JSON or TARGET:TYPE=VALUE")
            await self._open_field(spot, Field("text", start))
            self.query_one(ValueField).verdict(spot.label, "$text-muted")
