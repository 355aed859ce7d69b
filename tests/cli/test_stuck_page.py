"""docs/stuck.md: every command in it works as it stands."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.driver import cli
from tests.conftest import CACHE, REPOSITORY

PAGE = (REPOSITORY / "docs" / "stuck.md").read_text()
COMMANDS = [
    shlex.split(line)[1:]
    for kind, block in re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    if not kind
    for line in block.splitlines()
]
ENDS = [
    *[("why", 4)] * 2, ("show", 0), ("replay", 0),  # a recorded stream
    ("show", 0), ("why", 4), ("heal", 0), ("resume", 0),  # a pause file
    ("run", 3), ("runs", 0), ("why", 0), ("why", 4), ("resume", 0), ("why", 4), ("resume", 0),  # a stored run
    ("check", 4), ("check", 0), ("run", 3),  # only the app
]  # fmt: skip
"""The exit codes of the page's commands, in their order."""


@pytest.mark.kernel
@pytest.mark.timeout(120)
def test_the_commands_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(CACHE))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fixtures").symlink_to(REPOSITORY / "fixtures")
    assert [command[0] for command in COMMANDS] == [verb for verb, _ in ENDS]
    for command, (_, code) in zip(COMMANDS, ENDS, strict=True):
        done = cli(*command, "--store", tmp_path / "store.duckdb")
        assert done.code == code, (command, done)


def test_every_section_that_the_table_names_is_there() -> None:
    headings = {
        re.sub(r"[^\w -]", "", each).replace(" ", "-").lower()
        for each in re.findall(r"^## (.*)$", PAGE, re.M)
    }
    assert set(re.findall(r"\]\(#([\w-]+)\)", PAGE)) == headings
