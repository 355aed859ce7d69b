"""A lease: open the store's file, do one transaction, close it, behind the sidecar lock.

DuckDB holds a file for one process, so nobody keeps it open: a lease on a small store takes 1 ms to read and
4 ms to write. All errors of DuckDB become errors that a person can act on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.errors import StoreBusyError, StoreError
from workbench.store.database import attached
from workbench.store.lock import Lock
from workbench.store.private import make_folder, private_files
from workbench.store.schema import prepare
from workbench.store.texts import plain

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TIMEOUT = 20.0
"""Seconds that a lease waits for its turn. Turns last some 20 ms; this is for a machine under load."""


class Lease:
    """What a transaction gets: the connection, and `changed` to say that nothing was written after all."""

    def __init__(self, connection: DuckDBPyConnection, changed: bool) -> None:
        self.connection = connection
        self.changed = changed

    def all(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        return self.connection.execute(sql, _bound(values)).fetchall()

    def one(self, sql: str, *values: Any) -> tuple[Any, ...] | None:
        """The only row of a query (all are fetched: an unfinished result would block an appender)."""
        return next(iter(self.all(sql, *values)), None)

    def run(self, sql: str, *values: Any) -> None:
        """A statement without a result."""
        self.connection.execute(sql, _bound(values))

    def insert(self, table: str, **columns: Any) -> None:
        """One row; column names are ours, values are bound."""
        marks = ", ".join("?" * len(columns))
        self.run(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", *columns.values())

    def insert_rows(self, table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        """Many rows through an appender: 10,000 events in 14 ms (by `unnest` 80, by `executemany` 5,000)."""
        if rows:
            appender = self.connection.appender(table, columns=list(columns))
            appender.append_rows(rows)
            appender.flush()

    def change_row(self, table: str, key: str, value: Any, **changes: Any) -> None:
        """Change the one row whose `key` is `value`, by writing it anew.

        An UPDATE of a long text column makes DuckDB compress a whole row group again (330 ms with 100,000
        runs); a delete and an insert cost 2 ms.
        """
        cursor = self.connection.execute(f"SELECT * FROM {table} WHERE {key} = ?", [value])
        names = [column[0] for column in cursor.description]
        rows = cursor.fetchall()
        if not rows:
            raise StoreError(f"A row of {table} is missing", f"{key} = {value!r}", "")
        self.run(f"DELETE FROM {table} WHERE {key} = ?", value)
        self.insert(table, **(dict(zip(names, rows[0], strict=True)) | changes))


def _bound(values: tuple[Any, ...]) -> list[Any] | None:
    return [plain(value) if isinstance(value, str) else value for value in values] or None


@contextlib.contextmanager
def lease(path: Path, verb: str, *, write: bool, timeout: float = TIMEOUT) -> Iterator[Lease]:
    """One transaction on the store at `path`; it is committed when the block ends without an error.

    Args:
        verb: what it is for; others who wait are told.
        write: whether front ends that watch the change counter should look again afterwards.

    Raises:
        StoreBusyError, StoreError
    """
    path = path.absolute()
    lock = Lock(lock_path(path))
    with private_files():
        make_folder(path.parent)
        lock.take(verb, timeout)
        changed = False
        try:
            with _errors(path):
                import duckdb

                with attached(path) as connection:
                    prepare(connection, path)
                    connection.execute("BEGIN")
                    held = Lease(connection, write)
                    try:
                        yield held
                        connection.execute("COMMIT")
                        changed = held.changed
                    except BaseException:
                        with contextlib.suppress(duckdb.Error):
                            connection.execute("ROLLBACK")
                        raise
        finally:
            lock.give(changed)


def lock_path(path: Path) -> Path:
    """The sidecar lock file of the store at `path`."""
    return path.with_name(path.name + ".lock")


@contextlib.contextmanager
def _errors(path: Path) -> Iterator[None]:
    """DuckDB's and the system's errors as ours."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise _translated(error, path) from error
    except OSError as error:
        raise StoreError(
            f"The store {path} can't be used",
            f"{error.strerror or error}.",
            "Check the disk and the folder's rights.",
        ) from error


_CAUSES: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("no space left", "file too large", "could not write", "disk full", "disk quota"),
        "The disk is full",
        "Free some space; what was reported as saved is kept.",
    ),
    (
        ("permission denied", "read-only", "read only", "operation not permitted"),
        "The store can't be written",
        "Give this user the right to write to it and its folder, or choose another store (--store FILE).",
    ),
    (
        (
            "newer version",
            "storage version",
            "version number",
            "not readable by",
            "serialization compatibility",
        ),
        "The store was written by a newer DuckDB",
        "Upgrade the workbench, or choose another store (--store FILE).",
    ),
    (
        (
            "not a valid duckdb",
            "corrupt",
            "checksum",
            "wal file",
            "deserialize",
            "failed to read",
            "truncated",
        ),
        "The store is damaged, or no store at all",
        "Restore a copy, or choose another store (--store FILE); a missing file is made anew.",
    ),
)


def _translated(error: Exception, path: Path) -> StoreError | StoreBusyError:
    text = str(error)
    low = text.lower()
    if "conflicting lock" in low or "could not set lock" in low:
        return StoreBusyError(
            "The store is opened by another program",
            text.splitlines()[0],
            "Close it there (a DuckDB shell or a notebook may hold it) and try again.",
        )
    for words, title, advice in _CAUSES:
        if any(word in low for word in words):
            return StoreError(f"{title}: {path}", text.splitlines()[0], advice)
    return StoreError(
        f"The store {path} failed",
        f"{type(error).__name__}: {text.splitlines()[0] if text else ''}",
        "Try again; if it stays so, restore a copy of the store or choose another one (--store FILE).",
    )
