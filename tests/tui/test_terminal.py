"""The real program in a real terminal, driven through tmux: it paints, it reacts, it leaves the terminal
as it was.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.journals import REFUND

_TMUX = shutil.which("tmux")
_LEAVE = 30


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    if _TMUX is None:
        if os.environ.get("CI") == "true":
            pytest.fail("tmux is missing; .ci/run installs it")
        pytest.skip("tmux is not installed")
    with Terminal(tmp_path) as opened:
        yield opened


class Terminal:
    """A tmux server of its own with one window of 100 by 30."""

    def __init__(self, folder: Path) -> None:
        self._socket = folder / "tmux.sock"

    def _tmux(self, *words: str) -> str:
        done = subprocess.run(
            [_TMUX or "tmux", "-S", str(self._socket), "-f", "/dev/null", *words],
            capture_output=True,
            text=True,
            timeout=20,
            check=True,
        )
        return done.stdout

    def __enter__(self) -> Terminal:
        self._tmux("new-session", "-d", "-x", "100", "-y", "30", "env PS1='$ ' TERM=xterm-256color sh")
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(
            [_TMUX or "tmux", "-S", str(self._socket), "kill-server"], check=False, capture_output=True
        )

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)

    def key(self, *names: str) -> None:
        self._tmux("send-keys", *names)

    def click(self, label: str) -> None:
        """Press and release the left button in the middle of a label, as a terminal reports it (SGR mouse
        mode).
        """
        rows = self.until(label).split("\n")
        y = next(i for i, row in enumerate(rows) if label in row)
        x = rows[y].index(label) + len(label) // 2
        for end in "Mm":
            self.type(f"\x1b[<0;{x + 1};{y + 1}{end}")

    def modes(self) -> str:
        return self._tmux("display", "-p", "#{mouse_any_flag} #{alternate_on} #{cursor_flag}").strip()

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p")

    def until(self, *words: str) -> str:
        """Wait until all words are on the screen."""
        end = time.monotonic() + _LEAVE
        while True:
            shown = self.screen()
            if all(word in shown for word in words):
                return shown
            assert time.monotonic() < end, f"{words} not on the screen:\n{shown}"
            time.sleep(0.05)


@pytest.mark.kernel
def test_start_run_pause_resume_leave(terminal: Terminal, home: Path) -> None:
    program = f"{shlex.quote(sys.executable)} -m workbench"
    terminal.type(f"WORKBENCH_HOME={shlex.quote(str(home))} {program}; echo left with $?")
    terminal.key("Enter")
    terminal.until("Answer Workbench", "No runs yet")
    terminal.type("n")
    terminal.until("Start a run", "Choose an app")
    terminal.key("Enter")
    terminal.until("example: refund-approval")
    terminal.type("refund-app")
    terminal.key("Enter")
    terminal.until("Query: what the user says", "Amount")
    terminal.click("    Start")
    shown = terminal.until("The run is paused", "Gate", "11/11")
    assert "Nothing streams" in shown
    terminal.type("[")
    terminal.until("7/11")
    terminal.type("G")
    terminal.until("11/11")
    terminal.type("r")
    terminal.until("Let it time out")
    terminal.click(" Approve ")
    terminal.until("Your refund of 250 is approved.", "succeeded")
    terminal.type("q")
    terminal.until("1 runs")
    terminal.type("q")
    shown = terminal.until("left with 0")
    assert "Answer Workbench" not in shown, "the alternate screen is left"
    terminal.type("echo still $((40+2))")
    terminal.key("Enter")
    terminal.until("still 42")


@pytest.mark.kernel
def test_import_run_pause_edit_resume_compare(terminal: Terminal, home: Path) -> None:
    """The whole way of a pause: the amount is edited while a person is asked, and the two runs compared."""
    program = f"{shlex.quote(sys.executable)} -m workbench"
    terminal.type(f"WORKBENCH_HOME={shlex.quote(str(home))} {program}; echo left with $?")
    terminal.key("Enter")
    terminal.until("Answer Workbench", "No runs yet")
    terminal.type("i")
    terminal.until("Import a file")
    terminal.type(str(REFUND))
    terminal.key("Enter")
    terminal.until("Start a run", "Refund approval", "Amount")
    terminal.click("    Start")
    terminal.until("The run is paused", "11/11")
    terminal.type("e")
    terminal.until("Saved pause", "amount", "3 inside")
    terminal.type("t")
    terminal.until("TARGET=TEXT", "Keep")
    terminal.type("start.amount=300")
    terminal.key("Enter")
    terminal.until("±", "300")
    terminal.type("s")
    terminal.click("… and debug it")
    terminal.until("saved pause", "p Back")
    terminal.type("r")
    terminal.until("Let it time out")
    terminal.click(" Approve ")
    terminal.until("Your refund of 300 is approved.", "succeeded")
    terminal.type("d")
    terminal.until("Compare ", "paused  11 steps")
    terminal.key("Enter")
    terminal.until("Side by side", "Not equal", "Your refund of 300")
    terminal.key("q")
    terminal.until("Your refund of 300 is approved.")


@pytest.mark.parametrize("name", ["TERM", "HUP"])
def test_told_to_end_it_gives_the_terminal_back(terminal: Terminal, tmp_path: Path, name: str) -> None:
    program = f"{shlex.quote(sys.executable)} -m workbench"
    terminal.type(
        f"env WORKBENCH_HOME={shlex.quote(str(tmp_path / 'home'))} sh -c 'echo $$ > {tmp_path}/pid; "
        f"exec {program}'; echo left with $?"
    )
    terminal.key("Enter")
    terminal.until("Answer Workbench", "No runs yet")
    number = getattr(signal, f"SIG{name}")
    os.kill(int((tmp_path / "pid").read_text()), number)
    shown = terminal.until(f"left with {128 + number}")
    assert "Answer Workbench" not in shown, "the alternate screen is left"
    assert terminal.modes() == "0 0 1", "no mouse reports, no alternate screen, a cursor"
