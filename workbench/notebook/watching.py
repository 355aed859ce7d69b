"""Hears when somebody changes the store, from a notebook, a script or an event loop."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

PERIOD = 0.2
"""Seconds between two looks at the store's change counter; a look is one read of a small file."""


class Watch:
    """Calls back when the store's change counter moved, until `stop()`.

    Args:
        read: gives the counter.
        changed: called in the event loop that runs here (Jupyter's), else in the watch's own thread. After
            an error in it the watch ends; `error` keeps it.
    """

    def __init__(self, read: Callable[[], int], changed: Callable[[], None], period: float = PERIOD) -> None:
        self._read, self._changed, self._period = read, changed, period
        self._stopped = threading.Event()
        self.error: Exception | None = None
        self._loop = _running_loop()
        self._last = self._counter()
        threading.Thread(target=self._follow, name="workbench-watch", daemon=True).start()

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    def stop(self) -> None:
        """No call begins after this."""
        self._stopped.set()

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _counter(self) -> int | None:
        try:
            return self._read()
        except Exception:
            return None  # busy or not there yet: asked again

    def _follow(self) -> None:
        while not self._stopped.wait(self._period):
            now = self._counter()
            if now is None or now == self._last:
                continue
            self._last = now
            if self._loop is None:
                self._tell()
            elif self._loop.is_closed():
                return
            else:
                self._loop.call_soon_threadsafe(self._tell)

    def _tell(self) -> None:
        if self._stopped.is_set():
            return
        try:
            self._changed()
        except Exception as error:
            self.error = error
            self.stop()
            if self._loop is not None:
                raise


def _running_loop() -> asyncio.AbstractEventLoop | None:
    """The loop that runs here; without asyncio there is none."""
    if "asyncio" not in sys.modules:
        return None
    import asyncio

    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
