"""`workbench check --fix` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.driver import cli
from tests.conftest import REPOSITORY

APP = REPOSITORY / "fixtures" / "shapes" / "t4-assigned-variable" / "app.yml"


@pytest.mark.kernel
def test_the_change_is_written_and_told(tmp_path: Path, home: Path) -> None:
    to = tmp_path / "fixed.yml"
    done = cli("check", APP, "--dify", "1.15.0", "--fix", "-o", to, "--json")
    assert (done.code, done.json["output"]) == (0, str(to))
    (one,) = done.json["fixes"]
    assert one["edges_added"] == ["start-source-hum-target"]
    assert done.json["proof"]["all_shown"] is True
    assert done.json["faithful"] is True
    assert cli("check", APP, "--dify", "1.15.0").code == 4
    assert cli("check", to, "--dify", "1.15.0").code == 0


@pytest.mark.kernel
def test_without_a_file_it_is_only_told(home: Path) -> None:
    done = cli("check", APP, "--fix")
    assert done.code == 0
    assert "Draw one more edge" in done.out
    assert "Nothing was written; -o FILE writes the changed app" in done.out


def test_the_app_itself_is_written_over_only_when_asked(tmp_path: Path, home: Path) -> None:
    app = tmp_path / "app.yml"
    app.write_bytes(APP.read_bytes())
    refused = cli("check", app, "--fix", "-o", app)
    assert refused.code == 2
    assert "--in-place" in refused.err
    assert app.read_bytes() == APP.read_bytes()
    assert cli("check", app, "--fix", "--in-place", "-o", tmp_path / "b.yml").code == 2
    assert cli("check", app, "-o", tmp_path / "b.yml").code == 2
    assert cli("check", "nothing", "--fix", "--in-place").code == 2


def test_nothing_to_change(tmp_path: Path, home: Path) -> None:
    to = tmp_path / "fixed.yml"
    done = cli("check", APP, "--dify", "1.16.0", "--fix", "-o", to)
    assert done.code == 0
    assert "Nothing to change. Dify 1.16.0 keeps the gate's state" in done.out
    assert not to.exists()


def test_all_findings_are_listed(home: Path) -> None:
    told = cli("why", "--explain")
    assert told.code == 0
    assert "answer-unreachable\n    An Answer (or End) that can't run" in told.out
    listed = cli("why", "--explain", "--json").json["codes"]
    assert [each["code"] for each in listed] == sorted(each["code"] for each in listed)
    assert cli("why", "--explain", "answer-replayed").out.startswith("# answer-replayed")
