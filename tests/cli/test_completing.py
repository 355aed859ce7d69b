"""What Tab offers: asked as a shell asks, and by a real bash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.driver import FIXTURES, ROOT
from workbench.store import Store
from workbench.verbs.target import read_target

PAUSE = FIXTURES / "states" / "C" / "t1-if-else.json"
BREAKS = " \t\n\"'@><=;|&(:"


def offered(line: str, home: Path, breaks: str = "") -> list[str]:
    """What is offered at the end of a line by a shell that breaks words at `breaks`."""
    asked = {"_WORKBENCH_COMPLETE": "bash_complete", "COMP_LINE": line, "COMP_BREAKS": breaks}
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; sys.argv[0] = 'workbench'; import workbench.cli as c; c.main([])",
        ],
        env={**os.environ, "WORKBENCH_HOME": str(home), **asked},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def plain(*names: str) -> list[str]:
    return [f"plain,{name}" for name in names]


def test_targets_of_the_pause_that_was_named(tmp_path: Path) -> None:
    line = f"workbench edit {PAUSE} "
    assert offered(line + "sys.q", tmp_path) == plain("sys.query=")
    assert {"plain,gate:taken=", "plain,gate:other.index="} <= set(offered(line + "gate:", tmp_path))
    assert offered(line + "--unset sys.q", tmp_path) == plain("sys.query")
    assert offered(line + "--targets sys.q", tmp_path) == plain("sys.query")
    assert offered(line + "sys.query=a sys.q", tmp_path) == plain("sys.query=")


def test_a_word_that_bash_breaks_is_completed_from_its_last_part(tmp_path: Path) -> None:
    line = f"workbench edit {PAUSE} gate:other.i"
    assert offered(line, tmp_path, BREAKS) == plain("other.index=")


def test_many_targets_are_offered_part_by_part(tmp_path: Path) -> None:
    from workbench.cli.completing import MOST_TARGETS, _shortened

    names = {f"node:n{i}.{field}": "" for i in range(MOST_TARGETS) for field in ("state", "title")}
    assert list(_shortened(names, "")) == ["node:"]
    assert list(_shortened(names, "node:n"))[:2] == ["node:n0.", "node:n1."]
    assert dict(_shortened({"a.b": "string"}, "a")) == {"a.b": "string"}


def test_actions_fields_and_nodes_of_the_form_that_waits(tmp_path: Path) -> None:
    line = f"workbench resume {PAUSE} --app {FIXTURES / 'shapes' / 't1-if-else' / 'app.yml'} "
    assert offered(line + "--action ", tmp_path) == plain("approve", "reject", "__timeout")
    assert offered(line + "--action approve --field n", tmp_path) == plain("note=")
    assert offered(line + "--node ", tmp_path) == plain("hum")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("workbench ed", ["edit"]),
        ("workbench resume x --kernel graphon-0.", [f"graphon-0.{n}" for n in (8, 7, 6, 5)]),
        ("workbench run x --kernel a", ["all"]),
        ("workbench fork x --gate f", ["fresh"]),
        ("workbench export x --format ru", ["runtime-state"]),
        ("workbench why --explain parallel-a", ["parallel-answers-order"]),
        ("workbench runs --status pau", ["paused"]),
    ],
)
def test_words(line: str, expected: list[str], tmp_path: Path) -> None:
    found = offered(line, tmp_path)
    assert set(plain(*expected)) <= set(found)
    assert [each for each in found if not each[6:].startswith(line.split()[-1])] == []


def test_ids_of_the_store_with_files(tmp_path: Path) -> None:
    target = read_target(PAUSE)
    found = Store(tmp_path / "workbench.duckdb").put_file(
        target.kind, target.data, target.name, target.detail
    )
    where = f"--store {tmp_path / 'workbench.duckdb'}"
    assert offered(f"workbench edit {where} {found[:5]}", tmp_path) == [f"plain,{found}", f"file,{found[:5]}"]
    assert offered(f"workbench {where} edit {found[:5]}", tmp_path) == [f"plain,{found}", f"file,{found[:5]}"]
    assert offered(f"workbench edit {where} {found} sys.q", tmp_path) == plain("sys.query=")


def test_nothing_is_offered_or_made_where_there_is_nothing(tmp_path: Path) -> None:
    home = tmp_path / "none"
    assert offered("workbench show ab", home) == ["file,ab"]
    assert offered("workbench edit nothing.json ", home) == [""]
    assert offered("workbench edit no-such-id gate:", home) == [""]
    assert not (home / "workbench.duckdb").exists()


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("typed", "replies"),
    [
        (f"workbench edit {PAUSE} gate:other.i", ["other.index="]),
        (f"workbench edit {PAUSE} sys.q", ["sys.query="]),
        ("workbench kern", ["kernels"]),
        (f"workbench show {PAUSE.parent}/t1-", [str(PAUSE)]),
    ],
)
def test_in_a_real_bash(typed: str, replies: list[str], tmp_path: Path) -> None:
    (tmp_path / "workbench").write_text(
        f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m workbench "$@"\n', "utf-8"
    )
    (tmp_path / "workbench").chmod(0o755)
    parts = typed.replace(":", " : ").split(" ")
    script = f"""
        PATH="{tmp_path}:$PATH"
        compopt() {{ :; }}
        eval "$(_WORKBENCH_COMPLETE=bash_source workbench)"
        COMP_LINE={typed!r} COMP_POINT={len(typed)}
        COMP_WORDS=({" ".join(map(repr, parts))}) COMP_CWORD={len(parts) - 1}
        COMP_WORDBREAKS=$' \\t\\n"\\'@><=;|&(:'
        _workbench_completion workbench
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        env={**os.environ, "WORKBENCH_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout.splitlines(), done.stderr) == (replies, "")


def test_names_that_the_app_gives(tmp_path: Path) -> None:
    line = f"workbench run {FIXTURES / 'nodes' / 'environment' / 'app.yml'} "
    assert offered(line + "--env ", tmp_path) == plain("base=", "key=")
    assert offered(line + "--env base=x --env k", tmp_path) == plain("key=")
    example = FIXTURES / "examples" / "refund-approval" / "app.yml"
    assert offered(f"workbench run {example} --input a", tmp_path) == plain("amount=")
    assert offered("workbench run missing.yml --env ", tmp_path) == [""]
