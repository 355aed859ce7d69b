"""DuckDB itself: one instance a process is kept, and the store's file is attached to it during a lease.

Starting DuckDB costs 10 to 20 ms, attaching a file 1 ms. DuckDB locks the file only while it is attached. The
instance can reach that file and nothing else: no other file, no network, no extension.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "threads": 2,
    "memory_limit": "512MB",
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
}
_BESIDE = ("", ".wal", ".wal.checkpoint", ".wal.recovery")
_KEPT = 2

_idle: dict[Path, DuckDBPyConnection] = {}
_guard = threading.Lock()
_of_the_parent: list[DuckDBPyConnection] = []


@contextlib.contextmanager
def attached(path: Path) -> Iterator[DuckDBPyConnection]:
    """A connection whose default database is the file at `path`, which is made when it is missing.

    Raises:
        duckdb.Error: as DuckDB tells it; also what the block raises.
    """
    import duckdb

    instance = _take(path)
    healthy = True
    try:
        connection = instance.cursor()
        connection.execute(f"ATTACH {_quoted(path)} AS store")
        connection.execute("USE store")
        try:
            yield connection
        except duckdb.Error:
            healthy = False
            raise
        finally:
            healthy = _detach(connection) and healthy
    except duckdb.Error:
        healthy = False
        raise
    finally:
        _give(path, instance, healthy)


def _detach(connection: DuckDBPyConnection) -> bool:
    """Let go of the file; False when that failed. What was committed is safe then, too: it is in the WAL."""
    import duckdb

    try:
        connection.execute("USE memory")
        connection.execute("DETACH store")
        connection.close()
    except duckdb.Error:
        return False
    return True


def _take(path: Path) -> DuckDBPyConnection:
    with _guard:
        kept = _idle.pop(path, None)
    return kept or _start(path)


def _start(path: Path) -> DuckDBPyConnection:
    import duckdb

    instance = duckdb.connect(":memory:", config=_CONFIG)
    spill = f"{path}.tmp"
    instance.execute(f"SET temp_directory = {_quoted(spill)}")
    instance.execute(f"SET allowed_directories = [{_quoted(spill)}]")
    files = ", ".join(_quoted(f"{path}{end}") for end in _BESIDE)
    instance.execute(f"SET allowed_paths = [{files}]")
    instance.execute("SET enable_external_access = false")
    return instance


def _give(path: Path, instance: DuckDBPyConnection, healthy: bool) -> None:
    """Keep the instance for the next lease; one that saw an error is ended, and with it all it holds."""
    import duckdb

    ended = [] if healthy else [instance]
    if healthy:
        with _guard:
            _idle[path] = instance
            while len(_idle) > _KEPT:
                ended.append(_idle.pop(next(iter(_idle))))
    for one in ended:
        with contextlib.suppress(duckdb.Error):
            one.close()


def _quoted(text: str | Path) -> str:
    return "'" + str(text).replace("'", "''") + "'"


def _after_fork() -> None:
    """A child of a bare fork has none of DuckDB's threads: it starts anew and never touches its parent's."""
    global _guard
    _guard = threading.Lock()
    _of_the_parent.extend(_idle.values())
    _idle.clear()


os.register_at_fork(after_in_child=_after_fork)
