"""The first paint of the terminal interface, against a bare Textual app with the same widgets."""

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
from collections.abc import Callable

from tests.bench.frame import Place, Row, bench, in_turns, ms

SIZE = (40, 120)
"""Lines and columns of the terminal."""
SECONDS = 30
BARE = """
from textual.app import App
from textual.containers import Horizontal
from textual.widgets import Footer, Input, OptionList, Static, Tab, Tabs

class Bare(App):
    BINDINGS = [("slash", "a", "Search"), ("s", "b", "Status"), ("n", "c", "New run"), ("i", "d", "Import"),
                ("q", "quit", "Quit")]
    action_a = action_b = action_c = action_d = lambda self: None
    on_mount = lambda self: self.query_one(OptionList).focus()
    CSS = "Horizontal { height: 3; } OptionList { height: 1fr; }"

    def compose(self):
        with Horizontal():
            yield Static("Answer Workbench")
            yield Input(placeholder="type / to search")
        yield Tabs(*(Tab(name) for name in ("all", "paused", "running", "succeeded", "failed", "stopped")))
        yield OptionList()
        yield Static("0 runs")
        yield Footer()

Bare().run()
"""


def until_painted(mark: bytes, *command: str) -> Callable[[], object]:
    """An action: start a program in a terminal of its own, wait until it has painted `mark`, end it."""

    def run() -> None:
        outer, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        child = subprocess.Popen(
            command, stdin=inner, stdout=inner, stderr=inner, env=environment, start_new_session=True
        )
        os.close(inner)
        seen, end = b"", time.monotonic() + SECONDS
        try:
            while mark not in seen:
                ready, _, _ = select.select([outer], [], [], max(0.0, end - time.monotonic()))
                chunk = os.read(outer, 65536) if ready else b""
                if not chunk:
                    raise RuntimeError(f"{command[-1]!r} painted no {mark!r}: {seen[-500:]!r}")
                seen += chunk
        finally:
            child.kill()
            child.wait()
            os.close(outer)

    return run


@bench
def first_paint(place: Place) -> Row:
    """From the start of the process to the painted footer, on an empty store."""
    os.environ["WORKBENCH_HOME"] = str(place.folder / "home")
    try:
        ours = until_painted(b"Import", sys.executable, "-m", "workbench.cli")
        bare = until_painted(b"Import", sys.executable, "-c", BARE)
        mine, theirs = in_turns(ours, bare)
    finally:
        os.environ["WORKBENCH_HOME"] = str(place.home)
    return Row(
        "terminal interface, first paint",
        ms(mine),
        f"bare Textual app, same widgets: {ms(theirs)}",
        mine / theirs,
        "1.5",
        mine / theirs <= 1.5,
    )
