"""Stops or pauses a running order from another thread."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from workbench.engine.client import Client

ABORT_SECONDS = 5
"""A kernel promises to stop within 0.1 s; one that does not is killed after this."""


class Control:
    """The brake of one order: made by the front end, given to `execute`, pulled from any thread, at any time.

    Pulled before the order has started it works as soon as it has; after its end it does nothing.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._client: Client | None = None
        self._timer: threading.Timer | None = None
        self._abort: str | None = None
        self._pause: str | None = None

    def abort(self, reason: str = "Stopped by the user.") -> None:
        """Stop the run: it ends with the status "stopped". The first reason counts."""
        with self._lock:
            if self._abort is None:
                self._abort = reason
                self._tell_abort()

    def pause(self, reason: str = "Paused by the user.") -> None:
        """Ask for a scheduling pause at the next possible point; the run may end before it comes to that."""
        with self._lock:
            if self._pause is None:
                self._pause = reason
                self._tell_pause()

    @property
    def aborted(self) -> str | None:
        """The reason of the abort, or None."""
        return self._abort

    @contextlib.contextmanager
    def attached(self, client: Client) -> Iterator[None]:
        """Connect the brake with a kernel that has just been sent its order; tell what was pulled before."""
        with self._lock:
            self._client = client
            if self._pause is not None:
                self._tell_pause()
            if self._abort is not None:
                self._tell_abort()
        try:
            yield
        finally:
            with self._lock:
                self._client = None
                if self._timer is not None:
                    self._timer.cancel()

    def _tell_abort(self) -> None:
        if self._client is None:
            return
        self._timer = threading.Timer(
            ABORT_SECONDS,
            self._client.kill,
            [f"it did not stop within {ABORT_SECONDS} seconds and was killed"],
        )
        self._timer.daemon = True
        self._timer.start()
        self._client.send({"cmd": "abort", "reason": self._abort})

    def _tell_pause(self) -> None:
        if self._client is not None:
            self._client.send({"cmd": "pause", "reason": self._pause})
