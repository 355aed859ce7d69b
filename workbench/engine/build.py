"""One build of an engine kernel with uv: in a temporary folder beside its place, checked, then renamed.

A build that is killed leaves a temporary folder that nothing trusts and that the next build of that kernel
deletes. uv is asked offline first: once its cache has the wheels, a build makes no connection at all.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from workbench.engine.kernels import (
    MARKER,
    Kernel,
    Report,
    check,
    drop,
    folder_of,
    interpreter,
    is_built,
    kernel_at,
    marker_text,
    pins,
    requirements,
)
from workbench.engine.uv import UvError, run_uv
from workbench.errors import KernelError
from workbench.home import kernels_dir


def build(name: str, home: Path, report: Report, *, replace: bool = False) -> Kernel:
    """Build a kernel, or take the build that another process made while this one waited for its turn.

    Args:
        replace: throw the existing build away first (its check has failed).

    Raises:
        KernelError: with a cause and a next step.
    """
    folder = folder_of(name, home)
    seen = _stamp(folder)
    with locked(name, home, report):
        if is_built(folder) and (not replace or _stamp(folder) != seen):
            return kernel_at(name, folder)
        for leftover in folder.parent.glob(f".building-{name}-*"):
            drop(leftover)
        place = Path(tempfile.mkdtemp(prefix=f".building-{name}-", dir=folder.parent))
        try:
            _make(name, place / "kernel", report)
            if folder.exists():
                discard(folder)
            (place / "kernel").rename(folder)
        except OSError as error:
            raise _disk_error(name, error) from error
        finally:
            drop(place)
    return kernel_at(name, folder)


def _stamp(folder: Path) -> int:
    try:
        return (folder / MARKER).stat().st_mtime_ns
    except OSError:
        return 0


def _make(name: str, folder: Path, report: Report) -> None:
    """Environment, wheels, check, marker; in that order, so that only a whole build has a marker."""
    started = time.monotonic()
    report(f"{name}: building the engine kernel ({len(pins(name))} packages)")
    base = getattr(sys, "_base_executable", sys.executable) or sys.executable
    place = folder.parent
    run_uv(name, ["venv", "--relocatable", "--no-project", "--python", base, str(folder)], place, report)
    fetch = ["pip", "install", "--no-deps", "--no-build", "--python", str(interpreter(folder))]
    fetch += ["-r", str(requirements(name))]
    if not _fits_offline(name, fetch, place):
        report(f"{name}: fetching what uv's cache does not have yet")
        run_uv(name, fetch, place, report)
    report(f"{name}: checking it")
    fault = check(name, folder)
    if fault is not None:
        # Files are links into uv's cache: one that was damaged in an earlier build is damaged there too.
        report(f"{name}: it does not work ({fault}); fetching all anew, past uv's cache")
        with contextlib.suppress(UvError):
            run_uv(name, [*fetch, "--reinstall", "--no-cache"], place, report)
            fault = check(name, folder)
    if fault is not None:
        raise KernelError(
            f"{name} was built, but it does not work.",
            f"{fault}.",
            f"Run `workbench kernels install {name}` with a network; `uv cache clean` first if it stays.",
        )
    (folder / MARKER).write_text(marker_text(name), encoding="utf-8")
    report(f"{name}: ready after {time.monotonic() - started:.1f} s")


def _fits_offline(name: str, fetch: list[str], folder: Path) -> bool:
    try:
        run_uv(name, [*fetch, "--offline"], folder, lambda _: None)
    except UvError as error:
        if error.local:
            raise
        return False
    return True


@contextlib.contextmanager
def locked(name: str, home: Path, report: Report) -> Iterator[None]:
    """One builder of a kernel at a time, over processes; the lock goes with its holder, killed or not."""
    path = kernels_dir(home) / f".lock-{name}"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            report(f"{name}: another process is building it; waiting")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def discard(folder: Path) -> None:
    """Take a build away so that nobody can find half of it: first its name, then its files."""
    name = folder.name.rsplit("-", 2)[0]
    trash = Path(tempfile.mkdtemp(prefix=f".building-{name}-", dir=folder.parent))
    folder.rename(trash / "kernel")
    drop(trash)


def _disk_error(name: str, error: OSError) -> KernelError:
    return KernelError(
        f"{name} can't be built: {error.strerror or error}.",
        f"{error.filename or kernels_dir()}",
        "Free some space, or set WORKBENCH_HOME to a folder that you can write to.",
    )
