"""A command in a terminal of its own."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

from tests.cli.driver import WORKBENCH

SECONDS = 60
STEERING = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes standard input the controlling terminal, where Ctrl-C is a signal, and becomes the command."""
SIZES = ("COLUMNS", "LINES")
"""The readline module sets them in a process, and programs believe them more than the terminal."""


class Terminal:
    """Starts the command; `screen` is the side of a terminal emulator."""

    def __init__(self, *arguments: str | Path, rows: int = 24, columns: int = 80, **environment: str) -> None:
        self.screen, self._inside = pty.openpty()
        fcntl.ioctl(self.screen, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._before = self._settings()
        self.seen = b""
        inherited = {name: value for name, value in os.environ.items() if name not in SIZES}
        self.command = subprocess.Popen(
            [sys.executable, "-c", STEERING, *WORKBENCH, *map(str, arguments)],
            stdin=self._inside,
            stdout=self._inside,
            stderr=self._inside,
            start_new_session=True,
            env={**inherited, "TERM": "xterm-256color", **environment},
        )

    def wait_for(self, text: bytes) -> None:
        """Read until `text` was shown."""
        end = time.monotonic() + SECONDS
        while text not in self.seen:
            assert time.monotonic() < end, self.seen
            assert self.command.poll() is None or self._read(), f"it ended without {text!r}: {self.seen!r}"
            self._read()

    def press(self, keys: bytes) -> None:
        """Type."""
        os.write(self.screen, keys)

    def end(self) -> int:
        """Read to the end; the exit code."""
        end = time.monotonic() + SECONDS
        while self.command.poll() is None:
            assert time.monotonic() < end, f"it does not end: {self.seen!r}"
            self._read()
        while self._read(0):
            pass
        return self.command.returncode

    @property
    def intact(self) -> bool:
        """Whether the settings are as before the command, and the cursor is shown."""
        hidden, shown = self.seen.rfind(b"\x1b[?25l"), self.seen.rfind(b"\x1b[?25h")
        return self._settings() == self._before and shown >= hidden

    def close(self) -> None:
        """End what still runs, let the terminal go."""
        if self.command.poll() is None:
            self.command.kill()
            self.command.wait()
        os.close(self._inside)
        os.close(self.screen)

    def _settings(self) -> list[Any]:
        return termios.tcgetattr(self._inside)

    def _read(self, wait: float = 0.1) -> bool:
        if not select.select([self.screen], [], [], wait)[0]:
            return False
        self.seen += os.read(self.screen, 65536)
        return True
