"""Files and folders for this user only: a store holds whatever the runs held, secrets included."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

from workbench.errors import StoreError

_private_guard = threading.Lock()
_private = [0, 0]  # how many leases need the strict umask, and the umask before


@contextlib.contextmanager
def private_files() -> Iterator[None]:
    """Files made meanwhile are this user's only (umask 077): DuckDB makes the database and its WAL itself.

    The umask belongs to the process, so overlapping users share one change.
    """
    with _private_guard:
        if _private[0] == 0:
            _private[1] = os.umask(0o077)
        _private[0] += 1
    try:
        yield
    finally:
        with _private_guard:
            _private[0] -= 1
            if _private[0] == 0:
                os.umask(_private[1])


def make_folder(folder: Path) -> None:
    """Make a folder and its missing parents, 0700; one that is there keeps its mode.

    Raises:
        StoreError: it can't be made.
    """
    try:
        with private_files():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The folder {folder} can't be made", f"{error.strerror}.", "Choose another store (--store FILE)."
        ) from error
