"""The queue between graphon's dispatcher and its workers (graphon's ReadyQueue protocol, all generations).

Its own so that a run is repeatable and quick. Tasks of a resume start in the graph's order whatever order
graphon puts them in (0.5 and 0.6 keep them in a set). A waiting worker is released at once when the run ends
(0.5 to 0.7 poll every 0.1 s; 0.7 sleeps that long whenever it finds the queue empty). And workers take turns.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

RELEASED = 0.001
"""Seconds; not zero, since graphon's workers ask again and again until they are stopped."""
SETTLING = 0.25
"""Seconds that an idle worker may need at most to fetch a task that is ready."""


class TaskQueue:
    """First in, first out.

    Several workers in turns: each fetches a task as soon as one is ready, as Dify's do, but only the one with
    the oldest task runs. So what is parallel to a form has started when the form pauses the run, every time.

    Args:
        codec: makes graphon's own in-memory queue, which knows the saved format.
        patience: seconds that `get` waits for a task, longer or shorter than the worker asks.
        workers: how many take turns; 0: they don't.
        stop: set when the run is to end now.
    """

    def __init__(
        self, codec: Callable[[], Any], patience: float, workers: int, stop: threading.Event
    ) -> None:
        self._codec = codec
        self._patience = patience
        self._workers = workers
        self._stop = stop
        self._items: list[Any] = []
        self._expected: list[Any] = []
        self._tickets: list[object] = []
        self._mine = threading.local()
        self._changed = threading.Condition()

    def expect(self, order: Sequence[Any]) -> None:
        """Hand nothing out before all of these are there; then hand them out in this order."""
        self._expected = list(order)

    def put(self, item: Any) -> None:
        with self._changed:
            self._items.append(item)
            if self._expected and all(task in self._items for task in self._expected):
                rest = [task for task in self._items if task not in self._expected]
                self._items, self._expected = [*self._expected, *rest], []
            self._changed.notify_all()

    def get(self, timeout: float | None = None) -> Any:
        began = time.monotonic()
        with self._changed:
            while self._expected or not self._items:
                left = began + self._patience - time.monotonic()
                if left <= 0:
                    raise queue.Empty
                self._changed.wait(left)
            if self._workers:
                self._mine.ticket = object()
                self._tickets.append(self._mine.ticket)
            item = self._items.pop(0)
            self._changed.notify_all()
            return item

    def task_done(self) -> None:
        """Called by a worker when it is done with the task that it fetched last."""
        with self._changed:
            ticket = getattr(self._mine, "ticket", None)
            if ticket in self._tickets:
                self._tickets.remove(ticket)
                self._changed.notify_all()

    def enter(self) -> None:
        """A worker waits for its turn: all that were fetched before are done, all that is ready is
        fetched.
        """
        ticket = getattr(self._mine, "ticket", None)
        with self._changed:
            while ticket in self._tickets and self._tickets[0] is not ticket and not self._stop.is_set():
                self._changed.wait(0.1)
        self.settle()

    def settle(self) -> None:
        """Until idle workers have fetched what is ready, or none is idle."""
        if not self._workers:
            return
        end = time.monotonic() + SETTLING
        with self._changed:
            while self._items and len(self._tickets) < self._workers and not self._stop.is_set():
                left = end - time.monotonic()
                if left <= 0:
                    return
                self._changed.wait(left)

    def release(self) -> None:
        """The run is about to end: whoever waits, or asks from now on, is soon told that nothing is there."""
        with self._changed:
            self._patience = RELEASED
            self._changed.notify_all()

    def empty(self) -> bool:
        return not self._items

    def qsize(self) -> int:
        return len(self._items)

    def take_all(self) -> list[Any]:
        with self._changed:
            items, self._items = self._items, []
            self._changed.notify_all()
            return items

    drain = take_all

    def dumps(self) -> str:
        with self._changed:
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
        with self._changed:
            self._items = items


class Step:
    """A node starts only when all is recorded that the node before it did.

    graphon's workers run ahead of its dispatcher: without this a node might read a variable before or after a
    node beside it has written it, as the threads happen to run.
    """

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._last: tuple[str, str] | None = None
        self._free = False
        self._news = threading.Condition()

    def ended(self, node_id: str, execution_id: str) -> None:
        """A node has handed its last event to graphon."""
        with self._news:
            self._last = (node_id, execution_id)

    def taken(self, event: Any) -> None:
        """graphon has emitted this event, and it is recorded."""
        if self._last is not None and type(event).__name__ in LAST_EVENTS:
            with self._news:
                if (event.node_id, event.id) == self._last:
                    self._last = None
                    self._news.notify_all()

    def wait(self) -> None:
        end = time.monotonic() + PATIENCE
        with self._news:
            while self._last is not None and not (self._free or self._stop.is_set()):
                left = end - time.monotonic()
                if left <= 0:  # an event that graphon kept for itself: better a run that may vary than none
                    self._free = True
                    return
                self._news.wait(min(left, 0.1))


PATIENCE = 5.0
LAST_EVENTS = frozenset(
    {
        "NodeRunSucceededEvent",
        "NodeRunFailedEvent",
        "NodeRunExceptionEvent",
        "NodeRunRetryEvent",
        "NodeRunPauseRequestedEvent",
    }
)
"""What ends a node's run. graphon turns a failure into a retry or an exception where the node asks for it."""
