"""The state editor: a saved pause as a tree, edited place by place, kept as a new file."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

import traitlets

from workbench.core.edits import MISSING, Edit, Editing, Fault, Plan
from workbench.core.edits.targets import parse
from workbench.core.secrets import Mask
from workbench.errors import NotFoundError, UsageError
from workbench.verbs.edit import Subject, edit, subject_of
from workbench.views.safe import safe_line
from workbench.views.statefields import change_of, edit_of, field_for, field_of, given_of, masked
from workbench.views.statetree import Spot, Tree, below, everything
from workbench.views.statewords import told_about
from workbench.widgets import still
from workbench.widgets.frames import short
from workbench.widgets.given import PauseLike
from workbench.widgets.wire import Asked, answers

PAGE, PREVIEW, FAULTS, CHANGES = 200, 120, 20, 200
"""Places of one answer; characters of a value beside its place; faults and changes that are told."""


class StateEditor(Asked):
    """A saved pause to edit.

    Attributes:
        file_id: the id of the copy that was kept last, "" before; `saved` is that copy.
        edits: how many edits are in effect.
    """

    file_id = traitlets.Unicode("", read_only=True).tag(sync=True)
    edits = traitlets.Int(0, read_only=True).tag(sync=True)
    _title = traitlets.Unicode("").tag(sync=True)
    _data = traitlets.Dict().tag(sync=True)

    def __init__(self, saved: PauseLike) -> None:
        self._saved: Any = saved
        self._subject: Subject = (
            saved.subject if hasattr(saved, "subject") else subject_of(saved.bench.ctx, str(saved.id))
        )
        self._editing: Editing = self._subject.editing()
        self._tree = Tree(self._editing.document)
        self._spots: list[Spot] = []
        self._numbers: dict[tuple[Any, ...], int] = {}
        super().__init__(_view="editor", _data=self._told())
        self._title = f"{self.hidden(safe_line(self._subject.name))}, {self._subject.kernel}"

    def hidden(self, text: str) -> str:
        return self._mask.text(text)

    @cached_property
    def _mask(self) -> Mask:
        mask: Mask = self._saved.mask
        return mask

    @property
    def editing(self) -> Editing:
        """The edits in effect (`workbench.core.edits.Editing`), unmasked."""
        return self._editing

    @property
    def saved(self) -> Any:
        """The copy that was kept last, as `Workbench.load` gives it; None before."""
        return self._saved.bench.load(self.file_id) if self.file_id else None

    # the tree ------------------------------------------------------------------------

    @answers("places")
    def places(self, of: int | None = None, start: int = 0) -> dict[str, Any]:
        """What is below a place: `{"places", "total"}`; of None the sections."""
        spots = self._tree.roots() if of is None else self._tree.children(self._spot(of))
        return {"places": [self._place(each) for each in spots[start : start + PAGE]], "total": len(spots)}

    @answers("search")
    def search(self, words: str) -> dict[str, Any]:
        """The places whose name, title or value holds a text, at most `PAGE`."""
        wanted, found = words.casefold(), []
        for spot in everything(self._tree):
            told = f"{spot.target} {spot.title} {self._shown(spot)}"
            if wanted in told.casefold():
                found.append(self._place(spot))
                if len(found) == PAGE:
                    break
        return {"places": found, "total": len(found)}

    def _spot(self, number: int) -> Spot:
        if 0 <= number < len(self._spots):
            return self._spots[number]
        raise NotFoundError("This place is not there any more.", "", "Open its branch again.")

    def _place(self, spot: Spot) -> dict[str, Any]:
        number = self._numbers.setdefault(spot.key, len(self._spots))
        if number == len(self._spots):
            self._spots.append(spot)
        else:
            self._spots[number] = spot
        return {
            "id": number,
            "label": safe_line(self.hidden(spot.label)),
            "title": safe_line(self.hidden(spot.title)),
            "kind": spot.kind,
            "type": self._tree.type_of(spot),
            "target": spot.target,
            "value": self._shown(spot),
            "opens": self._tree.opens(spot),
            "count": len(self._tree.children(spot)) if spot.kind == "group" else None,
        }

    def _shown(self, spot: Spot) -> str:
        value = masked(spot, self._tree.value(spot), self._mask)
        return "" if value is MISSING else _spelt(value, PREVIEW)

    # a field ---------------------------------------------------------------------------

    @answers("field")
    def field(self, of: int, type: str | None = None) -> dict[str, Any]:  # noqa: A002
        """The field for a place, what is told about it, and whether entries can be added below it."""
        spot = self._spot(of)
        if not spot.target and spot.kind != "group":
            return {"form": "none", "about": [], "adds": False}
        value = self._tree.value(spot)
        adds = spot.kind == "group" or isinstance(value, dict | list)
        if spot.kind == "group":
            return {"form": "none", "about": [], "adds": True, "types": field_for("string", typed=True).types}
        shown = field_of(self._tree, spot, self._mask, type)
        return {
            "form": shown.form,
            "text": shown.text,
            "choices": [[given, self.hidden(told)] for given, told in shown.choices],
            "types": list(shown.types),
            "type": shown.type,
            "note": shown.note,
            "about": told_about(self._tree, spot, self._mask),
            "adds": adds and spot.kind in ("variable", "value"),
        }

    def _edit(self, of: int, text: str, type: str | None, name: str | None) -> Edit:  # noqa: A002
        spot = self._spot(of)
        if name is None:
            shown = field_of(self._tree, spot, self._mask, type)
            return edit_of(self._tree, spot, given_of(shown, text), shown.type if shown.typed else None)
        given = given_of(field_for(type or "string", typed=spot.kind == "group"), text)
        value = self._tree.value(spot)
        if isinstance(value, list) and spot.kind != "group":
            return Edit(below(self._tree.base_of(spot), len(value)), given)
        if not name.strip():
            raise UsageError("It has no name yet.", "", "")
        if spot.kind == "group":
            return Edit(f"{spot.node}.{name.strip()}", given, type)
        return Edit(below(self._tree.base_of(spot), name.strip()), given)

    @answers("try")
    def attempt(
        self,
        of: int,
        text: str,
        type: str | None = None,  # noqa: A002
        name: str | None = None,
    ) -> dict[str, Any]:
        """What an edit would change and what the engine would say; nothing is changed."""
        made = self._editing.apply(self._edit(of, text, type, name))
        return {"change": self._change(made.plans[-1]), **self._faults(made)}

    @answers("apply")
    def apply(
        self,
        of: int,
        text: str,
        type: str | None = None,  # noqa: A002
        name: str | None = None,
    ) -> dict[str, Any]:
        """Make an edit."""
        return self._take(self._editing.apply(self._edit(of, text, type, name)))

    @answers("remove")
    def remove(self, of: int) -> dict[str, Any]:
        """Take a place away."""
        return self._take(self._editing.apply(edit_of(self._tree, self._spot(of), None)))

    @answers("command")
    def command(self, text: str) -> dict[str, Any]:
        """An edit as the command line spells it: `llm.text=hello`."""
        return self._take(self._editing.apply(parse(text)))

    @answers("undo")
    def undo(self) -> dict[str, Any]:
        """Take the last edit back."""
        return self._take(self._editing.undo())

    @answers("redo")
    def redo(self) -> dict[str, Any]:
        """Make the edit again that was taken back last."""
        return self._take(self._editing.redo())

    def _take(self, made: Editing) -> dict[str, Any]:
        self._editing = made
        self._tree = Tree(made.document)
        told = self._told()
        with self.hold_sync():
            self._data = told
            self.set_trait("edits", len(made.edits))
        return told

    def _told(self) -> dict[str, Any]:
        plans = self._editing.plans
        return {
            "number": len(plans),
            "changes": [self._change(plan) for plan in plans[-CHANGES:]],
            "undo": bool(self._editing.edits),
            "redo": bool(self._editing.undone),
            **(self._faults(self._editing) if plans else {"refused": [], "warnings": []}),
        }

    def _change(self, made: Plan) -> dict[str, Any]:
        before, after = change_of(made, self._mask)
        return {
            "where": safe_line(self.hidden(made.where)),
            "before": None if made.before is MISSING else _spelt(before, 2_000),
            "after": None if made.after is MISSING else _spelt(after, 2_000),
            "notes": [self.hidden(note) for note in made.notes],
        }

    def _faults(self, made: Editing) -> dict[str, Any]:
        brought, before = made.faults()

        def told(faults: tuple[Fault, ...]) -> list[str]:
            return [short(self.hidden(fault.message)) for fault in faults[:FAULTS]]

        return {"refused": told(brought), "warnings": told((*before, *made.doubts()))}

    # keeping it ----------------------------------------------------------------------------

    @answers("save")
    def save(self, name: str = "", force: bool = False) -> str:
        """Keep the edited pause as a new file; its id. The original stays as it was."""
        if not self._editing.edits:
            raise UsageError("Nothing was changed yet.", "", "Edit a value first.")
        bench, app = self._saved.bench, getattr(self._saved, "app", None)
        result = edit(
            bench.ctx,
            getattr(self._saved, "target", None) or str(self._saved.id),
            self._editing.edits,
            app=None if app is None else bench.app_target(app),
            kernel=self._subject.kernel,
            name=name,
            force=force,
        )
        self.set_trait("file_id", result.file_id)
        return str(result.file_id)

    def still(self) -> str:
        rows = [
            (c["where"], *("nothing" if c[key] is None else c[key] for key in ("before", "after")))
            for c in self._data["changes"]
        ]
        places = [
            (spot.target, self._shown(spot), self._tree.type_of(spot) or spot.title)
            for at, spot in zip(range(still.SHOWN), everything(self._tree), strict=False)
        ]
        return still.card(
            self._title,
            still.table(("changed", "before", "after"), rows) if rows else "",
            still.table(("place", "value", ""), places),
        )

    def words(self) -> str:
        lines = [f"  {c['where']}: {c['before']} → {c['after']}" for c in self._data["changes"]]
        return "\n".join([self._title, *lines])


def _spelt(value: Any, most: int) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return short(text, most)
