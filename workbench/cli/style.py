"""Colours, where a person reads: none for files, pipes, `NO_COLOR` and dumb terminals."""

from __future__ import annotations

import os
from typing import IO, Any


def colours(stream: IO[Any]) -> bool:
    """Whether `stream` takes colours (https://no-color.org: any non-empty `NO_COLOR` means no)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return is_terminal(stream)


def is_terminal(stream: IO[Any]) -> bool:
    """Whether a person sits at the other end."""
    try:
        return stream.isatty()
    except ValueError:
        return False


class Style:
    """Emphasis by meaning; plain text where colours are off."""

    def __init__(self, stream: IO[Any]) -> None:
        self._on = colours(stream)

    def _paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._on else text

    def bold(self, text: str) -> str:
        return self._paint("1", text)

    def dim(self, text: str) -> str:
        return self._paint("2", text)

    def good(self, text: str) -> str:
        return self._paint("32", text)

    def bad(self, text: str) -> str:
        return self._paint("1;31", text)

    def warn(self, text: str) -> str:
        return self._paint("33", text)

    def info(self, text: str) -> str:
        return self._paint("36", text)

    def severity(self, severity: str, text: str) -> str:
        """Text in the colour of a finding's severity."""
        return {"error": self.bad, "warning": self.warn}.get(severity, self.info)(text)

    def status(self, status: str) -> str:
        """A run's status in its colour."""
        paint = {
            "succeeded": self.good,
            "partial-succeeded": self.warn,
            "failed": self.bad,
            "paused": self.info,
        }
        return paint.get(status, self.warn)(status)
