"""What changes when a pause goes on on a newer engine.

Facts: graphon-in-practice, 3.3; dify-pause-resume, 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

ORDER: Final = ("graphon-0.5", "graphon-0.6", "graphon-0.7", "graphon-0.8")
_STEPS: Final[Mapping[str, tuple[str, ...]]] = {
    "graphon-0.6": (
        "The pause reason keeps only the form's id (hitl_required); the form itself is in Dify's tables.",
    ),
    "graphon-0.7": (
        "The runtime state becomes version 2.0: the waiting human-input is a deferred task of the root.",
    ),
    "graphon-0.8": (
        "The runtime state becomes version 3.0 and the gate 2.0: edges go by the DSL's ids, not by position "
        "(edge_3); graphon refuses a graph that is not the saved one.",
        "The gate sees the root graph only: Answers inside loops and iterations leave it.",
    ),
}


def migration(saved_by: str, resumed_on: str, *, gate_saved: bool) -> Sequence[str]:
    """One sentence for each thing that changes; empty on the same engine.

    Args:
        saved_by, resumed_on: engine kernels, the second the same or newer.
    """
    if saved_by == resumed_on:
        return ()
    way = ORDER[ORDER.index(saved_by) + 1 : ORDER.index(resumed_on) + 1]
    told = [sentence for kernel in way for sentence in _STEPS[kernel]]
    if saved_by == "graphon-0.5" and not gate_saved:
        told.append(
            "No gate was saved: newer engines start a fresh one, as Dify 1.15 does (--gate healed mends it)."
        )
    return (f"Migrated from {saved_by} to {resumed_on}; it can't go back.", *told)
