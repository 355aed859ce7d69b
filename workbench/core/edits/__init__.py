"""Edits of a saved pause: targets by name, values checked by type, graph and the engine's rules.

`open_document` opens a saved state, `Editing` holds a list of edits, `parse` reads `TARGET=VALUE`, `places`
lists the targets a state has, `refusals` tells what an engine would not load.
"""

from __future__ import annotations

from workbench.core.edits.document import Document, Kind, open_document
from workbench.core.edits.editing import Editing
from workbench.core.edits.plan import MISSING, Edit, Place, Plan
from workbench.core.edits.rules import faults, refusals
from workbench.core.edits.schema import Fault
from workbench.core.edits.targets import parse, places, plan
from workbench.core.edits.values import Given

__all__ = [
    "MISSING",
    "Document",
    "Edit",
    "Editing",
    "Fault",
    "Given",
    "Kind",
    "Place",
    "Plan",
    "faults",
    "open_document",
    "parse",
    "places",
    "plan",
    "refusals",
]
