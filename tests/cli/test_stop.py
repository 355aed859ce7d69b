"""Ctrl-C, kills, and the terminal afterwards."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.driver import cli, fixture, start
from tests.cli.terminal import SECONDS, Terminal

pytestmark = pytest.mark.kernel
APP = fixture("shapes/t5-parallel-llm")
StartIn = Callable[..., Terminal]


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    """A script whose model says a word, then waits for a minute."""
    file = tmp_path / "slow.yml"
    file.write_text("nodes: {llm: {chunks: ['one ', 'two ', three], delay: 60}}")
    return file


@pytest.fixture
def terminal() -> Iterator[Callable[..., Terminal]]:
    """Starts commands in terminals of their own."""
    opened: list[Terminal] = []

    def start_in_terminal(*arguments: str | Path, **options: Any) -> Terminal:
        opened.append(Terminal(*arguments, **options))
        return opened[-1]

    yield start_in_terminal
    for each in opened:
        each.close()


def last_run() -> dict[str, Any]:
    found: dict[str, Any] = cli("runs", "--json", "--limit", "1").json["runs"][0]
    return found


def test_ctrl_c_stops_the_run_and_leaves_the_terminal_as_it_was(
    home: Path, slow: Path, terminal: StartIn
) -> None:
    shown = terminal("run", APP, "--script", slow)
    shown.wait_for(b"llm said one")
    shown.press(b"\x03")
    assert shown.end() == 130
    assert b"\x1b[?25l" in shown.seen
    assert shown.intact
    assert b"Traceback" not in shown.seen
    run = last_run()
    assert (run["status"], run["interrupted"]) == ("stopped", False)


def test_two_ctrl_c_in_a_row_end_it_too(home: Path, slow: Path, terminal: StartIn) -> None:
    shown = terminal("run", APP, "--script", slow)
    shown.wait_for(b"llm said one")
    shown.press(b"\x03\x03")
    assert shown.end() == 130
    assert shown.intact
    assert b"Traceback" not in shown.seen
    assert last_run()["status"] == "stopped"


def test_no_color_means_no_colours_but_still_a_picture(home: Path, terminal: StartIn) -> None:
    shown = terminal("run", fixture("shapes/c0-control"), NO_COLOR="1")
    assert shown.end() == 3
    assert b"\x1b[3" not in shown.seen.replace(b"\x1b[?", b"")
    assert "⏸".encode() in shown.seen


def test_a_tall_graph_fits_a_small_screen(home: Path, slow: Path, terminal: StartIn) -> None:
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


@pytest.mark.parametrize("arguments", [["start"], [], ["open", str(fixture("shapes/c0-control"))]])
def test_the_tui_opens_in_a_terminal_and_leaves_it_intact(
    arguments: list[str], home: Path, terminal: StartIn
) -> None:
    shown = terminal(*arguments, columns=120, rows=36)
    shown.wait_for(b"Help")
    shown.press(b"\x11")  # Ctrl-Q, which no text field takes
    assert shown.end() == 0
    assert shown.intact
    assert b"Traceback" not in shown.seen
