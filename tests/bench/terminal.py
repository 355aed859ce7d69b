"""A program in a terminal of its own, as its user has it: read what it paints, type keys, weigh it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from pathlib import Path
from types import TracebackType
from typing import Self

SECONDS = 60
"""How long a program may take to paint what is waited for."""
LINES_COLUMNS = (40, 120)


class Terminal:
    """Start `command` in a terminal; the end of the block ends the program."""

    def __init__(self, *command: str, environment: dict[str, str] | None = None) -> None:
        self._command = command
        self._outer, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", *LINES_COLUMNS, 0, 0))
        given = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **(environment or {})}
        self._child = subprocess.Popen(
            command, stdin=inner, stdout=inner, stderr=inner, env=given, start_new_session=True
        )
        os.close(inner)
        self._seen = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.kill()
        self._child.wait()
        os.close(self._outer)

    def until(self, mark: bytes) -> None:
        """Read until the program has painted `mark`; what was painted until then is forgotten.

        Raises:
            RuntimeError: it ended, or did not paint it in time.
        """
        end = time.monotonic() + SECONDS
        while mark not in self._seen:
            ready, _, _ = select.select([self._outer], [], [], max(0.0, end - time.monotonic()))
            try:
                chunk = os.read(self._outer, 65536) if ready else b""
            except OSError:  # how Linux says that the other side is closed
                chunk = b""
            if not chunk:
                raise RuntimeError(f"{self._command[-1]!r} painted no {mark!r}: {self._seen[-500:]!r}")
            self._seen += chunk
        self._seen = b""

    def quiet(self, seconds: float) -> None:
        """Read until nothing was painted for so long."""
        while select.select([self._outer], [], [], seconds)[0]:
            os.read(self._outer, 65536)

    def type(self, keys: bytes) -> None:
        """Type keys."""
        os.write(self._outer, keys)

    def megabytes(self) -> float:
        """The most memory that the program had resident so far, in MB (Linux)."""
        status = Path(f"/proc/{self._child.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024
