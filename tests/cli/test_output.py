"""`-o` of every command that writes: stdout, and what may not be written over."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.driver import FIXTURES, cli, fixture

STATE = FIXTURES / "states" / "E" / "t1-if-else.json"
APP = fixture("shapes/t1-if-else")
COMMANDS = {
    "heal": ("--app", APP),
    "edit": ("--app", APP, "query=other"),
    "export": (),
    "check": ("--fix", "--dify", "1.15"),
}
pytestmark = pytest.mark.usefixtures("home")


def input_of(command: str, folder: Path) -> Path:
    """A copy of what the command reads."""
    source = APP if command == "check" else STATE
    return Path(shutil.copy(source, folder / source.name))


@pytest.mark.parametrize("command", COMMANDS)
def test_stdout_gets_the_bytes_alone_and_a_file_the_same(tmp_path: Path, command: str) -> None:
    source, file = input_of(command, tmp_path), tmp_path / "out"
    given = COMMANDS[command]
    piped = cli(command, source, *given, "-o", "-")
    told = cli(command, source, *given, "-o", file)
    assert (piped.code, told.code) == (0, 0), piped.err + told.err
    assert piped.out == file.read_text("utf-8")
    if command != "check":
        json.loads(piped.out)
    both = cli(command, source, *given, "-o", "-", "--json")
    assert both.code == 2
    assert "both take stdout" in both.err


@pytest.mark.parametrize("command", COMMANDS)
def test_the_input_and_a_device_are_left_alone(tmp_path: Path, command: str) -> None:
    source = input_of(command, tmp_path)
    before = source.read_bytes()
    for output, why in ((source, "itself"), (Path("/dev/null"), "no regular file"), (tmp_path, "a folder")):
        done = cli(command, source, *COMMANDS[command], "-o", output)
        assert done.code == 2, (done.out, done.err)
        assert why in done.err
    assert source.read_bytes() == before
    assert Path("/dev/null").is_char_device()
