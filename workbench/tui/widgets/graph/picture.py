"""What the graph shows of a step, and the names of the styles that it is painted with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, get_args

from workbench.core.finding import AnswerPhase
from workbench.core.picture.looks import EdgeLook, NodeLook


@dataclass(frozen=True)
class Picture:
    """What the graph shows of a step. `left`: how many blocking edges each Answer still waits for."""

    edges: dict[str, EdgeLook] = field(default_factory=dict)
    nodes: dict[str, NodeLook] = field(default_factory=dict)
    phases: dict[str, AnswerPhase] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)
    current: str | None = None
    breakpoints: frozenset[str] = frozenset()


STYLES: Final = frozenset(
    {
        *(f"graph--edge-{look}" for look in get_args(EdgeLook)),
        *(f"graph--label-{look}" for look in get_args(EdgeLook)),
        *(f"graph--node-{look}" for look in (*get_args(NodeLook), "current", "selected")),
        *(f"graph--phase-{phase}" for phase in get_args(AnswerPhase)),
    }
)
"""The component classes that everything is painted with."""
