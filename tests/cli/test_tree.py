"""`runs --tree`: forks below the runs they were made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.driver import cli, fixture

pytestmark = [pytest.mark.kernel, pytest.mark.usefixtures("home", "warm_kernels")]


def resume(run_id: str, *more: str) -> str:
    done = cli("resume", run_id, "--action", "approve", "--json", *more)
    assert done.code in (0, 3), done.err
    return str(done.json["run_id"])


def test_a_family_and_a_stranger() -> None:
    cli("run", fixture("shapes/t2-two-pauses"), "--run-id", "one")
    resume("one")
    middle = resume("one")
    pause = cli("runs", "--json").json["runs"][-1]["run_id"]
    assert pause == "one"
    resume("one", "--run-id", "zebra")
    cli("run", fixture("shapes/c0-control"), "--run-id", "stranger")
    rows = cli("runs", "--tree", "--json").json["runs"]
    lines = {row["run_id"]: row["lineage"] for row in rows}
    assert lines["one"] == lines["stranger"] == []
    assert all(line[-1] == "one" for run_id, line in lines.items() if run_id not in ("one", "stranger"))
    assert rows[0]["run_id"] == "stranger"
    assert middle in (*lines, "one")
    shown = cli("runs", "--tree").out.splitlines()
    assert len(shown) == len(rows)
    assert [line for line in shown if line.startswith(("├─", "└─"))]
    found = cli("runs", "--tree", "--search", "zebra", "--json").json["runs"]
    assert [(row["run_id"], row["found"]) for row in found] == [("one", False), ("zebra", True)]


def test_a_fork_whose_run_is_in_another_store(tmp_path: Path) -> None:
    assert cli("runs", "--tree", "--store", tmp_path / "empty.db").out == "No runs.\n"
