"""Waits that an abort ends at once: graphon can't interrupt a node, so no scripted node may ever sleep."""

from __future__ import annotations

import threading


class StoppedError(Exception):
    """The run was aborted while a scripted node waited."""

    def __init__(self) -> None:
        super().__init__("The run was stopped.")


class Waiter:
    """One for each run. `abort` may be called from any thread."""

    def __init__(self) -> None:
        self._stop = threading.Event()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def abort(self) -> None:
        self._stop.set()

    def check(self) -> None:
        """Raise StoppedError after an abort."""
        if self._stop.is_set():
            raise StoppedError

    def wait(self, seconds: float) -> None:
        """Wait `seconds`, or raise StoppedError as soon as the run is aborted."""
        if seconds > 0:
            self._stop.wait(seconds)
        self.check()
