"""Runs uv for the builds of engine kernels, and sorts its errors by what a user can do about them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from workbench.errors import KernelError

UNWANTED = ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP")
"""Variables that would make uv or the interpreter look at somebody else's packages."""
UNWANTED_UV = (
    "CONSTRAINT", "BUILD_CONSTRAINT", "OVERRIDE", "EXCLUDE", "EXCLUDE_NEWER", "FROZEN", "LOCKED", "NO_BINARY",
    "NO_BINARY_PACKAGE", "PROJECT", "PROJECT_ENVIRONMENT", "PYTHON", "SYSTEM_PYTHON", "WORKING_DIR",
    "WORKING_DIRECTORY", "BREAK_SYSTEM_PACKAGES", "REQUIRE_HASHES", "TORCH_BACKEND",
)  # fmt: skip
"""uv's own variables that would change which packages or which environment are meant."""
NETWORK = (
    "error sending request", "dns error", "failed to lookup address", "network is unreachable",
    "connection refused", "connection reset", "timed out", "tcp connect error", "failed to fetch",
    "network connectivity is disabled", "network was disabled",
)  # fmt: skip
TOLD = ("Downloading", "Prepared", "Installed")
"""The beginnings of uv's lines that are progress."""


class UvError(KernelError):
    """uv ended with an error.

    Attributes:
        local: the machine is at fault (disk, permissions): asking the network would not help.
    """

    local = False


class LocalError(UvError):
    """The disk is full, or a folder can't be written."""

    local = True


def run_uv(name: str, arguments: list[str], folder: Path, report: Callable[[str], None]) -> None:
    """Run uv in `folder` (ours, so that no project of the user's gives it settings).

    Args:
        name: the engine kernel that it is for.
        report: gets uv's progress, a line each.

    Raises:
        UvError: it ended with an error.
        KernelError: there is no uv.
    """
    command = [uv_program(), "--no-progress", "--color", "never", *arguments]
    lines: list[str] = []
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            cwd=folder,
            env=uv_environment(),
        )
    except OSError as error:
        raise KernelError(f"{name} can't be built: uv does not start.", f"{error}.", "") from error
    with child:
        try:
            for line in child.stderr or ():
                lines.append(line.strip())
                if lines[-1].startswith(TOLD):
                    report(f"{name}: {lines[-1]}")
        except BaseException:
            child.kill()
            raise
    if child.returncode != 0:
        raise explained(name, lines)


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


def explained(name: str, lines: list[str]) -> UvError:
    """uv's words sorted into what the user can do about them."""
    low = "\n".join(lines).lower()
    cause = deepest(lines)
    if "no space left" in low or "disk quota" in low:
        return LocalError(
            f"{name} can't be built: the disk is full.",
            cause,
            "Free about 100 MB, or set WORKBENCH_HOME to a folder on another disk.",
        )
    if "permission denied" in low or "read-only file system" in low:
        return LocalError(
            f"{name} can't be built: a folder can't be written.",
            cause,
            "Set WORKBENCH_HOME (engine kernels) or UV_CACHE_DIR (uv's cache) to a folder you can write to.",
        )
    if "certificate" in low:
        return UvError(
            f"{name} can't be built: the package index's certificate is not trusted here.",
            cause,
            "Set SSL_CERT_FILE to your certificates, or UV_SYSTEM_CERTS=0 to use the bundled ones.",
        )
    if any(sign in low for sign in NETWORK):
        return UvError(
            f"{name} can't be built without a network: uv's cache does not have its packages yet.",
            cause,
            f"Connect once and run `workbench kernels install {name}`; from then on it works offline.",
        )
    return UvError(f"{name} can't be built.", cause, "`uv cache clean` helps against a broken cache.")


def deepest(lines: list[str]) -> str:
    """What failed and the deepest cause of it, out of uv's lines."""
    errors = [line for line in lines if line.startswith("error:")]
    causes = [line for line in lines if line.lower().startswith(("cause:", "caused by:"))]
    chosen = [*errors[:1], *causes[-1:]] or [line for line in lines if line][-2:]
    return " ".join(line.partition(": ")[2] if line in errors + causes else line for line in chosen)[:600]
