"""`tools/setup.py`: what is kept, what is made anew, and what pip and uv are asked for."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import venv
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCK = """
[[package]]
name = "uv"
version = "1.2.3"
wheels = [{ hash = "sha256:aa" }, { hash = "sha256:bb" }]
"""


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The program, with `venv.create` making a folder with a link to this interpreter, quickly."""
    spec = importlib.util.spec_from_file_location("setup_program", ROOT / "tools" / "setup.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)

    def create(folder: Path, **_: Any) -> None:
        (folder / "bin").mkdir(parents=True)
        (folder / "bin" / "python").symlink_to(sys.executable)
        (folder / "new").touch()

    monkeypatch.setattr(venv, "create", create)
    monkeypatch.delenv("CI", raising=False)
    return loaded


@pytest.fixture
def checkout(module: ModuleType, tmp_path: Path) -> Any:
    """A made environment, with a uv of the locked version."""
    (tmp_path / "uv.lock").write_text(LOCK)
    made = module.Setup(tmp_path)
    made.make_environment()
    (made.venv / "new").unlink()
    program(made.uv, 'echo "uv 1.2.3 (somewhere)"')
    return made


def program(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def made_anew(checkout: Any) -> bool:
    checkout.make_environment()
    return (checkout.venv / "new").exists()


def test_what_works_is_kept(checkout: Any) -> None:
    assert not made_anew(checkout)


def test_a_moved_environment_is_made_anew(checkout: Any) -> None:
    checkout.made_in.write_text("/another/place")
    assert made_anew(checkout)


def test_a_dead_interpreter_is_made_anew(checkout: Any) -> None:
    checkout.python.unlink()
    checkout.python.symlink_to("/nonexistent/python3.12")
    assert made_anew(checkout)


def test_another_python_version_is_made_anew(checkout: Any) -> None:
    checkout.python.unlink()
    program(checkout.python, "exit 1")
    assert made_anew(checkout)


def test_an_environment_killed_before_it_had_pip_is_made_anew(
    checkout: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout.uv.unlink()
    monkeypatch.setattr(type(checkout), "has_tools", lambda _: False)
    assert made_anew(checkout)


def test_the_locked_uv_is_kept(checkout: Any, module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "run_first", lambda *_: pytest.fail("nothing is to be fetched"))
    checkout.bring_uv()


def test_another_uv_is_replaced_by_hash(
    checkout: Any, module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def run_first(commands: list[list[Any]], *_: Any) -> None:
        asked.append(Path(commands[0][-1]).read_text())
        assert {"--require-hashes", "--no-deps", "--only-binary=:all:"} <= set(commands[0])

    monkeypatch.setattr(module, "run_first", run_first)
    program(checkout.uv, 'echo "uv 1.2.2"')
    checkout.bring_uv()
    assert asked == ["uv==1.2.3 --hash=sha256:aa --hash=sha256:bb"]


def test_without_pips_network_a_uv_on_path_serves(
    checkout: Any, module: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "other-uv"
    program(other, "echo uv 9")
    checkout.uv.unlink()
    monkeypatch.setattr(module, "run_first", lambda *_: "no network")
    monkeypatch.setattr(shutil, "which", lambda _: str(other))
    checkout.bring_uv()
    assert checkout.uv.read_text() == other.read_text()


@pytest.mark.parametrize(
    ("what", "ci", "flags"),
    [
        ("start", "", {"--frozen", "--no-dev", "--inexact"}),
        ("test", "", {"--frozen"}),
        ("test", "true", {"--locked"}),
    ],
)
def test_sync_asks_offline_first(
    checkout: Any, module: ModuleType, monkeypatch: pytest.MonkeyPatch, what: str, ci: str, flags: set[str]
) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(module, "run_first", lambda commands, *_: asked.extend(commands))
    if ci:
        monkeypatch.setenv("CI", ci)
    checkout.sync(what)
    first, second = ({str(word) for word in command} for command in asked)
    assert first - second == {"--offline"}
    chosen = {"--frozen", "--locked", "--no-dev", "--inexact"} & second
    assert chosen == flags


def test_after_a_killed_sync_all_is_installed_again(
    checkout: Any, module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "run_first", killed)
    with pytest.raises(KeyboardInterrupt):
        checkout.sync("start")
    monkeypatch.setattr(module, "run_first", lambda commands, *_: asked.extend(commands))
    checkout.sync("start")
    checkout.sync("start")
    assert ["--reinstall" in command for command in asked] == [True, True, False, False]


def test_a_failure_is_told_with_the_tools_words(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def make(*_: Any) -> None:
        raise module.SetupError("uv could not be fetched.", "one\ntwo\nthree\nfour\nfive")

    monkeypatch.setattr(module.Setup, "make", make)
    assert module.main("start") == 1
    said = capsys.readouterr().err
    assert said.startswith("uv could not be fetched.\n  two\n")
    assert "The first set-up needs a network" in said


def test_a_home_that_cant_be_written_is_not_called_a_missing_network(module: ModuleType) -> None:
    told = module.advice("error: Failed to initialize cache at `/x/.cache/uv`\n  cause: Permission denied")
    assert "UV_CACHE_DIR" in told
    assert "network" not in told
    assert "network" in module.advice("error: dns error")


def test_run_first_stops_at_the_first_success(module: ModuleType, tmp_path: Path) -> None:
    fail, succeed, never = (["sh", "-c", body] for body in ("echo no >&2; exit 1", "exit 0", "touch never"))
    assert module.run_first([fail, succeed, never], tmp_path) is None
    assert not (tmp_path / "never").exists()
    assert module.run_first([fail], tmp_path) == "no"
