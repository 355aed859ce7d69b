"""What the isolation of real code holds on this machine: found out by trying the forbidden things in a
child."""

from __future__ import annotations

import functools
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .code import CodeExecutionError
from .isolation import CPU_SECONDS, FILE_BYTES, MEMORY_BYTES
from .sandbox import WALL_SECONDS, Sandbox, readable
from .waiting import Waiter

# Connecting a UDP socket sends nothing, but needs a route; 192.0.2.0/24 is set aside for documentation.
_TRIES = """
def main(outside, other):
    import os, socket
    def held(forbidden):
        try:
            forbidden()
        except OSError:
            return True
        return False
    def fork():
        if os.fork() == 0:
            os._exit(0)
    def reach():
        os.kill(os.getppid(), 0)
    return {
        "network": held(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("192.0.2.1", 9))),
        "read": held(lambda: open(outside).read()),
        "write": held(lambda: open(other, "w")),
        "processes": held(fork) and held(reach),
    }
"""


@dataclass(frozen=True)
class Isolation:
    """What a child can't do here; `wrapper` is the system's own sandbox where one is used."""

    network: bool
    read: bool
    write: bool
    processes: bool
    wrapper: Callable[[Path], list[str]] | None = None

    def told(self) -> str:
        """One note for the user."""
        held = {
            "the network": self.network,
            "reading your files": self.read,
            "writing files outside of its folder": self.write,
            "starting or ending processes": self.processes,
        }
        blocked = [name for name, is_held in held.items() if is_held]
        open_ = [name for name, is_held in held.items() if not is_held]
        text = (
            f"Code nodes run for real, each in a child process with an empty environment and at most "
            f"{WALL_SECONDS:g} s, {CPU_SECONDS} s of processor time, {MEMORY_BYTES // 1024**2} MB of memory "
            f"and files of {FILE_BYTES // 1_000_000} MB."
        )
        if blocked:
            text += f" This machine blocks {_listed(blocked)}."
        if open_:
            text += f" It does NOT block {_listed(open_)}: run only code that you trust."
        return text


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


@functools.cache
def isolation() -> Isolation:
    """Try once for the life of this process; some 0.1 s."""
    if sys.platform == "darwin" and shutil.which("sandbox-exec"):
        found = _tried(_seatbelt)
        if found is not None:
            return found
    return _tried(None) or Isolation(network=False, read=False, write=False, processes=False)


def _tried(wrapper: Callable[[Path], list[str]] | None) -> Isolation | None:
    with tempfile.TemporaryDirectory(
        prefix="workbench-probe-", dir=Path.home() if wrapper else None
    ) as folder:
        outside, other = Path(folder, "outside"), Path(folder, "other")
        outside.write_text("a file of the user", "utf-8")
        asked = {"outside": str(outside), "other": str(other)}
        try:
            found: Mapping[str, Any] = Sandbox(Waiter(), wrapper=wrapper).execute("python3", _TRIES, asked)
        except CodeExecutionError:
            return None
    return Isolation(**{str(name): bool(is_held) for name, is_held in found.items()}, wrapper=wrapper)


def _seatbelt(folder: Path) -> list[str]:
    """macOS: everything is allowed but the network, new processes, writing outside and reading below
    /Users."""
    inside = [
        f'(subpath "{path}")' for path in (folder, *readable(shutil.which("node"))) if '"' not in str(path)
    ]
    profile = (
        "(version 1)(allow default)(deny network*)(deny process-fork)"
        f'(deny file-write*)(allow file-write* (subpath "{folder}") (literal "/dev/null"))'
        f'(deny file-read-data (subpath "/Users"))(allow file-read* {" ".join(inside)})'
    )
    return ["sandbox-exec", "-p", profile]
