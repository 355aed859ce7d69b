"""One build of an engine kernel with uv: in a temporary folder beside its place, checked, then renamed.

A build that is killed leaves a temporary folder that nothing trusts and that the next build of that kernel
deletes. uv is asked offline first: once its cache has the wheels, a build makes no connection at all.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
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
from workbench.errors import KernelError
from workbench.home import kernels_dir

UNWANTED = ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP")
"""Variables that would make uv or the interpreter look at somebody else's packages."""
UNWANTED_UV = (
    "CONSTRAINT", "BUILD_CONSTRAINT", "OVERRIDE", "EXCLUDE", "EXCLUDE_NEWER", "FROZEN", "LOCKED", "NO_BINARY",
    "NO_BINARY_PACKAGE", "PROJECT", "PROJECT_ENVIRONMENT", "PYTHON", "SYSTEM_PYTHON", "WORKING_DIR",
    "WORKING_DIRECTORY", "BREAK_SYSTEM_PACKAGES", "REQUIRE_HASHES", "TORCH_BACKEND",
)  # fmt: skip
"""uv's own variables that would change which packages or which environment are meant."""


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
    _uv(name, ["venv", "--relocatable", "--no-project", "--python", base, str(folder)], report)
    fetch = ["pip", "install", "--no-deps", "--no-build", "--python", str(interpreter(folder))]
    fetch += ["-r", str(requirements(name))]
    if not _fits_offline(name, fetch):
        report(f"{name}: fetching what uv's cache does not have yet")
        _uv(name, fetch, report)
    report(f"{name}: checking it")
    fault = check(name, folder)
    if fault is not None:
        raise KernelError(
            f"{name} was built, but it does not work.",
            f"{fault}.",
            "Try `workbench kernels install` again; `uv cache clean` first if it stays.",
        )
    (folder / MARKER).write_text(marker_text(name), encoding="utf-8")
    report(f"{name}: ready after {time.monotonic() - started:.1f} s")


def _fits_offline(name: str, fetch: list[str]) -> bool:
    try:
        _uv(name, [*fetch, "--offline"], lambda _: None)
    except _UvError:
        return False
    return True


class _UvError(KernelError):
    """uv ended with an error; its own words, sorted by what a user can do."""


def _uv(name: str, arguments: list[str], report: Report) -> None:
    command = [uv_program(), "--no-progress", "--color", "never", *arguments]
    lines: list[str] = []
    try:
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            cwd=folder_for_uv(arguments),
            env=uv_environment(),
        ) as child:
            try:
                assert child.stderr is not None
                for line in child.stderr:
                    lines.append(line.rstrip())
                    if line.lstrip().startswith(("Downloading", "Prepared", "Installed")):
                        report(f"{name}: {line.strip()}")
            except BaseException:
                child.kill()
                raise
    except OSError as error:
        raise KernelError(f"{name} can't be built: uv does not start.", f"{error}.", "") from error
    if child.returncode != 0:
        raise _explained(name, "\n".join(lines))


def folder_for_uv(arguments: list[str]) -> str:
    """Where uv runs: a folder of ours, so that no project of the user's gives it settings."""
    target = arguments[-1] if arguments[0] == "venv" else arguments[arguments.index("--python") + 1]
    parent = Path(target).parent
    while not parent.is_dir():
        parent = parent.parent
    return str(parent)


def uv_program() -> str:
    """The uv that came with the workbench, else one on PATH.

    Raises:
        KernelError: there is none.
    """
    import uv

    try:
        return os.fspath(uv.find_uv_bin())
    except FileNotFoundError:
        found = shutil.which("uv")
        if found:
            return found
    raise KernelError(
        "The program uv, which builds engine kernels, is missing.",
        "The package uv is installed without its program.",
        "Install it again: pip install --force-reinstall uv",
    )


def uv_environment() -> dict[str, str]:
    """The user's environment without what leads uv elsewhere; the system's certificates by default."""
    unwanted = {*UNWANTED, *(f"UV_{name}" for name in UNWANTED_UV)}
    environment = {name: value for name, value in os.environ.items() if name not in unwanted}
    environment.setdefault("UV_SYSTEM_CERTS", "1")
    environment["UV_PYTHON_DOWNLOADS"] = "never"
    return environment


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


NETWORK = (
    "error sending request", "dns error", "failed to lookup address", "network is unreachable",
    "connection refused", "connection reset", "timed out", "tcp connect error", "failed to fetch",
    "network connectivity is disabled", "network was disabled",
)  # fmt: skip


def _explained(name: str, words: str) -> _UvError:
    """uv's words sorted into what the user can do about them."""
    low = words.lower()
    cause = _last_causes(words)
    if "no space left" in low or "disk quota" in low:
        return _UvError(
            f"{name} can't be built: the disk is full.", cause, "Free about 100 MB and try again."
        )
    if "certificate" in low:
        return _UvError(
            f"{name} can't be built: the package index's certificate is not trusted here.",
            cause,
            "Set SSL_CERT_FILE to your certificates, or UV_SYSTEM_CERTS=0 to use the bundled ones.",
        )
    if any(sign in low for sign in NETWORK):
        return _UvError(
            f"{name} can't be built without a network: uv's cache does not have its packages yet.",
            cause,
            f"Connect once and run `workbench kernels install {name}`; from then on it works offline.",
        )
    if "permission denied" in low or "read-only file system" in low:
        return _UvError(
            f"{name} can't be built: a folder can't be written.",
            cause,
            "Set WORKBENCH_HOME (engine kernels) or UV_CACHE_DIR (uv's cache) to a folder you can write to.",
        )
    return _UvError(f"{name} can't be built.", cause, "`uv cache clean` helps against a broken cache.")


def _last_causes(words: str) -> str:
    """The end of uv's error text, on one line: the deepest cause stands last."""
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    return " ".join(lines[-4:])[:600]


def _disk_error(name: str, error: OSError) -> KernelError:
    return KernelError(
        f"{name} can't be built: {error.strerror or error}.",
        f"{error.filename or kernels_dir()}",
        "Free some space, or set WORKBENCH_HOME to a folder that you can write to.",
    )
