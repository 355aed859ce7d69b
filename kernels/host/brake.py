"""What stops a run from outside or from its limits, and the gate that every node passes before it starts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .errors import HostError

STARTS = frozenset({"loop-start", "iteration-start"})
"""Markers inside a container whose events graphon never shows."""
MARKERS = STARTS | {"loop-end"}
"""Nodes that do nothing: no step, no breakpoint."""


@dataclass(frozen=True)
class Limits:
    """How far a run may go.

    Attributes:
        max_output_bytes: characters of one node's outputs, or of the text that it streams. abort_grace:
            seconds that an aborted run has to end by itself, before the host tells the end and leaves
            the process.
    """

    max_steps: int = 500
    max_seconds: float = 120
    max_output_bytes: int = 10_000_000
    max_loop_rounds: int = 1000
    abort_grace: float = 0.085

    @classmethod
    def read(cls, given: Any) -> Limits:
        known = {name: value for name, value in dict(given or {}).items() if name in cls.__dataclass_fields__}
        for name, value in known.items():
            if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
                raise HostError(
                    f"The limit {name} is not usable", f"It is {value!r}.", "Give a positive number."
                )
        return cls(**known)


@dataclass
class Brake:
    """One run's stop signs. Set from the command reader, a timer or the run itself; read from graphon's
    threads.

    Attributes:
        stop: set once the run is to end now; every scripted wait waits on it.
        reason: why, for people.
        limit: the name of the limit that was hit, None for an abort from outside.
        hold: why the next node must wait for a resume, None while the run goes on.
    """

    limits: Limits
    breakpoints: frozenset[str] = frozenset()
    stop: threading.Event = field(default_factory=threading.Event)
    reason: str = ""
    limit: str | None = None
    hold: str | None = None
    steps: int = 0
    on_stop: Callable[[], None] = lambda: None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _passed: set[str] = field(default_factory=set)

    def abort(self, reason: str, limit: str | None = None) -> None:
        """End the run; the first reason counts."""
        with self._lock:
            if self.stop.is_set():
                return
            self.reason, self.limit = reason, limit
            self.stop.set()
        self.on_stop()

    def exceed(self, limit: str, what: str) -> None:
        self.abort(f"The limit {limit} is reached: {what}", limit)

    def pause(self, reason: str) -> None:
        """Hold the next node that would start."""
        self.hold = self.hold or reason

    def let_pass(self, nodes: set[str]) -> None:
        """These nodes were held by a breakpoint before this resume: not again."""
        self._passed |= nodes

    def before(self, node_id: str, node_type: str) -> str | None:
        """Called where a node would start. Returns why it must not, or None."""
        if node_type in MARKERS:
            return None
        with self._lock:
            if self.hold is None and node_id in self.breakpoints and node_id not in self._passed:
                self.hold = breakpoint_reason(node_id)
            if self.hold is not None:
                return self.hold
            self._passed.discard(node_id)
            self.steps += 1
            steps = self.steps
        if steps > self.limits.max_steps:
            self.exceed("max_steps", f"more than {self.limits.max_steps} node runs.")
        return None


_BREAKPOINT = "Breakpoint before "


def breakpoint_reason(node_id: str) -> str:
    return f"{_BREAKPOINT}{node_id}"


def breakpoints_in(messages: list[str]) -> set[str]:
    """The nodes that a saved run's scheduling pauses name as breakpoints."""
    return {text.removeprefix(_BREAKPOINT) for text in messages if text.startswith(_BREAKPOINT)}
