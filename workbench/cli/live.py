"""Shows a run while it goes on: lines on stderr, or an updating picture where a person sits at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from workbench.cli.progress import NodeLine, Progress, duration
from workbench.cli.style import Style, is_terminal
from workbench.verbs.watch import Began, Watcher
from workbench.views.safe import safe_line, safe_text
from workbench.views.secrets import Mask

WORDS = {
    "running": "runs",
    "succeeded": "done",
    "failed": "FAILED",
    "exception": "exception",
    "paused": "waits",
    "retry": "retries",
}


def watcher_for(*, quiet: bool, mask: Mask) -> Watcher:
    """The watcher that fits who reads stderr."""
    if quiet:
        return QuietWatcher()
    if is_terminal(sys.stderr):
        from workbench.cli.picture import PictureWatcher

        return PictureWatcher(mask)
    return LinesWatcher(mask)


class QuietWatcher(Watcher):
    """Says only what the user should know."""

    def note(self, text: str) -> None:
        click.echo(safe_text(text), err=True)


class LinesWatcher(Watcher):
    """One line a node, streamed text by whole lines: for pipes, logs and CI."""

    def __init__(self, mask: Mask) -> None:
        self._mask = mask
        self._style = Style(sys.stderr)
        self._progress: Progress | None = None
        self._text = ""

    def began(self, began: Began) -> None:
        self._progress = Progress(began.graph)
        word = "resumes" if began.resumed else "runs"
        self._say(f"{safe_line(began.app, 60)} {word} on {began.kernel} as {began.run_id}")

    def event(self, step: int, at: float, event: Mapping[str, Any]) -> None:
        if self._progress is None:
            return
        line = self._progress.event(at, event)
        if line is not None and line.status != "running":
            self._flush()
            self._say(self._node(line))

    def stream(self, step: int, chunks: Sequence[Sequence[Any]], error: str | None) -> None:
        self._text += "".join(chunk[2] for chunk in chunks)
        *whole, self._text = self._text.split("\n")
        for line in whole:
            self._say(f"  | {self._clean(line)}")
        if error is not None:
            self._flush()
            self._say(f"  the stream broke: {self._clean(error)}")

    def note(self, text: str) -> None:
        self._flush()
        self._say(f"  {self._clean(text)}")

    def ended(self) -> None:
        self._flush()

    def _node(self, line: NodeLine) -> str:
        took = f" {duration(line.seconds)}" if line.seconds is not None else ""
        note = f"  {self._clean(line.note)}" if line.note else ""
        indent = "  " * (line.depth + 1)
        return f"{indent}{WORDS[line.status]:<9} {safe_line(line.title, 60)} ({line.type}){took}{note}"

    def _flush(self) -> None:
        if self._text:
            text, self._text = self._text, ""
            self._say(f"  | {self._clean(text)}")

    def _clean(self, text: str) -> str:
        return safe_line(self._mask.text(text))

    def _say(self, text: str) -> None:
        click.echo(text, err=True)
