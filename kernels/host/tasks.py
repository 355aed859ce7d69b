"""The queue between graphon's dispatcher and its workers (graphon's ReadyQueue protocol, all generations).

Its own so that a run is repeatable and quick: tasks of a resume start in the graph's order whatever order
graphon puts them in (0.5 and 0.6 keep them in a set), and a waiting worker is released at once when the run
ends (0.5 to 0.7 poll every 0.1 s; 0.7 sleeps that long whenever it finds the queue empty).
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

RELEASED = 0.002
"""Seconds; not zero, since graphon's workers ask again and again until they are stopped."""


class TaskQueue:
    """First in, first out.

    Args:
        codec: makes graphon's own in-memory queue, which knows the saved format.
        patience: seconds that `get` waits for a task, longer or shorter than the worker asks.
    """

    def __init__(self, codec: Callable[[], Any], patience: float) -> None:
        self._codec = codec
        self._patience = patience
        self._items: list[Any] = []
        self._expected: list[Any] = []
        self._ready = threading.Condition()

    def expect(self, order: Sequence[Any]) -> None:
        """Hand nothing out before all of these are there; then hand them out in this order."""
        self._expected = list(order)

    def put(self, item: Any) -> None:
        with self._ready:
            self._items.append(item)
            if self._expected and all(task in self._items for task in self._expected):
                rest = [task for task in self._items if task not in self._expected]
                self._items, self._expected = [*self._expected, *rest], []
            self._ready.notify()

    def get(self, timeout: float | None = None) -> Any:
        began = time.monotonic()
        with self._ready:
            while self._expected or not self._items:
                left = began + self._patience - time.monotonic()
                if left <= 0:
                    raise queue.Empty
                self._ready.wait(left)
            return self._items.pop(0)

    def release(self) -> None:
        """The run is about to end: whoever waits, or asks from now on, is soon told that nothing is there."""
        with self._ready:
            self._patience = RELEASED
            self._ready.notify_all()

    def task_done(self) -> None:
        """Nobody joins this queue."""

    def empty(self) -> bool:
        return not self._items

    def qsize(self) -> int:
        return len(self._items)

    def take_all(self) -> list[Any]:
        with self._ready:
            items, self._items = self._items, []
            return items

    drain = take_all

    def dumps(self) -> str:
        with self._ready:
            saved = self._codec()
            for item in self._items:
                saved.put(item)
            return saved.dumps()

    def loads(self, data: str) -> None:
        saved = self._codec()
        saved.loads(data)
        items = []
        while saved.qsize():
            items.append(saved.get(timeout=0.1))
        with self._ready:
            self._items = items
