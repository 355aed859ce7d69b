"""What a run has said and the database does not hold yet, one file a segment, locked while its recorder
lives.

A line is with the operating system when `write` returns, so it survives any kill of the process; batches go
to the database behind it. The `flock` on the file tells a living recorder from a dead one: it ends with the
process, by whatever death, and a reused process id can't fake it. Whoever next looks at the store takes over
what a dead recorder left (`workbench.store.sweep`).

A line is one tab-separated record, `event <step> <at> <json>` or `fact <step> <kind> <json>`; all of it is
ASCII. The last line may be torn by a kill; it was never reported, so it is dropped.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from workbench.errors import StoreError
from workbench.store.flock import Descriptor
from workbench.store.private import make_folder
from workbench.store.texts import plain, plain_or_none

SUFFIX = ".spool"
_YOUNG = ".new"  # not locked yet
_HOUR = 3600


class EventLine(NamedTuple):
    """One event: its step in the run, seconds since 1970, its JSON, and what of it has columns of its own."""

    step: int
    at: float
    text: str
    kind: str
    node: str | None


def event_line(step: int, at: float, event: Mapping[str, Any], text: str) -> EventLine:
    """The line of an event whose JSON is `text`."""
    return EventLine(step, at, text, plain(str(event.get("kind", ""))), plain_or_none(event.get("node")))


class FactLine(NamedTuple):
    """One fact: `graph`, `pool`, `note`, `stream` or `stream-error`, and its JSON."""

    step: int
    kind: str
    text: str


@dataclass(frozen=True)
class Said:
    """The content of a spool file, or what is not in the database yet."""

    events: tuple[EventLine, ...] = ()
    facts: tuple[FactLine, ...] = ()


def spool_folder(store: Path) -> Path:
    """The folder beside the store that holds its spool files."""
    return store.with_name(store.name + ".live")


class Spool:
    """The spool file of a living recorder."""

    def __init__(self, store: Path) -> None:
        """Make and lock a new file.

        Raises:
            StoreError: the folder can't be written.
        """
        self.name = uuid.uuid4().hex + SUFFIX
        self.path = spool_folder(store) / self.name
        try:
            make_folder(self.path.parent)
            young = self.path.with_suffix(_YOUNG)  # nobody may take it for dead before it is locked
            self._file = Descriptor(young, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND)
            self._file.try_lock()
            young.rename(self.path)
        except OSError as error:
            raise _trouble(self.path, error) from error

    def add(self, row: EventLine | FactLine) -> None:
        """Write one record; when this returns, a kill of the process does not lose it."""
        if isinstance(row, EventLine):
            data = f"event\t{row.step}\t{row.at!r}\t{row.text}\n".encode("ascii")
        else:
            data = f"fact\t{row.step}\t{row.kind}\t{row.text}\n".encode("ascii")
        if self._file.number is None:
            raise StoreError("The run can't be recorded", "Its recorder was closed.", "")
        try:
            while data:
                data = data[os.write(self._file.number, data) :]
        except OSError as error:
            raise _trouble(self.path, error) from error

    def remove(self) -> None:
        """All of it is in the database: delete the file, then let go of it."""
        if self._file.number is not None:
            with contextlib.suppress(OSError):
                self.path.unlink(missing_ok=True)
            self.leave()

    def leave(self) -> None:
        """Let go of the file without deleting it: for others this recorder is dead now."""
        self._file.close()


def _trouble(path: Path, error: OSError) -> StoreError:
    return StoreError(
        "The run can't be recorded",
        f"{path}: {error.strerror or error}.",
        "Check the disk and the folder's rights.",
    )


def is_alive(store: Path, name: str) -> bool:
    """Whether the recorder that made the spool file `name` lives; a missing file belongs to a dead one."""
    try:
        file = Descriptor(spool_folder(store) / name, os.O_RDONLY)
    except OSError:
        return False
    try:
        return not file.try_lock()
    finally:
        file.close()


def left_behind(store: Path) -> list[str]:
    """Names of the spool files of dead recorders, also of those that died while making one."""
    with contextlib.suppress(OSError), os.scandir(spool_folder(store)) as entries:
        return sorted(entry.name for entry in entries if _is_left_behind(store, entry))
    return []


def _is_left_behind(store: Path, entry: os.DirEntry[str]) -> bool:
    if entry.name.endswith(_YOUNG):
        return time.time() - entry.stat().st_mtime > _HOUR
    return entry.name.endswith(SUFFIX) and not is_alive(store, entry.name)


def read_spool(store: Path, name: str) -> Said:
    """What the spool file `name` holds, up to a torn or foreign line; nothing when there is no such file."""
    try:
        data = (spool_folder(store) / name).read_bytes()
    except OSError:
        return Said()
    lines = tuple(_lines(data))
    return Said(
        tuple(line for line in lines if isinstance(line, EventLine)),
        tuple(line for line in lines if isinstance(line, FactLine)),
    )


def _lines(data: bytes) -> Iterator[EventLine | FactLine]:
    for line in data.split(b"\n")[:-1]:
        try:
            word, step, third, text = line.decode("ascii").split("\t")
            if word == "event":
                yield event_line(int(step), float(third), json.loads(text), text)
            else:
                yield FactLine(int(step), third, text)
        except ValueError:
            return


def drop_spool(store: Path, name: str) -> None:
    """Delete a dead recorder's spool file."""
    with contextlib.suppress(OSError):
        (spool_folder(store) / name).unlink()
