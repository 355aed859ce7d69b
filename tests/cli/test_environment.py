"""`run --env`: environment variables for one run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.driver import cli, fixture

pytestmark = [pytest.mark.kernel, pytest.mark.usefixtures("home", "warm_kernels")]
APP = fixture("nodes/environment")
SECRET = "my-own-s3cret"


def with_base(tmp_path: Path, kind: str, value: str) -> Path:
    """The app with another type and value of `base`, which its answer says."""
    before = "value_type: string\n      value: example.test"
    text = APP.read_text()
    assert before in text
    made = tmp_path / "app.yml"
    made.write_text(text.replace(before, f"value_type: {kind}\n      value: {value}"))
    return made


def test_a_value_counts_for_this_run_only() -> None:
    given = cli("run", APP, "--env", "base=mine.test", "--json", "-q").json
    assert (given["answer"], given["streamed"]) == ("mine.test kept", "mine.test kept")
    shown = cli("show", given["run_id"], "--json", "--unmask").json
    assert shown["variables"]["env"]["base"] == "mine.test"
    assert cli("run", APP, "--json", "-q").json["answer"] == "example.test kept"


def test_it_is_there_on_every_engine_and_in_a_conversation() -> None:
    everywhere = cli("run", APP, "--env", "base=b", "--kernel", "all", "--json", "-q").json
    assert {run["streamed"] for run in everywhere["runs"]} == {"b kept"}
    turn = cli("run", APP, "--env", "base=b", "--conversation", "talk", "--json", "-q").json
    assert turn["streamed"] == "b kept"


def test_a_resume_and_a_fork_go_on_with_it() -> None:
    run = cli("run", APP, "--env", "base=b", "--break-before", "show", "--json", "-q").json
    assert cli("resume", run["run_id"], "--json", "-q").json["streamed"] == "b kept"
    fork = cli("fork", run["run_id"], "--step", "4", "--json", "-q")
    assert fork.code == 0, fork.err
    assert fork.json["answer"] == "b kept"


def test_a_secret_that_was_given_is_masked(tmp_path: Path) -> None:
    app = with_base(tmp_path, "secret", "''")
    run = cli("run", app, "--env", f"base={SECRET}", "--json")
    assert run.code == 0
    assert run.json["streamed"] == "•••••• kept"
    run_id = run.json["run_id"]
    for done in (run, cli("run", app, "--env", f"base={SECRET}"), cli("show", run_id), cli("why", run_id)):
        assert SECRET not in done.out + done.err
    shown = cli("run", app, "--env", f"base={SECRET}", "--json", "-q", "--unmask")
    assert shown.json["streamed"] == f"{SECRET} kept"


def test_what_does_not_fit_is_refused_before_anything_runs(tmp_path: Path) -> None:
    number = with_base(tmp_path, "number", "3")
    for given, told in (
        ("bass=1", "It has: base, key."),
        ("base=abc", "It is a number"),
        ("base", "--env takes name=value"),
    ):
        done = cli("run", number, "--env", given, "-q")
        assert done.code == 2
        assert told in done.err
    assert cli("runs", "--json").json["runs"] == []
    assert cli("run", number, "--env", "base=42", "--json", "-q").json["answer"] == "42 kept"
