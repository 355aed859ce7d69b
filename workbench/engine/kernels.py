"""The engine kernels: which there are, where they lie, and whether they are usable.

An engine kernel is a virtual environment with one pinned graphon, built from
`kernels/graphon-X/requirements.txt` in `<home>/kernels/graphon-X-<hash>-cp312`. The hash covers the pins, the
Python version and the platform: other pins or another Python give another folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import workbench
from workbench.errors import KernelError, UsageError
from workbench.home import kernels_dir

KERNELS = ("graphon-0.8", "graphon-0.7", "graphon-0.6", "graphon-0.5")
DEFAULT_KERNEL = "graphon-0.8"
MARKER = "engine-kernel.json"
"""Written last into a build, before it gets its name: what it was built from."""
CHECK_SECONDS = 60
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Kernel:
    """A built engine kernel.

    Attributes:
        graphon: the pinned version of graphon ("0.8.0").
        python: its interpreter.
        host: the host program's folder, to be run by that interpreter.
    """

    name: str
    graphon: str
    folder: Path
    python: Path
    host: Path


@dataclass(frozen=True, slots=True)
class KernelStatus:
    """One line of `workbench kernels`.

    Attributes:
        state: "built" usable, "missing" never built here, "broken" its interpreter or marker is gone.
        size: bytes on disk (hard links to uv's cache included), 0 when missing.
        older: folders of the same kernel built from other pins or for another Python.
    """

    name: str
    graphon: str
    state: Literal["built", "missing", "broken"]
    folder: Path
    size: int
    older: tuple[Path, ...]


def sources() -> Path:
    """The folder with the host program and the pins: beside the package in a wheel, beside it in a checkout.

    Raises:
        KernelError: neither is there (a broken installation).
    """
    package = Path(workbench.__file__).resolve().parent
    for folder in (package / "_kernels", package.parent / "kernels"):
        if (folder / "host").is_dir():
            return folder
    raise KernelError(
        "The engine kernels' sources are missing.",
        f"Neither {package / '_kernels'} nor {package.parent / 'kernels'} holds a host program.",
        "Install answer-workbench again.",
    )


def pins(name: str) -> tuple[str, ...]:
    """The requirement lines of a kernel: `name==version`, perhaps with hashes; no markers, no comments.

    Raises:
        UsageError: no kernel goes by that name.
    """
    if name not in KERNELS:
        raise UsageError(f'There is no engine kernel "{name}".', "", f"Choose one of: {', '.join(KERNELS)}.")
    text = requirements(name).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = (line.split(" #")[0].strip() for line in text.splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


def requirements(name: str) -> Path:
    """The pins' file of a kernel."""
    return sources() / name / "requirements.txt"


def graphon_version(name: str) -> str:
    """The version of graphon that a kernel pins."""
    for pin in pins(name):
        if pin.startswith("graphon=="):
            return pin.removeprefix("graphon==").split()[0]
    raise KernelError(f"{name} pins no graphon.", f"{requirements(name)} has no line graphon==...", "")


def folder_of(name: str, home: Path) -> Path:
    """Where the build of a kernel for this Python lies, built or not."""
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    facts = [*sorted(pins(name)), tag, sysconfig.get_platform()]
    digest = hashlib.sha256("\n".join(facts).encode()).hexdigest()[:12]
    return kernels_dir(home) / f"{name}-{digest}-{tag}"


def interpreter(folder: Path) -> Path:
    """The interpreter in a build's folder."""
    return folder / "bin" / "python"


def is_built(folder: Path) -> bool:
    """Whether a folder is a finished build whose interpreter still exists. Starts nothing: microseconds."""
    return (folder / MARKER).is_file() and os.access(interpreter(folder), os.X_OK)


def kernel_at(name: str, folder: Path) -> Kernel:
    """The Kernel value for a build's folder."""
    return Kernel(name, graphon_version(name), folder, interpreter(folder), sources() / "host")


CHECK = """
import importlib.metadata, sys
for pin in sys.argv[1:]:
    name, version = pin.split("==")
    found = importlib.metadata.version(name)
    if found != version:
        sys.exit(f"{name} is {found} instead of {version}")
import graphon.dsl.node_factory
"""


def check(name: str, folder: Path) -> str | None:
    """Why the build in `folder` is not usable, or None: every pin in its version, graphon's nodes import."""
    if not os.access(interpreter(folder), os.X_OK):
        return f"{interpreter(folder)} can't be executed"
    exact = [pin.split(" --hash")[0].strip() for pin in pins(name)]
    try:
        done = subprocess.run(
            [str(interpreter(folder)), "-I", "-c", CHECK, *exact],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=CHECK_SECONDS,
            cwd="/",
            env={"PATH": os.environ.get("PATH", os.defpath)},
        )
    except subprocess.TimeoutExpired:
        return f"its import check took longer than {CHECK_SECONDS} seconds"
    except OSError as error:
        return f"its interpreter does not start: {error.strerror}"
    if done.returncode == 0:
        return None
    last = done.stderr.strip().splitlines()
    return last[-1] if last else f"its import check ended with {done.returncode}"


def list_kernels(home: Path) -> tuple[KernelStatus, ...]:
    """Every kernel with its state on this machine, newest graphon first."""
    return tuple(_status(name, home) for name in KERNELS)


def _status(name: str, home: Path) -> KernelStatus:
    folder = folder_of(name, home)
    state: Literal["built", "missing", "broken"] = (
        "built" if is_built(folder) else "broken" if folder.exists() else "missing"
    )
    older = tuple(sorted(path for path in folder.parent.glob(f"{name}-*-cp*") if path != folder))
    return KernelStatus(name, graphon_version(name), state, folder, _size(folder), older)


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_symlink() and path.is_file())


def install(name: str, home: Path, report: Report) -> Kernel:
    """The kernel, checked; built when it is missing or its check fails.

    Args:
        report: gets one line for each step of a build; nothing when there is nothing to do.

    Raises:
        UsageError: no kernel goes by that name.
        KernelError: it can't be built (no network, no disk, ...).
    """
    from workbench.engine.build import build

    folder = folder_of(name, home)
    if not is_built(folder):
        return build(name, home, report)
    fault = check(name, folder)
    if fault is None:
        return kernel_at(name, folder)
    report(f"{name}: the build is broken ({fault}); building it again")
    return build(name, home, report, replace=True)


def ensure(name: str, home: Path, report: Report) -> Kernel:
    """The kernel for a run: built when missing, trusted when there (the host's start is the check)."""
    from workbench.engine.build import build

    folder = folder_of(name, home)
    return kernel_at(name, folder) if is_built(folder) else build(name, home, report)


def remove(name: str, home: Path) -> int:
    """Remove every build of a kernel, older ones included, and count them. Runs in progress may break."""
    from workbench.engine.build import discard, locked

    status = _status(name, home)
    with locked(name, home, lambda _: None):
        folders = [folder for folder in (status.folder, *status.older) if folder.exists()]
        for folder in folders:
            discard(folder)
    return len(folders)


def marker_text(name: str) -> str:
    """The content of MARKER for a build made now."""
    version = sys.version.split()[0]
    facts = {"kernel": name, "graphon": graphon_version(name), "pins": list(pins(name)), "python": version}
    return json.dumps(facts, indent=1)


def drop(folder: Path) -> None:
    """Delete a folder tree; what can't be deleted stays and is tried again at the next build."""
    shutil.rmtree(folder, ignore_errors=True)
