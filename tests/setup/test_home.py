"""Where the workbench keeps its data."""

from __future__ import annotations

import pwd
from pathlib import Path

import pytest

from workbench.errors import WorkbenchError
from workbench.home import chosen_home, home, kernels_dir, store_path


def test_workbench_home_is_made_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "a" / "b"))
    assert home() == tmp_path / "a" / "b"
    assert store_path() == tmp_path / "a" / "b" / "workbench.duckdb"
    assert kernels_dir().parent == home()
    assert [oct(path.stat().st_mode & 0o777) for path in (home(), kernels_dir(), tmp_path / "a")] == [
        "0o700"
    ] * 3


def test_a_relative_home_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WORKBENCH_HOME", "here")
    assert home() == tmp_path / "here"


@pytest.mark.parametrize("value", [None, ""])
def test_the_platforms_folder_is_the_default(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKBENCH_HOME")
    if value is not None:
        monkeypatch.setenv("WORKBENCH_HOME", value)
    monkeypatch.setenv("HOME", "/home/somebody")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert chosen_home().name == "answer-workbench"
    assert chosen_home().is_relative_to("/home/somebody")


@pytest.mark.parametrize("value", [None, ""])
def test_without_home_the_account_tells(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKBENCH_HOME")
    monkeypatch.delenv("HOME")
    if value is not None:
        monkeypatch.setenv("HOME", value)
    account = pwd.struct_passwd(("me", "x", 1, 1, "", "/home/me", "/bin/sh"))
    monkeypatch.setattr(pwd, "getpwuid", lambda _: account)
    assert chosen_home() == Path("/home/me/.local/share/answer-workbench")


def test_without_home_and_account_the_error_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_: int) -> pwd.struct_passwd:
        raise KeyError

    monkeypatch.delenv("WORKBENCH_HOME")
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    with pytest.raises(WorkbenchError) as caught:
        home()
    assert "WORKBENCH_HOME" in caught.value.next_step


def test_a_file_in_its_place_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "file" / "home"))
    with pytest.raises(WorkbenchError, match="can't be made") as caught:
        home()
    assert "WORKBENCH_HOME" in caught.value.next_step
