"""How much foreign code has written, and how all of it goes away again.

The limit on one file is the system's (RLIMIT_FSIZE); nothing there limits all files of a process together.
"""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

TOTAL_BYTES = 50_000_000
TOTAL_FILES = 1_000
_BLOCK = 512


class TooMuchError(Exception):
    """The code has written more than it may; the message says what."""


def check(folder: Path, pid: int, before: int) -> None:
    """Look at what stands in a folder, and what a process still holds open of files that it deleted.

    Args:
        before: bytes that stood there when the code began.

    Raises:
        TooMuchError: more than the limits, or a folder that can't be looked into.
    """
    size, count = _of_folder(folder)
    if count > TOTAL_FILES:
        raise TooMuchError(f"The code made more than {TOTAL_FILES:,} files.")
    if size + _deleted(pid) - before > TOTAL_BYTES:
        raise TooMuchError(f"The code wrote more than {TOTAL_BYTES // 1_000_000} MB in all.")


def size_of(folder: Path) -> int:
    """Bytes on disk."""
    return _of_folder(folder)[0]


def remove(folder: Path) -> None:
    """A folder with all that is in it, also what its owner may not list."""

    def again(function: object, path: str, error: BaseException) -> None:
        with suppress(OSError):
            Path(path).chmod(stat.S_IRWXU)
            Path(path).parent.chmod(stat.S_IRWXU)
            if Path(path).is_dir() and not Path(path).is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                Path(path).unlink()

    shutil.rmtree(folder, onexc=again)


def _of_folder(folder: Path) -> tuple[int, int]:
    size = count = 0
    todo = [str(folder)]
    while todo and count <= TOTAL_FILES:
        where = todo.pop()
        try:
            entries = os.scandir(where)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise TooMuchError(
                f"The code made a folder that can't be looked into ({error.strerror})."
            ) from None
        with entries:
            for entry in entries:
                count += 1
                if count > TOTAL_FILES:
                    break
                with suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        todo.append(entry.path)
                    size += entry.stat(follow_symlinks=False).st_blocks * _BLOCK
    return size, count


def _deleted(pid: int) -> int:
    """Bytes of files that have no name any more; 0 where the system does not tell."""
    size = 0
    try:
        opened = list(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return 0
    for descriptor in opened:
        with suppress(OSError):
            found = descriptor.stat()
            if stat.S_ISREG(found.st_mode) and found.st_nlink == 0:
                size += found.st_blocks * _BLOCK
    return size
