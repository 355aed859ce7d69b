"""`tools/find-python` against made-up machines: folders of programs that pretend to be Pythons."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SYSTEM_PLACES = ("/usr/local/bin", "/opt/homebrew/bin", "/usr/bin", "/opt/python/", "/Library/")

FIT = 'echo "$0"'
OLD = "exit 3"
DEAD = "echo 'pyenv: python: command not found' >&2; exit 127"
NO_VENV = 'echo "$0 has no module ensurepip"; exit 4'


class Machine:
    """A machine with nothing on it but what a test puts there."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.path: list[str] = []
        self.variables: dict[str, str] = {"HOME": str(root / "home")}
        text = (ROOT / "tools" / "find-python").read_text()
        for place in SYSTEM_PLACES:
            text = text.replace(place, f"{root}/nowhere{place}")
        self.script = root / "find-python"
        self.script.write_text(text)

    def program(self, name: str, body: str) -> str:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return str(path)

    def on_path(self, *folders: str) -> None:
        self.path += [str(self.root / folder) for folder in folders]

    def find(self) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": os.pathsep.join(self.path), **self.variables}
        return subprocess.run(["/bin/sh", str(self.script)], env=environment, capture_output=True, text=True)

    def found(self) -> str:
        done = self.find()
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_nothing_there_gives_one_message(machine: Machine) -> None:
    done = machine.find()
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("The workbench needs Python 3.12 or 3.13")
    assert "make start PYTHON=" in done.stderr


def test_python_variable_wins(machine: Machine) -> None:
    machine.program("bin/python3.12", FIT)
    machine.on_path("bin")
    machine.variables["PYTHON"] = machine.program("mine/python", FIT)
    assert machine.found() == str(machine.root / "mine/python")


def test_python_variable_may_be_a_name(machine: Machine) -> None:
    machine.program("bin/python3.12", FIT)
    fit = machine.program("bin/python3.13", FIT)
    machine.on_path("bin")
    machine.variables["PYTHON"] = "python3.13"
    assert machine.found() == fit


def test_an_unfit_python_variable_is_told(machine: Machine) -> None:
    fit = machine.program("bin/python3.13", FIT)
    machine.on_path("bin")
    machine.variables["PYTHON"] = machine.program("old/python", OLD)
    done = machine.find()
    assert done.stdout.strip() == fit
    assert "old/python is not a usable Python" in done.stderr


def test_an_old_default_and_a_dead_shim_are_passed_over(machine: Machine) -> None:
    machine.program("shims/python3.12", DEAD)
    machine.program("usr/python3", OLD)
    fit = machine.program("later/python3.12", FIT)
    machine.on_path("shims", "usr", "later")
    assert machine.found() == fit


def test_a_plain_python3_of_the_right_version_is_enough(machine: Machine) -> None:
    fit = machine.program("bin/python3", FIT)
    machine.on_path("bin")
    assert machine.found() == fit


@pytest.mark.parametrize(
    ("place", "variable"),
    [
        ("home/.pyenv/versions/3.12.1/bin/python3", None),
        ("home/.local/share/uv/python/cpython-3.13.2-linux-x86_64-gnu/bin/python3", None),
        ("home/.local/share/mise/installs/python/3.12.9/bin/python", None),
        ("home/.asdf/installs/python/3.13.0/bin/python3", None),
        ("pyenv/versions/3.13.0/bin/python", ("PYENV_ROOT", "pyenv")),
        ("uvs/cpython-3.12.4-macos-aarch64-none/bin/python3", ("UV_PYTHON_INSTALL_DIR", "uvs")),
        ("data/uv/python/cpython-3.12-linux-x86_64-gnu/bin/python3", ("XDG_DATA_HOME", "data")),
    ],
)
def test_other_places(machine: Machine, place: str, variable: tuple[str, str] | None) -> None:
    fit = machine.program(place, FIT)
    if variable:
        machine.variables[variable[0]] = str(machine.root / variable[1])
    assert machine.found() == fit


@pytest.mark.parametrize("ending", ["shims", "shims/"])
def test_beside_a_shims_folder_on_path(machine: Machine, ending: str) -> None:
    machine.program("opt/pyenv/shims/python3", DEAD)
    fit = machine.program("opt/pyenv/versions/3.12.7/bin/python3", FIT)
    machine.path = [f"{machine.root}/opt/pyenv/{ending}"]
    assert machine.found() == fit


def test_a_python_without_ensurepip_is_named(machine: Machine) -> None:
    machine.program("bin/python3.12", NO_VENV)
    machine.on_path("bin")
    done = machine.find()
    assert done.returncode == 1
    assert "bin/python3.12 has no module ensurepip" in done.stderr
    assert "python3.12-venv" in done.stderr


@pytest.mark.parametrize("home", [None, ""])
def test_no_home_is_no_trouble(machine: Machine, home: str | None) -> None:
    fit = machine.program("bin/python3.13", FIT)
    machine.on_path("bin")
    machine.variables.pop("HOME")
    if home is not None:
        machine.variables["HOME"] = home
    assert machine.found() == fit


def test_folders_with_spaces(machine: Machine) -> None:
    fit = machine.program("my programs/python3.12", FIT)
    machine.on_path("my programs")
    assert machine.found() == fit


def test_uv_finds_or_fetches_as_the_last_resort(machine: Machine) -> None:
    fit = machine.program("elsewhere/python3.12", FIT)
    machine.program("bin/uv", f'case "$2" in find) echo "{fit}" ;; esac')
    machine.on_path("bin")
    assert machine.found() == fit


def test_a_real_environment_gives_its_base(machine: Machine) -> None:
    """`.venv/bin` on PATH must not become the base of a new `.venv`."""
    machine.path = [str(Path(sys.executable).parent)]
    assert not machine.found().startswith(sys.prefix + os.sep)


def test_a_program_that_hangs_is_passed_over(machine: Machine) -> None:
    """Its child keeps what it inherited open for long; nobody waits for that."""
    machine.variables["FIND_PYTHON_SECONDS"] = "1"
    machine.program("shims/python3.12", "/bin/sleep 30; echo late")
    machine.on_path("shims")
    began = time.monotonic()
    done = machine.find()
    assert done.returncode == 1
    assert f"{machine.root}/shims/python3.12 did not answer within 1 seconds" in done.stderr
    fit = machine.program("bin/python3.12", FIT)
    machine.on_path("bin")
    assert machine.found() == fit
    assert time.monotonic() - began < 10
