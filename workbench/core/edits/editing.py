"""The list of edits of one pause: applied in order to what was saved, undone, redone, named, replayed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from workbench.core.edits.document import Document
from workbench.core.edits.plan import Edit, Plan, apply_steps
from workbench.core.edits.rules import faults, refusals
from workbench.core.edits.schema import Fault
from workbench.core.edits.targets import plan
from workbench.errors import UsageError

_KEPT = 8
"""How many documents are kept for undo; older ones are made again from the original."""


@dataclass(frozen=True)
class Editing:
    """A pause with its edits.

    Attributes:
        original: as it was saved; it never changes.
        edits: in effect, in order; `plans` is what each of them changed.
        undone: taken back, the next to redo last.
        name: what the user calls the list.
    """

    original: Document
    name: str = ""
    edits: tuple[Edit, ...] = ()
    plans: tuple[Plan, ...] = ()
    undone: tuple[Edit, ...] = ()
    _documents: tuple[Document, ...] = field(default=(), repr=False)

    @property
    def document(self) -> Document:
        """The pause with all edits."""
        return self._documents[-1] if self._documents else self.original

    def apply(self, edit: Edit) -> Editing:
        """With one edit more; nothing can be redone any more.

        Raises:
            UsageError: the edit does not fit this pause; nothing has changed.
        """
        return replace(self._applied(edit), undone=())

    def replay(self, edits: Sequence[Edit]) -> Editing:
        """With several edits more, all or none.

        Raises:
            UsageError: one does not fit; says which.
        """
        done = self
        for number, edit in enumerate(edits, 1):
            try:
                done = done.apply(edit)
            except UsageError as error:
                raise UsageError(
                    f"Edit {number} of {len(edits)} ({edit.target}) does not fit: {error.title}",
                    error.cause,
                    error.next_step,
                ) from error
        return done

    def undo(self) -> Editing:
        """Without the last edit.

        Raises:
            UsageError: there is none.
        """
        if not self.edits:
            raise UsageError("There is nothing to undo.", "No edit is in effect.", "")
        documents = self._documents[:-1]
        edits = self.edits[:-1]
        if edits and not documents:
            documents = Editing(self.original).replay(edits)._documents
        return replace(
            self,
            edits=edits,
            plans=self.plans[:-1],
            undone=(*self.undone, self.edits[-1]),
            _documents=documents,
        )

    def redo(self) -> Editing:
        """With the edit that was undone last.

        Raises:
            UsageError: there is none.
        """
        if not self.undone:
            raise UsageError("There is nothing to redo.", "No edit was undone.", "")
        return replace(self._applied(self.undone[-1]), undone=self.undone[:-1])

    def named(self, name: str) -> Editing:
        """Under another name."""
        return replace(self, name=name)

    def text(self) -> str:
        """The edited text; without edits the original one, byte for byte."""
        return self.document.text()

    def faults(self) -> tuple[tuple[Fault, ...], tuple[Fault, ...]]:
        """What the engine would refuse: that the edits brought, and that was there before."""
        before = set(refusals(self.original))
        now = refusals(self.document)
        return tuple(f for f in now if f not in before), tuple(f for f in now if f in before)

    def doubts(self) -> tuple[Fault, ...]:
        """What the engine would load, but stumble over or read as something else."""
        return tuple(fault for fault in faults(self.document) if not fault.refused)

    def _applied(self, edit: Edit) -> Editing:
        document = self.document
        made = plan(document, edit)
        after = apply_steps(document, made.steps) if made.steps else document
        return replace(
            self,
            edits=(*self.edits, edit),
            plans=(*self.plans, made),
            _documents=(*self._documents, after)[-_KEPT:],
        )
