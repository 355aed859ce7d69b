"""Ctrl-C during a run: the run is stopped and recorded as stopped; a second Ctrl-C no longer waits for it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.engine.control import Control

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
REASONS = {
    signal.SIGINT: "Stopped by Ctrl-C.",
    signal.SIGTERM: "Stopped by SIGTERM.",
    signal.SIGHUP: "Stopped: the terminal was closed.",
}


class Stopper:
    """What stopped the run, if anything did."""

    def __init__(self, control: Control) -> None:
        self.signal: int | None = None
        self._control = control

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.signal is not None:
            raise KeyboardInterrupt
        self.signal = number
        reason = REASONS.get(signal.Signals(number), "Stopped.")
        # Not from here: the interrupted thread may hold the lock that the brake needs.
        threading.Thread(target=self._control.abort, args=(reason,), daemon=True).start()

    def exit_code(self, otherwise: int) -> int:
        """128 + the signal's number (Ctrl-C: 130), or `otherwise` when nothing stopped the run."""
        return otherwise if self.signal is None else 128 + self.signal


@contextmanager
def stoppable(control: Control) -> Iterator[Stopper]:
    """While inside, the signals that ask a program to end stop the run instead; ignored ones stay ignored."""
    stopper = Stopper(control)
    before = {}
    for number in SIGNALS:
        handler = signal.getsignal(number)
        if handler is not signal.SIG_IGN:
            before[number] = signal.signal(number, stopper)
    try:
        yield stopper
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
