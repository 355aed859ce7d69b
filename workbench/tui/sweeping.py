"""Keeps the garbage collector from freezing the screen: while a worker makes megabytes of values at once, and
as long as a screen holds them. A full sweep looks at every value that is held and stops all threads: 0.1 to
0.2 s for a pause of 5 MB or a run of 10,000 events.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from weakref import WeakSet

_guard = Lock()
_users = 0
_holders: WeakSet[object] = WeakSet()


@contextmanager
def no_sweep(holder: object | None = None) -> Iterator[None]:
    """No sweep of the garbage collector, which would stop every thread, until this is left.

    Args:
        holder: the screen that will hold what is made here: it is spared before sweeps go on.
    """
    global _users
    with _guard:
        _users += 1
        gc.disable()
    try:
        yield
    finally:
        if holder is not None:
            spare(holder)
        with _guard:
            _users -= 1
            if not _users:
                gc.enable()


def spare(holder: object) -> None:
    """Keep the collector off all that is held now, until every holder has given back what it holds."""
    with _guard:
        _holders.add(holder)
        gc.freeze()


def give_back(holder: object) -> None:
    """A holder is gone; the last one leaves everything to the collector again."""
    with _guard:
        _holders.discard(holder)
        if not _holders:
            gc.unfreeze()
