"""Trying an edit before it is kept: in a worker, while the user types."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.edits import Edit, Editing, Fault
from workbench.tui.screens.editor.desk import checked


@dataclass(frozen=True)
class Proposal:
    """An edit that is in the field. `number` tells it from those before and after it."""

    number: int
    base: Editing
    edit: Edit


@dataclass(frozen=True)
class Tried:
    """What would come of it.

    Attributes:
        editing: with the edit; None when it does not fit.
        brought: what the engine would refuse because of this edit.
        others: what it would stumble over.
    """

    proposal: Proposal
    editing: Editing | None = None
    brought: tuple[Fault, ...] = ()
    others: tuple[Fault, ...] = ()
    error: Exception | None = None


def try_edit(proposal: Proposal, before: frozenset[Fault]) -> Tried:
    """Make the edit on a copy, and go through the engine's rules."""
    try:
        editing = proposal.base.apply(proposal.edit)
        found = checked(editing, before)
    except Exception as error:
        return Tried(proposal, error=error)
    return Tried(proposal, editing, found.refused, found.others)
