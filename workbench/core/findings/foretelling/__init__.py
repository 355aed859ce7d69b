"""What a Dify that loses the gate's state at a pause would show, foretold by playing the app through."""

from __future__ import annotations

from workbench.core.findings.foretelling.harm import Harm, harms, unjudged, walks
from workbench.core.findings.foretelling.remedy import Budget, NewEdge, NewNode, Remedy, changed, remedy_for
from workbench.core.findings.foretelling.walk import FORM

__all__ = [
    "FORM",
    "Budget",
    "Harm",
    "NewEdge",
    "NewNode",
    "Remedy",
    "changed",
    "harms",
    "remedy_for",
    "unjudged",
    "walks",
]
