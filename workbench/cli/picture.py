"""The updating picture of a run in a terminal: nodes with their states, and the text a chat user sees."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from workbench.cli.progress import NodeLine, Progress, duration
from workbench.cli.style import colours
from workbench.verbs.watch import Began, Watcher
from workbench.views.safe import cut, safe_line, safe_text
from workbench.views.secrets import Mask

SIGNS = {"running": "▶", "succeeded": "✓", "failed": "✗", "exception": "!", "paused": "⏸", "retry": "↻"}
COLOURS = {
    "running": "cyan",
    "succeeded": "green",
    "failed": "bold red",
    "exception": "yellow",
    "paused": "bold cyan",
    "retry": "yellow",
}
PER_SECOND = 12
TEXT_SHARE = 3
"""A third of the screen is for the text, when nodes and text do not both fit."""


class PictureWatcher(Watcher):
    """Repaints a few times a second, from its own thread; what the run does never waits for the terminal."""

    def __init__(self, mask: Mask) -> None:
        self._mask = mask
        self._console = Console(
            file=sys.stderr,
            no_color=not colours(sys.stderr),
            highlight=False,
            markup=False,
            emoji=False,
            soft_wrap=False,
        )
        self._lock = threading.Lock()
        self._progress: Progress | None = None
        self._began: Began | None = None
        self._since = 0.0
        self._notes: list[str] = []
        self._live: Live | None = None

    def began(self, began: Began) -> None:
        self._began, self._progress, self._since = began, Progress(began.graph), time.monotonic()
        self._notes.clear()
        self._live = Live(
            get_renderable=self._paint,
            console=self._console,
            refresh_per_second=PER_SECOND,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._live.start()

    def event(self, step: int, at: float, event: Mapping[str, Any]) -> None:
        if self._progress is not None:
            with self._lock:
                self._progress.event(at, event)

    def stream(self, step: int, chunks: Sequence[Sequence[Any]], error: str | None) -> None:
        with self._lock:
            if self._progress is not None:
                self._progress.stream(chunks)
            if error is not None:
                self._notes.append(f"The stream broke: {error}")

    def note(self, text: str) -> None:
        if self._live is None:
            self._console.print(Text(safe_text(text)))
            return
        with self._lock:
            self._notes.append(text)

    def ended(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _paint(self) -> RenderableType:
        with self._lock:
            if self._began is None or self._progress is None:
                return Text("")
            columns, lines = self._console.size
            text = self._text_lines(columns)
            room = max(lines - 3 - len(self._notes), 2)
            text_room = min(len(text), max(room // TEXT_SHARE, room - len(self._progress.nodes)))
            nodes = list(self._progress.nodes.values())
            node_room = max(room - text_room, 1)
            hidden = max(len(nodes) - node_room, 0)
            if hidden:
                hidden += 1
            parts: list[RenderableType] = [self._head(columns)]
            if hidden:
                parts.append(Text(f"  … {hidden} nodes before", style="dim"))
            parts += [self._node(line, columns) for line in nodes[hidden:]]
            parts += [Text(cut(f"  {safe_line(note)}", columns), style="yellow") for note in self._notes]
            parts += [Text(line, style="bold") for line in text[len(text) - text_room :]]
            return Group(*parts)

    def _head(self, columns: int) -> Text:
        assert self._began is not None
        took = duration(time.monotonic() - self._since)
        head = f"{safe_line(self._began.app, 50)}  {self._began.kernel}  {self._began.run_id}  {took}"
        return Text(cut(head, columns), style="dim")

    def _node(self, line: NodeLine, columns: int) -> Text:
        seconds = line.seconds
        took = "" if seconds is None else duration(seconds)
        rounds = f" ×{line.rounds}" if line.rounds > 1 else ""
        title = cut(safe_line(line.title) + rounds, max(columns // 3, 12))
        style = COLOURS[line.status]
        painted = Text(f"{'  ' * line.depth}  ")
        painted.append(f"{SIGNS[line.status]} ", style=style)
        painted.append(title, style="bold" if line.status == "running" else "")
        painted.append(f"  {line.type}  {took}  ", style="dim")
        painted.append(
            safe_line(self._mask.text(line.note)), style=style if line.status == "failed" else "dim"
        )
        painted.truncate(columns, overflow="ellipsis")
        return painted

    def _text_lines(self, columns: int) -> list[str]:
        assert self._progress is not None
        text = safe_text(self._mask.text(self._progress.text)).expandtabs(4)
        if not text:
            return []
        wrapped = Text(text).wrap(self._console, max(columns - 2, 10))
        return ["", *(line.plain.rstrip(os.linesep) for line in wrapped)]
