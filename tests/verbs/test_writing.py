"""What a user names to be written: only a regular file is replaced, and never an input."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

import pytest

from workbench.errors import UsageError, WorkbenchError
from workbench.verbs.writing import write_private


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_is_private_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    old.write_text("before")
    old.chmod(0o644)
    for path in (new, old):
        write_private(path, b"data")
        assert path.read_bytes() == b"data"
    assert (mode(new), mode(old)) == (0o600, 0o644)
    assert {path.name for path in tmp_path.iterdir()} == {"new", "old"}


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("before")
    link.symlink_to(real)
    write_private(link, b"data")
    assert link.is_symlink()
    assert real.read_bytes() == b"data"


@pytest.mark.parametrize("kind", ["folder", "pipe", "socket", "device"])
def test_what_is_no_regular_file_is_never_replaced(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "there"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))
    else:
        path = Path("/dev/null")
    before = stat.S_IFMT(path.stat().st_mode)
    with pytest.raises(UsageError, match=f"^{path}"):
        write_private(path, b"data")
    assert stat.S_IFMT(path.stat().st_mode) == before


def test_an_input_is_not_written_over_by_any_name(tmp_path: Path) -> None:
    source, link, hard = tmp_path / "in", tmp_path / "link", tmp_path / "hard"
    source.write_text("kept")
    link.symlink_to(source)
    hard.hardlink_to(source)
    for path in (source, link, hard):
        with pytest.raises(UsageError, match="is the input itself"):
            write_private(path, b"data", source)
    assert source.read_text() == "kept"


def test_errors_name_the_file_that_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match="There is no folder"):
        write_private(tmp_path / "no" / "file", b"")
    long = tmp_path / ("n" * 300)
    with pytest.raises(WorkbenchError) as told:
        write_private(long, b"")
    assert str(long) in str(told.value)
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(WorkbenchError):
        write_private(tmp_path / "circle", b"")
    assert [path.name for path in tmp_path.iterdir()] == ["circle"]
