"""What an edit is, and what it does: the vocabulary that all kinds of targets share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Final, Literal, Protocol

from workbench.core.edits.document import Document
from workbench.core.edits.values import Given
from workbench.errors import UsageError
from workbench.records.json_places import Path
from workbench.records.opened import Opened
from workbench.records.reading import shorten

Verb = Literal["set", "add", "remove"]


@dataclass(frozen=True)
class Edit:
    """One edit as the user wrote it; it names what it changes, not where that stands, so it fits another
    pause.

    Attributes:
        target: "llm.text", "gate:active", ...
        given: None removes the target.
        type: the type that a variable shall have; None keeps its own.
    """

    target: str
    given: Given | None
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One change in the text."""

    verb: Verb
    path: Path
    value: Any = None

    def apply(self, opened: Opened) -> Opened:
        """The text with the change."""
        if self.verb == "set":
            return opened.set(self.path, self.value)
        return opened.add(self.path, self.value) if self.verb == "add" else opened.remove(self.path)


MISSING: Final = object()
"""Stands for "nothing was there"."""


@dataclass(frozen=True)
class Plan:
    """What an edit changes in one document.

    Attributes:
        where: the target in words ("variable llm.text").
        before, after: the values, MISSING for none.
        notes: what the user should know about it.
    """

    where: str
    steps: tuple[Step, ...]
    before: Any = field(default=MISSING, repr=False)
    after: Any = field(default=MISSING, repr=False)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A target that a document has.

    Attributes:
        value: its value now; MISSING for one that can be set but is not there.
        type: a variable's type, else "".
    """

    target: str
    value: Any = field(repr=False)
    type: str = ""
    title: str = ""


class Family(Protocol):
    """One kind of targets."""

    def plan(self, doc: Document, rest: str, edit: Edit) -> Plan:
        """What `edit` changes; `rest` is the target without its prefix."""
        ...

    def places(self, doc: Document) -> Iterator[Place]:
        """The targets that this document has."""
        ...


def put(doc: Document, path: Path, value: Any) -> Step:
    """Set what is there, add what is not."""
    return Step("set" if doc.opened.has(path) else "add", path, value)


def unknown(what: str, name: str, valid: Sequence[str], *, example: str = "") -> UsageError:
    """An error for a name that is not there, with the nearest ones that are."""
    valid = list(dict.fromkeys(valid))
    near = get_close_matches(name, valid, 3, 0.4) or [each for each in valid if name and name in each][:3]
    shown = [shorten(each) for each in (near or valid[:8])]
    more = "" if near or len(valid) <= 8 else f" and {len(valid) - 8} more"
    return UsageError(
        f"There is no {what} {shorten(name)!r} in this state.",
        f"{'Nearest' if near else 'It has'}: {', '.join(shown)}{more}." if shown else "It has none.",
        f"Did you mean {shown[0]}?"
        if near
        else example or "`workbench edit ID --targets` lists what it has.",
    )


def needs_value(edit: Edit) -> Given:
    """The value of an edit that can't remove anything.

    Raises:
        UsageError: it shall remove its target.
    """
    if edit.given is None:
        raise UsageError(
            f"{edit.target} can't be removed.", "It belongs to every state.", "Set it to another value."
        )
    return edit.given


def apply_steps(doc: Document, steps: Sequence[Step]) -> Document:
    """The document after some changes."""
    opened = doc.opened
    for step in steps:
        opened = step.apply(opened)
    return doc.with_opened(opened)


def title_of(doc: Document, node: str) -> str:
    """A node's title, "" without an app."""
    found = doc.graph.nodes.get(node) if doc.graph else None
    return found.title if found else ""


Values = Mapping[str, Any]
