"""The list of edits of one pause: applied in order to what was saved, undone, redone, named, replayed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
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
        return replace(self._applied([edit]), undone=())

    def replay(self, edits: Sequence[Edit]) -> Editing:
        """With several edits more, all or none.

        Raises:
            UsageError: one does not fit; says which.
        """
        done = 0

        def counted() -> Iterator[Edit]:
            nonlocal done
            for edit in edits:
                done += 1
                yield edit

        try:
            return replace(self._applied(counted()), undone=()) if edits else self
        except UsageError as error:
            raise UsageError(
                f"Edit {done} of {len(edits)} ({edits[done - 1].target}) does not fit: {error.title}",
                error.cause,
                error.next_step,
            ) from error

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
        return replace(self._applied([self.undone[-1]]), undone=self.undone[:-1])

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

    def _applied(self, edits: Iterable[Edit]) -> Editing:
        document = self.document
        more: list[Edit] = []
        plans: list[Plan] = []
        documents = deque(self._documents, _KEPT)
        for edit in edits:
            made = plan(document, edit)
            document = apply_steps(document, made.steps) if made.steps else document
            more.append(edit)
            plans.append(made)
            documents.append(document)
        return replace(
            self,
            edits=(*self.edits, *more),
            plans=(*self.plans, *plans),
            _documents=tuple(documents),
        )
