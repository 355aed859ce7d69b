"""What an engine kernel tells goes first to the recorder, then to who watches; what the result needs is
kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from workbench.verbs.raw import RawGate
from workbench.verbs.watch import Watcher

if TYPE_CHECKING:
    from workbench.engine.order import Ended


class Recording(Protocol):
    """The part of the store's recorder that hears the engine."""

    def graph(self, message: Mapping[str, Any]) -> None: ...
    def pool(self, variables: Mapping[str, Any]) -> None: ...
    def event(self, n: int, at: float, event: Mapping[str, Any]) -> int: ...
    def stream(self, n: int, chunks: Sequence[Sequence[Any]], error: str | None) -> None: ...
    def note(self, text: str) -> None: ...


class Feed:
    """The sink of one segment.

    Args:
        first_step: the run's step that the segment's first event is.
        raw: the gate that streams where the engine runs without one.
    """

    def __init__(
        self, recorder: Recording, watcher: Watcher, first_step: int, raw: RawGate | None = None
    ) -> None:
        self._raw = raw
        self._recorder = recorder
        self._watcher = watcher
        self._before = first_step - 1
        self.pieces: list[str] = []
        self.notes: list[str] = []
        self.events = 0
        self.stream_error: str | None = None

    def graph(self, message: Mapping[str, Any]) -> None:
        self._recorder.graph(message)

    def pool(self, variables: Mapping[str, Any]) -> None:
        self._recorder.pool(variables)
        if self._raw is not None:
            self._raw.pool(variables)
        self._watcher.pool(variables)

    def event(self, n: int, at: float, event: Mapping[str, Any]) -> None:
        self._recorder.event(n, at, event)
        self.events = n
        self._watcher.event(self._before + n, at, event)
        if self._raw is not None:
            chunks, error = self._raw.feed(event)
            if chunks or error is not None:
                self.stream(n, chunks, error)

    def stream(self, n: int, chunks: Sequence[Sequence[Any]], error: str | None) -> None:
        self._recorder.stream(n, chunks, error)
        self.pieces.extend(chunk[2] for chunk in chunks)
        self.stream_error = self.stream_error or error
        self._watcher.stream(self._before + n, chunks, error)

    def note(self, text: str) -> None:
        self._recorder.note(text)
        self.notes.append(text)
        self._watcher.note(text)

    def completed(self, ended: Ended) -> Ended:
        """`ended` with the gate's state in its pause, where the engine ran without a gate."""
        if self._raw is None or ended.pause is None:
            return ended
        return replace(ended, pause=replace(ended.pause, gate=self._raw.dump()))
