"""Waits that an abort ends at once: graphon can't interrupt a node, so nothing in the world may block or
sleep."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

_LOOK = 0.05
"""Seconds between two looks at the abort while something else is awaited."""

_AHEAD = 256
"""Items that a pump may be ahead of its reader."""


class StoppedError(Exception):
    """The run was aborted while a node waited."""

    def __init__(self) -> None:
        super().__init__("The run was stopped.")


class Waiter:
    """One for each run. `abort` may be called from any thread."""

    def __init__(self) -> None:
        self._stop = threading.Event()

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def abort(self) -> None:
        self._stop.set()

    def check(self) -> None:
        """Raise StoppedError after an abort."""
        if self._stop.is_set():
            raise StoppedError

    def wait(self, seconds: float) -> None:
        """Wait `seconds`, or raise StoppedError as soon as the run is aborted."""
        if seconds > 0:
            self._stop.wait(seconds)
        self.check()

    def iterate[T](self, make: Callable[[], Iterator[T]]) -> Iterator[T]:
        """The items of a blocking iterator, read by a thread of its own; an abort leaves that thread behind.

        The thread is a daemon: it ends with its own timeouts, or with the process.
        """
        items: queue.Queue[tuple[str, Any]] = queue.Queue(_AHEAD)
        given_up = threading.Event()

        def pump() -> None:
            try:
                for item in make():
                    _put(items, ("item", item), given_up)
                    if given_up.is_set():
                        return
                _put(items, ("end", None), given_up)
            except BaseException as error:  # every failure belongs to the reader
                _put(items, ("error", error), given_up)

        threading.Thread(target=pump, name="world-pump", daemon=True).start()
        try:
            while True:
                self.check()
                try:
                    kind, value = items.get(timeout=_LOOK)
                except queue.Empty:
                    continue
                if kind == "end":
                    return
                if kind == "error":
                    raise value
                yield value
        finally:
            given_up.set()

    def call[T](self, function: Callable[[], T]) -> T:
        """The result of a blocking function, or StoppedError as soon as the run is aborted."""
        return next(iter(self.iterate(lambda: iter([function()]))))


def _put(items: queue.Queue[tuple[str, Any]], item: tuple[str, Any], given_up: threading.Event) -> None:
    while not given_up.is_set():
        try:
            items.put(item, timeout=_LOOK)
            return
        except queue.Full:
            continue
