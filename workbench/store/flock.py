"""`flock` on descriptors of our own: it ends with the process, by whatever death, and a reused process id
can't fake it. It belongs to the open file, so threads wait for each other too.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import weakref
from pathlib import Path

_open: weakref.WeakSet[Descriptor] = weakref.WeakSet()


class Descriptor:
    """An open file that can be locked. The lock is free when it is closed, or nobody refers to it any more.

    A child made by a bare fork gives it up at once: else it would keep the lock when this process is gone.
    """

    def __init__(self, path: Path, flags: int) -> None:
        """Open `path` (private when it is made). Raises OSError."""
        self.number: int | None = None
        self.number = os.open(path, flags | os.O_CLOEXEC, 0o600)
        _open.add(self)

    def close(self) -> None:
        """Close it; a second time does nothing."""
        number, self.number = self.number, None
        if number is not None:
            with contextlib.suppress(OSError):
                os.close(number)

    def __del__(self) -> None:
        self.close()

    def try_lock(self) -> bool:
        """Take the lock if it is free; never waits."""
        return self._flock(fcntl.LOCK_EX | fcntl.LOCK_NB)

    def lock(self, timeout: float) -> bool:
        """Wait for the lock, at most `timeout` seconds; closes itself when it was not had in time.

        A blocking wait is fair, where polling starves. It can't be called off, so it stands in a thread of
        its own; one that comes too late lets go at once, also when Ctrl-C has ended the wait here.
        """
        if self.try_lock():
            return True
        turn = _Turn(self)
        threading.Thread(target=turn.wait, name="store-lock", daemon=True).start()
        try:
            return turn.arrived.wait(timeout) or turn.give_up()
        except BaseException:
            if turn.give_up():
                self.close()
            raise

    def _flock(self, how: int) -> bool:
        if self.number is None:
            return False
        try:
            fcntl.flock(self.number, how)
        except OSError:
            return False
        return True


class _Turn:
    """One wait for a lock, between the thread that waits and the one that may give up."""

    def __init__(self, descriptor: Descriptor) -> None:
        self.arrived = threading.Event()
        self._descriptor = descriptor
        self._guard = threading.Lock()
        self._given_up = False

    def wait(self) -> None:
        self._descriptor._flock(fcntl.LOCK_EX)
        with self._guard:
            self.arrived.set()
            if self._given_up:
                self._descriptor.close()

    def give_up(self) -> bool:
        """Stop waiting; True when the lock has just arrived after all."""
        with self._guard:
            self._given_up = True
            return self.arrived.is_set()


def _close_in_child() -> None:
    for descriptor in list(_open):
        descriptor.close()


os.register_at_fork(after_in_child=_close_in_child)
