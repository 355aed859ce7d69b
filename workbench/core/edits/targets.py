"""All targets: which kind a target is, what an edit of it changes, and which targets a state has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from types import SimpleNamespace
from typing import Any, Final

from workbench.core.edits import variables
from workbench.core.edits.document import Document
from workbench.core.edits.entity import Anywhere, Entity, Forms, Inputs, Outputs, Query, Run
from workbench.core.edits.frames import Frames
from workbench.core.edits.gate import GateTargets
from workbench.core.edits.plan import Edit, Family, Place, Plan, unknown
from workbench.core.edits.states import Edges, Nodes, Tasks
from workbench.core.edits.values import WORDS, Given
from workbench.core.secrets import MASK
from workbench.errors import UsageError

FAMILIES: Final[Mapping[str, Family]] = {
    "gate": GateTargets(),
    "node": Nodes(),
    "edge": Edges(),
    "tasks": Tasks(),
    "form": Forms(),
    "input": Inputs(),
    "output": Outputs(),
    "run": Run(),
    "frame": Frames(),
    "entity": Entity(),
    "state": Anywhere(lambda doc: doc.needs_state()),
    "context": Anywhere(lambda doc: ()),
}
_QUERY: Final = Query()


def plan(doc: Document, edit: Edit) -> Plan:
    """What an edit changes in this document.

    Raises:
        UsageError: there is no such target, or it does not take the value; the nearest names are told.
    """
    if edit.given is not None and MASK in str(edit.given.value):
        raise UsageError(
            f"The value of {edit.target} holds {MASK}, which stands for a hidden one.",
            "It would be written over the real value.",
            "Give the value itself, or leave this edit out.",
        )
    prefix, colon, rest = edit.target.partition(":")
    if edit.target == "query":
        return _QUERY.plan(doc, "", edit)
    if colon and prefix in FAMILIES:
        if not rest:
            raise unknown("target", edit.target, [place.target for place in FAMILIES[prefix].places(doc)])
        return FAMILIES[prefix].plan(doc, rest, edit)
    if colon and prefix and "." not in prefix:
        near = get_close_matches(prefix, FAMILIES, 1, 0.6)
        raise UsageError(
            f"{edit.target!r} is no target.",
            f"{prefix!r} is none of the kinds: {', '.join(FAMILIES)}.",
            f"Did you mean {near[0]}:{rest}?" if near else "A variable is written NODE.NAME.",
        )
    return variables.plan(doc, edit.target, edit)


def places(doc: Document, prefix: str = "") -> Iterator[Place]:
    """The targets that this document has and that begin with `prefix`."""
    named = [
        family
        for name, family in FAMILIES.items()
        if f"{name}:".startswith(prefix) or prefix.startswith(f"{name}:")
    ]
    others: list[Any] = [SimpleNamespace(places=variables.places), _QUERY]
    of_one_kind = ":" in prefix and prefix.partition(":")[0] in FAMILIES
    for family in named if of_one_kind else [*others, *named]:
        for place in family.places(doc):
            if place.target.startswith(prefix):
                yield place


def parse(text: str) -> Edit:
    """`TARGET=TEXT`, `TARGET:=JSON` or `TARGET:TYPE=VALUE`.

    Raises:
        UsageError: it is none of them.
    """
    head, equals, value = text.partition("=")
    if not equals or not head.strip(": "):
        raise UsageError(
            f"{text!r} is no edit.", "An edit is written TARGET=VALUE.",
            "For example: llm.text=hello, start.count:=3, gate:answer=active",
        )  # fmt: skip
    target = head.strip()
    if target.endswith(":"):
        return Edit(target[:-1], Given(_json(value, target[:-1])))
    name, _, kind = target.rpartition(":")
    if name and kind in WORDS and name not in FAMILIES:
        return Edit(name, Given(value, is_text=True), kind)
    return Edit(target, Given(value, is_text=True))


def _json(text: str, target: str) -> Any:
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"The value of {target} is no JSON.", f"{error}.", f"A text is given with one sign: {target}=..."
        ) from error
