"""Finding places by typing: every word has to be in the target, title, type or value."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from workbench.core.edits import MISSING, Document
from workbench.tui.widgets.statetree import shortened
from workbench.views.secrets import Mask
from workbench.views.statefields import masked
from workbench.views.statetree import Spot, Tree, everything


@dataclass(frozen=True)
class Haystack:
    """Every place of a document with what can be found of it. Hidden secrets can't."""

    document: Document = field(repr=False)
    entries: Sequence[tuple[str, Spot]] = field(repr=False)

    @classmethod
    def of(cls, tree: Tree, mask: Mask) -> Haystack:
        """The haystack of a document."""
        return cls(tree.document, [(_text(tree, spot, mask), spot) for spot in everything(tree)])

    def find(self, words: str) -> list[Spot]:
        """The places in which every word is."""
        wanted = words.lower().split()
        if len(wanted) == 1:
            one = wanted[0]
            return [spot for text, spot in self.entries if one in text]
        return [spot for text, spot in self.entries if all(word in text for word in wanted)]


def _text(tree: Tree, spot: Spot, mask: Mask) -> str:
    value = tree.value(spot)
    if value is MISSING:
        shown = ""
    elif isinstance(value, str):
        shown = masked(spot, value[:1_500], mask)
    else:
        small = masked(spot, shortened(value) if isinstance(value, dict | list) else value, mask)
        shown = json.dumps(small, ensure_ascii=False, default=str)
    return f"{spot.target or spot.label} {spot.title} {tree.type_of(spot)} {shown}".lower()
