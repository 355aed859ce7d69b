"""The sidecar lock of a store: a blocking `flock` on its own descriptor, with a time limit.

DuckDB lets one process open a file and fails at once for all others, so the turns are taken here. `flock`
belongs to the open file, not to the process: threads wait for each other too, and the kernel frees it when a
process dies, however it dies. A blocking wait is fair; polling starves (facts/anchors.md, D). The lock file
holds one record of fixed size: a change counter, which front ends watch without taking the lock, and who
holds the lock and why.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import StoreBusyError, StoreError

_COUNTER = 20  # digits, then a newline
_HOLDER = 80
_RECORD = _COUNTER + 1 + _HOLDER

_held: set[int] = set()  # descriptors that a forked child must give up: else it would keep the lock
_held_guard = threading.Lock()


def _close_in_child() -> None:
    global _held_guard
    _held_guard = threading.Lock()
    for descriptor in _held:
        with contextlib.suppress(OSError):
            os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_close_in_child)


def keep_from_children(descriptor: int) -> None:
    """Close `descriptor` in every child made by a bare fork, so that its `flock` ends with this process."""
    with _held_guard:
        _held.add(descriptor)


def close(descriptor: int) -> None:
    """Close a descriptor that `keep_from_children` knows; its lock is free afterwards."""
    with _held_guard:
        _held.discard(descriptor)
    os.close(descriptor)


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds the lock: process id, the verb it carries out, since when (seconds since 1970)."""

    pid: int
    verb: str
    since: float

    def __str__(self) -> str:
        seconds = max(0.0, time.time() - self.since)
        return f"process {self.pid} ({self.verb}, for {seconds:.1f} s)"


class Lock:
    """One turn at a store. Take it, use the store, give it back; never keep it while waiting for a person."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def take(self, verb: str, timeout: float) -> None:
        """Wait for the turn, at most `timeout` seconds.

        Raises:
            StoreBusyError: another process (or thread) held it all the time; names it.
            StoreError: the lock file can't be made.
        """
        descriptor = self._open()
        keep_from_children(descriptor)
        if not _flock(descriptor, timeout):
            holder = self.holder()
            raise StoreBusyError(
                "The store is busy",
                f"{holder or 'Another process'} holds {self.path}; waited {timeout:.0f} s.",
                "Wait until it is done, or end that process, and try again.",
            )
        self._descriptor = descriptor
        self._write(_COUNTER + 1, f"{os.getpid()} {time.time():.3f} {verb}"[:_HOLDER].ljust(_HOLDER))

    def give(self, changed: bool) -> None:
        """Give the turn back; `changed` moves the counter that others watch."""
        descriptor = self._descriptor
        if descriptor is None:
            return
        try:
            if changed:
                self._write(0, f"{self.counter() + 1:0{_COUNTER}d}\n")
            self._write(_COUNTER + 1, " " * _HOLDER)
        except OSError:
            pass  # a full disk must not keep the lock; the counter is a hint
        finally:
            self._descriptor = None
            close(descriptor)

    def counter(self) -> int:
        """How many leases have changed the store; 0 when there is none yet. Needs no turn."""
        return int(self._read()[:_COUNTER] or 0)

    def holder(self) -> Holder | None:
        """Who holds the lock now, as far as the record tells."""
        pid, _, rest = self._read()[_COUNTER + 1 :].strip().partition(" ")
        since, _, verb = rest.partition(" ")
        try:
            return Holder(int(pid), verb, float(since))
        except ValueError:
            return None

    def _open(self) -> int:
        try:
            return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreError(
                f"The store {self.path.with_suffix('')} can't be locked",
                f"{self.path}: {error.strerror}.",
                "Give this user the right to write to that folder, or choose another store (--store FILE).",
            ) from error

    def _write(self, offset: int, text: str) -> None:
        assert self._descriptor is not None
        os.pwrite(self._descriptor, text.encode("ascii", "replace"), offset)

    def _read(self) -> str:
        try:
            with self.path.open("rb") as file:
                record = file.read(_RECORD).decode("ascii", "replace")
        except OSError:
            return ""
        return record if record[:_COUNTER].isdigit() else "0" * _COUNTER + "\n" + record[_COUNTER + 1 :]


def try_flock(descriptor: int) -> bool:
    """Take the lock if it is free; never waits."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _flock(descriptor: int, timeout: float) -> bool:
    """A blocking `flock` with a time limit. The descriptor is closed unless the lock was had.

    A wait can't be called off, so it stands in a thread of its own; one that comes too late lets go at once.
    """
    if try_flock(descriptor):
        return True
    arrived, guard, given_up = threading.Event(), threading.Lock(), [False]

    def wait() -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError:
            return
        with guard:
            if given_up[0]:
                close(descriptor)
            else:
                arrived.set()

    threading.Thread(target=wait, name="store-lock", daemon=True).start()
    in_time = False
    try:
        in_time = arrived.wait(timeout)
    finally:  # Ctrl-C ends the wait too
        with guard:
            given_up[0] = True
            came = arrived.is_set()
        if came and not in_time:
            close(descriptor)
    return in_time
