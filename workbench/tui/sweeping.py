"""Keeps the garbage collector from freezing the screen while a worker makes megabytes of values at once."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

_guard = Lock()
_users = 0


@contextmanager
def no_sweep() -> Iterator[None]:
    """No sweep of the garbage collector, which would stop every thread, until this is left."""
    global _users
    with _guard:
        _users += 1
        gc.disable()
    try:
        yield
    finally:
        with _guard:
            _users -= 1
            if not _users:
                gc.enable()
