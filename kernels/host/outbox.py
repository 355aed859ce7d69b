"""Messages out: one JSON object a line, gathered for a moment, written in one go.

A run sends thousands of small events. Each on its own system call would cost more than graphon itself; a
buffer that is written after 20 ms, or at once for what someone waits for, costs next to nothing. A full
pipe blocks the
writer: that is wanted, the engine then stands still.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from typing import Any

DELAY = 0.02
"""Seconds that a message waits for company at most."""
LARGE = 1 << 16
"""Characters that are written at once."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def encode(message: Mapping[str, Any]) -> str:
    """One line of the protocol."""
    return _encode(message) + "\n"


def _bytes(text: str) -> bytes:
    """UTF-8; lone surrogates, which it can't say, as JSON escapes (they stand in strings only)."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="backslashreplace")


class Outbox:
    """Writes lines to a descriptor, from any thread, in the order of the calls."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: list[str] = []
        self._size = 0
        self._lock = threading.RLock()
        self._waiting = threading.Event()
        threading.Thread(target=self._write_late, name="outbox", daemon=True).start()

    def send(self, message: Mapping[str, Any]) -> None:
        """A message that someone waits for."""
        with self._lock:
            self._lines.append(encode(message))
            self.flush()

    def later(self, line: str) -> None:
        """Whole lines that may wait `DELAY` for others."""
        with self._lock:
            self._lines.append(line)
            self._size += len(line)
            if self._size >= LARGE:
                self.flush()
            elif len(self._lines) == 1:
                self._waiting.set()

    def flush(self) -> None:
        with self._lock:
            data, self._lines, self._size = _bytes("".join(self._lines)), [], 0
            self._waiting.clear()
            view = memoryview(data)
            try:
                while view:
                    view = view[os.write(self._descriptor, view) :]
            except BrokenPipeError:  # nobody listens any more: there is nothing left to do
                os._exit(0)

    def _write_late(self) -> None:
        pause = threading.Event()
        while True:
            self._waiting.wait()
            pause.wait(DELAY)
            self.flush()
