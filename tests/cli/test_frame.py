"""Exit codes, messages, help: what every command shares."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.driver import FIXTURES, ROOT, WORKBENCH, cli, fixture, process, start
from workbench.actions import ACTIONS
from workbench.cli import frame
from workbench.errors import WorkbenchError

T1 = fixture("shapes/t1-if-else")


def test_help_names_every_verb_that_works() -> None:
    done = cli("--help")
    assert done.code == 0
    for action in ACTIONS:
        assert (f"  {action.name} " in done.out) is not action.hidden


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.name)
def test_every_verb_has_its_own_help_and_function(action: Any) -> None:
    done = cli(action.name, "--help")
    assert done.code == 0
    assert done.out.startswith(f"Usage: workbench {action.name}")
    assert callable(action.load_verb())
    assert action.help.endswith(".")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["rnu"], "Did you mean 'run'?"),
        (["run"], "Missing argument 'APP'"),
        (["run", "x.yml", "--qery", "hi"], "--query"),
        (["run", str(T1), "--kernel", "grafon-0.8"], "graphon-0.8"),
        (["run", str(T1), "--input", "colour"], "name=value"),
        (["run", str(T1), "--input", "colour=red"], "colour"),
        (["run", str(T1), "--break-before", "hun"], "Did you mean 'hum'?"),
        (["run", str(T1), "--run-id", "../x"], "can't be a run's id"),
        (["run", str(T1), "--model", "localhost"], "no address of a model"),
        (["runs", "--status", "pased"], "Did you mean 'paused'?"),
        (["why"], "workbench why ID|FILE"),
        (["check", str(T1), "--dify", "one"], "1.15.0"),
        (["export", "x"], "Missing option '-o'"),
        (["kernels", "install", "graphon-0.9"], "graphon-0.8"),
        (["open", "x.yml"], "needs a terminal"),
        ([], "needs a terminal"),
    ],
)
def test_wrong_usage_is_told_with_what_is_right(arguments: list[str], told: str, home: Path) -> None:
    done = cli(*arguments)
    assert done.code == 2, done.err
    assert told in done.err
    assert done.out == ""
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "nothere.yml"],
        ["show", "nothing"],
        ["why", "nothing"],
        ["why", "nothere.json", "--app", str(T1)],
        ["resume", "nothing", "--action", "approve"],
        ["export", "nothing", "-o", "x"],
        ["check", "nothere.yml"],
        ["import", "nothere.yml"],
    ],
)
def test_what_is_not_there_is_an_error_of_its_own(
    arguments: list[str], home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = cli(*arguments)
    assert done.code == 1
    assert done.err.startswith("error: ")
    assert "Traceback" not in done.err


def test_an_error_tells_title_cause_and_next_step_without_control_codes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    frame.print_error(WorkbenchError("a\x1b[31m", "b\u202e\nb2", "c " + "sk-" + "a1B2" * 8))
    assert capsys.readouterr().err == "error: a␛[31m\n  b<U+202E>\n  b2\n  → c ••••••\n"


def test_an_unforeseen_error_is_one_message(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("nobody saw this coming")

    monkeypatch.setattr("workbench.verbs.runs.runs", fail)
    done = cli("runs")
    assert done.code == 1
    assert "ZeroDivisionError: nobody saw this coming (test_frame.py:" in done.err
    assert "Traceback" not in done.err


def test_an_unreadable_store_is_one_message(home: Path) -> None:
    bad = home / "bad.duckdb"
    bad.write_bytes(b"not a database" * 1000)
    done = cli("runs", "--store", bad)
    assert done.code == 1
    assert done.err.startswith("error: ")
    assert bad.read_bytes().startswith(b"not a database")


def test_another_store_before_or_after_the_verb(home: Path, tmp_path: Path) -> None:
    assert cli("runs", "--json", "--store", tmp_path / "a.duckdb").json["runs"] == []
    assert cli("--store", tmp_path / "b.duckdb", "runs", "--json").json["runs"] == []
    assert (tmp_path / "a.duckdb").exists() == (tmp_path / "b.duckdb").exists()
    assert not (home / "workbench.duckdb").exists()


def test_who_stops_reading_causes_no_message(home: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*WORKBENCH, "--help"], stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert done.stderr == b""


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_do_not_matter(closed: str, home: Path, tmp_path: Path) -> None:
    command = f'exec "$@" {closed}'
    done = subprocess.run(
        ["sh", "-c", command, "-", *WORKBENCH, "import", T1], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert cli("check", T1).code in (0, 4)


def test_a_poor_locale_does_not_stop_the_output(home: Path, tmp_path: Path) -> None:
    app = tmp_path / "ünï.yml"
    app.write_bytes(T1.read_bytes().replace(b"T1 if-else upstream", "Größe 你好".encode()))
    done = process("import", app, env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"})
    assert done.code == 0, done.err
    assert "app" in done.out


def test_the_package_runs_as_a_module() -> None:
    assert process("--version").out.startswith("workbench ")
    done = subprocess.run([WORKBENCH[0], "-m", "workbench.cli", "--version"], capture_output=True, text=True)
    assert done.stdout.startswith("workbench ")


def test_json_is_documented() -> None:
    text = (ROOT / "docs" / "json.md").read_text()
    for name in ("run", "resume", "why", "check", "show", "runs", "import", "export", "heal", "kernels"):
        assert f"`{name}`" in text


def test_numbers_that_json_lacks_are_still_json(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    from workbench.cli.output import print_json

    print_json({"a": float("nan"), "b": [float("inf")], "c": 1.5})
    found = json.loads(capsysbinary.readouterr().out, parse_constant=lambda name: pytest.fail(name))
    assert found == {"a": None, "b": [None], "c": 1.5}


def test_who_stops_reading_ends_it_quietly(home: Path) -> None:
    started = start("show", FIXTURES / "states" / "E" / "every-type.json")
    assert started.stdout is not None
    assert started.stderr is not None
    started.stdout.close()
    assert (started.wait(30), started.stderr.read()) == (141, b"")
