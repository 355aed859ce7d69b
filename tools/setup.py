"""Makes the project's `.venv`: a virtual environment with the locked uv in it, then what uv.lock says.

Run by `tools/setup` with any Python 3.12 or 3.13; needs only the standard library. Every step is repeated
safely: what an interrupted set-up left is used when it works and made anew when it does not.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path
from typing import Any

CERTIFICATES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
)
ELSEWHERE = ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME", "PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT")
"""Variables that would make pip or uv install somewhere else."""

LOCAL = ("permission denied", "read-only file system", "failed to initialize cache", "no space left")
"""Signs in a tool's words that this machine is at fault, not the network."""


class SetupError(Exception):
    """The set-up can't go on: a title, and the last words of the tool that failed."""


class Setup:
    """The set-up of one checkout."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.venv = root / ".venv"
        self.python = self.venv / "bin" / "python"
        self.uv = self.venv / "bin" / "uv"
        self.made_in = self.venv / ".made-in"
        self.syncing = self.venv / ".syncing"

    def make(self, what: str) -> None:
        """Make `.venv` fit: "start" what users need, "test" what developers need too. One at a time."""
        cache = self.root / ".cache"
        cache.mkdir(exist_ok=True)
        with (cache / "setup.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for stamp in self.venv.glob(".ready-*"):
                stamp.unlink()
            self.make_environment()
            self.bring_uv()
            self.sync(what)
            (self.venv / f".ready-{what}").write_text(str(self.root))

    def make_environment(self) -> None:
        """An environment with uv or pip, made here, of this process's Python version; one like that stays."""
        fits = f"import sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
        if ended_well(self.python, "-I", "-c", fits) and self.was_made_here() and self.has_tools():
            return
        say(f"making .venv with Python {sys.version.split()[0]}")
        shutil.rmtree(self.venv, ignore_errors=True)
        venv.create(self.venv, with_pip=True, symlinks=True)
        self.made_in.write_text(str(self.root))

    def has_tools(self) -> bool:
        """Whether there is uv, or pip to bring it."""
        return ended_well(self.uv, "--version") or ended_well(self.python, "-I", "-c", "import pip")

    def was_made_here(self) -> bool:
        """Whether .venv was made in this folder: the scripts of one that was moved point to the old place."""
        try:
            return self.made_in.read_text() == str(self.root)
        except OSError:
            return False

    def bring_uv(self) -> None:
        """The locked uv by pip, checked against the hashes in uv.lock."""
        lock = tomllib.loads((self.root / "uv.lock").read_text(encoding="utf-8"))
        package = next(entry for entry in lock["package"] if entry["name"] == "uv")
        version = package["version"]
        if version in output_of(self.uv, "--version").split():
            return
        say(f"fetching uv {version}")
        with tempfile.TemporaryDirectory() as folder:
            pinned = Path(folder) / "uv.txt"
            pinned.write_text(
                " ".join([f"uv=={version}", *(f"--hash={w['hash']}" for w in package["wheels"])])
            )
            pip = [self.python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
            pip += ["--only-binary=:all:", "--require-hashes", "--force-reinstall", "-r", pinned]
            bundles = [path for path in CERTIFICATES if Path(path).is_file()][:1]
            said = run_first([pip, *([*pip, "--cert", bundle] for bundle in bundles)], self.root)
        if said is None:
            return
        if (other := shutil.which("uv")) and ended_well(other, "--version"):
            say(f"pip could not fetch it; using {other}")
            shutil.copy2(other, self.uv)
            return
        raise SetupError("uv could not be fetched.", said)

    def sync(self, what: str) -> None:
        """What uv.lock says: the lock as it is, and in CI only if it still fits pyproject.toml.

        Offline first: a second set-up makes no connection. After one that was killed all is installed again:
        uv takes a package for whole whose files are only half there.
        """
        say("installing what uv.lock names")
        command = [
            self.uv,
            "sync",
            "--quiet",
            "--no-progress",
            "--locked" if os.environ.get("CI") else "--frozen",
        ]
        command += ["--no-dev", "--inexact"] if what == "start" else []
        command += ["--reinstall"] if self.syncing.exists() else []
        self.syncing.touch()
        here = {"UV_PROJECT_ENVIRONMENT": str(self.venv), "UV_PYTHON": str(self.python)}
        said = run_first([[*command, "--offline"], command], self.root, here)
        if said is not None:
            raise SetupError("What uv.lock names could not be installed.", said)
        self.syncing.unlink()


def run_first(commands: list[list[Any]], folder: Path, more: dict[str, str] | None = None) -> str | None:
    """Run commands until one ends well; None then, else what the last one said."""
    environment = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
    environment |= {"UV_PYTHON_DOWNLOADS": "never"} | (more or {})
    environment.setdefault("UV_SYSTEM_CERTS", "1")
    said = ""
    for command in commands:
        done = subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        if done.returncode == 0:
            return None
        said = done.stderr.strip()
    return said


def ended_well(*command: str | Path) -> bool:
    """Whether a command can be run and ends with 0."""
    try:
        return (
            subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60).returncode == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        return False


def output_of(*command: str | Path) -> str:
    """What a command prints; nothing when it can't be run."""
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
    except OSError:
        return ""


def advice(said: str) -> str:
    """What to do about a failure, by the words of the tool that failed."""
    if any(sign in said.lower() for sign in LOCAL):
        return (
            "A folder can't be written. Give HOME a folder that can, "
            "or set UV_CACHE_DIR (uv's cache) and WORKBENCH_HOME (engine kernels and the store)."
        )
    return "The first set-up needs a network with a Python package index; later ones do not."


def say(text: str) -> None:
    print(f"setup: {text}", file=sys.stderr, flush=True)


def main(what: str) -> int:
    try:
        Setup(Path(__file__).resolve().parent.parent).make(what)
    except SetupError as error:
        title, said = error.args
        tail = "\n".join(f"  {line}" for line in said.splitlines()[-4:])
        print(f"{title}\n{tail}\n{advice(said)}\nTry again: it goes on where it stopped.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
