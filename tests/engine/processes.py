"""Looking at processes that are not our children."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path


def gone(pid: int, seconds: float) -> bool:
    """Whether a process that is not our child ends in time; a zombie that nobody collects counts as ended."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        stat = Path(f"/proc/{pid}/stat")
        if stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        threading.Event().wait(0.02)
    return False
