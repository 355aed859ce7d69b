"""Ctrl-C, kills, and the terminal afterwards."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.driver import WORKBENCH, cli, fixture, start

pytestmark = pytest.mark.kernel
APP = fixture("shapes/t5-parallel-llm")
SECONDS = 60


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    """A script whose model says a word, then waits for a minute."""
    file = tmp_path / "slow.yml"
    file.write_text("nodes: {llm: {chunks: ['one ', 'two ', three], delay: 60}}")
    return file


@dataclass
class Terminal:
    """A command in a terminal of its own."""

    pid: int
    screen: int
    settings: list[Any]
    seen: bytes = b""

    def wait_for(self, text: bytes) -> None:
        end = time.monotonic() + SECONDS
        while text not in self.seen:
            assert time.monotonic() < end, self.seen
            self._read()

    def press(self, keys: bytes) -> None:
        os.write(self.screen, keys)

    def end(self) -> int:
        """Read to the end; the exit code."""
        while self._read():
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _read(self) -> bool:
        if not select.select([self.screen], [], [], SECONDS)[0]:
            raise AssertionError(f"nothing more came: {self.seen!r}")
        try:
            got = os.read(self.screen, 65536)
        except OSError:  # Linux: the other side has closed
            return False
        self.seen += got
        return bool(got)


def terminal(*arguments: str | Path, rows: int = 24, columns: int = 80, **environment: str) -> Terminal:
    # Passed whole: the readline module sets LINES and COLUMNS where os.environ can't see them.
    variables = {**os.environ, "TERM": "xterm-256color", **environment}
    pid, screen = pty.fork()
    if pid == 0:
        os.execve(sys.executable, [*WORKBENCH, *map(str, arguments)], variables)
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    return Terminal(pid, screen, termios.tcgetattr(screen))


def last_run() -> dict[str, Any]:
    found: dict[str, Any] = cli("runs", "--json", "--limit", "1").json["runs"][0]
    return found


def test_ctrl_c_stops_the_run_and_leaves_the_terminal_as_it_was(home: Path, slow: Path) -> None:
    shown = terminal("run", APP, "--script", slow)
    shown.wait_for(b"llm said one")
    shown.press(b"\x03")
    settings = termios.tcgetattr(shown.screen)
    assert shown.end() == 130
    assert settings == shown.settings
    assert shown.seen.rfind(b"\x1b[?25h") > shown.seen.rfind(b"\x1b[?25l")  # the cursor is back
    assert b"Traceback" not in shown.seen
    run = last_run()
    assert (run["status"], run["interrupted"]) == ("stopped", False)


def test_two_ctrl_c_in_a_row_end_it_too(home: Path, slow: Path) -> None:
    shown = terminal("run", APP, "--script", slow)
    shown.wait_for(b"llm said one")
    shown.press(b"\x03\x03")
    assert shown.end() == 130
    assert b"Traceback" not in shown.seen
    assert last_run()["status"] == "stopped"


def test_no_color_means_no_colours_but_still_a_picture(home: Path) -> None:
    shown = terminal("run", fixture("shapes/c0-control"), NO_COLOR="1")
    assert shown.end() == 3
    assert b"\x1b[3" not in shown.seen.replace(b"\x1b[?", b"")
    assert "⏸".encode() in shown.seen


def test_a_tall_graph_fits_a_small_screen(home: Path, slow: Path) -> None:
    shown = terminal("run", fixture("containers/loop"), rows=5, columns=40)
    assert shown.end() == 0
    assert b"nodes before" in shown.seen


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_without_a_terminal_stops_the_run(number: signal.Signals, home: Path, slow: Path) -> None:
    running = start("run", APP, "--script", slow, "--json")
    wait_for_line(running, b"llm said")
    running.send_signal(number)
    out, err = running.communicate(timeout=SECONDS)
    assert running.returncode == 128 + number, err
    result = json.loads(out)
    assert result["status"] == "stopped"
    assert result["streamed"].startswith("llm said one")
    assert last_run()["status"] == "stopped"


def test_a_killed_command_leaves_an_interrupted_run_with_all_that_it_told(home: Path, slow: Path) -> None:
    running = start("run", APP, "--script", slow, "--run-id", "killed")
    wait_for_line(running, b"done      Start")
    running.kill()
    running.wait()
    run = last_run()
    assert run["run_id"] == "killed"
    assert run["interrupted"] is True
    shown = cli("show", "killed", "--json").json
    assert shown["status"]["start"] == "succeeded"
    assert cli("runs", "--status", "interrupted", "--json").json["runs"][0]["run_id"] == "killed"
    assert "interrupted" in cli("runs").out


def wait_for_line(running: Any, text: bytes) -> None:
    """Read stderr up to a line with `text`."""
    for line in running.stderr:
        if text in line:
            return
    raise AssertionError(f"it ended without {text!r}")
