"""How a command that comes later reaches a run. Imports no graphon: the reader must answer at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from .brake import Brake


class Control:
    """What other commands may do to a run, before it is built and while it is on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._brake: Brake | None = None
        self._wishes: list[Callable[[Brake], None]] = []
        self.answer: Callable[[Mapping[str, Any]], None] = lambda _: None
        """Takes the answer to a question of the run; set while the run is on."""

    def attach(self, brake: Brake) -> None:
        with self._lock:
            self._brake, wishes = brake, self._wishes
        for wish in wishes:
            wish(brake)

    def abort(self, reason: str) -> None:
        self._do(lambda brake: brake.abort(reason))

    def pause(self, reason: str) -> None:
        self._do(lambda brake: brake.pause(reason))

    def _do(self, wish: Callable[[Brake], None]) -> None:
        with self._lock:
            if self._brake is None:
                self._wishes.append(wish)
                return
        wish(self._brake)
