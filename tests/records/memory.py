"""How much memory this process has used at most."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path


def peak_megabytes() -> float:
    """Peak resident memory since the process began.

    Linux: VmHWM, because `ru_maxrss` survives exec: it would count the process that started this one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
        if found:
            return int(found[1]) / 1_000
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (1_000_000 if sys.platform == "darwin" else 1_000)
