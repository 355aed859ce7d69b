"""A kernel without a parent ends itself, whatever its threads are doing.

Closing standard input is the ordinary way; the parent's death is watched for besides, because a forked
child of the parent may still hold the pipe open. `prctl(PR_SET_PDEATHSIG)` would not do: it fires when the
*thread* that started the child ends, and front ends start kernels from worker threads.
"""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Callable


def watch(end: Callable[[], None]) -> None:
    """Call `end` (from a thread of its own) as soon as the parent process is gone."""
    threading.Thread(target=_watch, args=(os.getppid(), end), name="lifeline", daemon=True).start()


def _watch(parent: int, end: Callable[[], None]) -> None:
    try:
        _wait_for(parent)
    except OSError:  # no such facility here: look twice a second
        while os.getppid() == parent:
            time.sleep(0.5)
    end()


def _wait_for(parent: int) -> None:
    if hasattr(os, "pidfd_open"):
        descriptor = os.pidfd_open(parent)
        if os.getppid() == parent:  # else it died, and its number may be another process's by now
            poller = select.poll()
            poller.register(descriptor, select.POLLIN)
            poller.poll()
    elif hasattr(select, "kqueue"):
        queue = select.kqueue()
        queue.control(
            [select.kevent(parent, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)], 0
        )
        if os.getppid() == parent:
            queue.control(None, 1)
    else:
        raise OSError("no process descriptors")
