"""Who wants to hear what happens while a run goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.graph import Graph


@dataclass(frozen=True, slots=True)
class Began:
    """A segment begins.

    Attributes:
        first_step: the step that its first event will be (1 in a new run).
        resumed: False for the first segment of a new run, True after a pause.
    """

    run_id: str
    app: str
    mode: str
    kernel: str
    graph: Graph
    first_step: int = 1
    resumed: bool = False


class Watcher:
    """Hears a segment while it runs; every method does nothing here, so that a front end overrides what it
    paints.

    The methods are called in the thread that runs the verb, in the order of the events. What they are told
    is already in the recorder's hands.
    """

    def began(self, began: Began) -> None:
        """The run is recorded; its engine kernel is about to start."""

    def pool(self, variables: Mapping[str, Any]) -> None:
        """The variable pool before the first event: {node: {name: {"type", "value"}}}."""

    def event(self, step: int, at: float, event: Mapping[str, Any]) -> None:
        """Event `step` of the run (kernels/PROTOCOL.md, EVENT); `at` in seconds since 1970."""

    def stream(self, step: int, chunks: Sequence[Sequence[Any]], error: str | None) -> None:
        """What the gate let through because of event `step`: [[node, selector, text, is final], ...]."""

    def note(self, text: str) -> None:
        """Something the user should know; also the progress of an engine kernel's first build."""

    def ended(self) -> None:
        """The engine is done and everything is stored."""


class NotesOnce(Watcher):
    """Tells another watcher everything, and each note once: where one thing is done on several engines."""

    def __init__(self, watcher: Watcher) -> None:
        self.began, self.pool, self.event = watcher.began, watcher.pool, watcher.event  # type: ignore[method-assign]
        self.stream, self.ended = watcher.stream, watcher.ended  # type: ignore[method-assign]
        self._note = watcher.note
        self._told: set[str] = set()

    def note(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._note(text)
