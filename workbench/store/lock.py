"""The sidecar lock of a store: a blocking `flock` on its own descriptor, with a time limit.

DuckDB lets one process open a file and fails at once for all others, so the turns are taken here. `flock`
belongs to the open file, not to the process: threads wait for each other too, and the kernel frees it when a
process dies, however it dies. A blocking wait is fair; polling starves (facts/anchors.md, D). The lock file
holds one record of fixed size: a change counter, which front ends watch without taking the lock, and who
holds the lock and why.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

from workbench.errors import StoreBusyError, StoreError
from workbench.store.flock import Descriptor

_COUNTER = 20  # digits, then a newline
_HOLDER = 80
_RECORD = _COUNTER + 1 + _HOLDER


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
        self._held: Descriptor | None = None

    def take(self, verb: str, timeout: float) -> None:
        """Wait for the turn, at most `timeout` seconds.

        Raises:
            StoreBusyError: another process (or thread) held it all the time; names it.
            StoreError: the lock file can't be made.
        """
        descriptor = self._open()
        if not descriptor.lock(timeout):
            holder = self.holder()
            raise StoreBusyError(
                "The store is busy",
                f"{holder or 'Another process'} holds {self.path}; waited {timeout:.0f} s.",
                "Wait until it is done, or end that process, and try again.",
            )
        self._held = descriptor
        self._write(_COUNTER + 1, f"{os.getpid()} {time.time():.3f} {verb}"[:_HOLDER].ljust(_HOLDER))

    def give(self, changed: bool) -> None:
        """Give the turn back; `changed` moves the counter that others watch."""
        if self._held is not None:
            if changed:
                self._write(0, f"{self.counter() + 1:0{_COUNTER}d}\n")
            self._write(_COUNTER + 1, " " * _HOLDER)
            self._held.close()
            self._held = None

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

    def _open(self) -> Descriptor:
        try:
            return Descriptor(self.path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise StoreError(
                f"The store {self.path.with_suffix('')} can't be locked",
                f"{self.path}: {error.strerror}.",
                "Give this user the right to write to that folder, or choose another store (--store FILE).",
            ) from error

    def _write(self, offset: int, text: str) -> None:
        """Into the record; a hint for others, so a full disk is no reason to fail."""
        if self._held is not None and self._held.number is not None:
            with contextlib.suppress(OSError):
                os.pwrite(self._held.number, text.encode("ascii", "replace"), offset)

    def _read(self) -> str:
        try:
            with self.path.open("rb") as file:
                record = file.read(_RECORD).decode("ascii", "replace")
        except OSError:
            return ""
        return record if record[:_COUNTER].isdigit() else "0" * _COUNTER + "\n" + record[_COUNTER + 1 :]
