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

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
UV = VENV / "bin" / "uv"
CERTIFICATES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")


def main(what: str) -> int:
    cache = ROOT / ".cache"
    cache.mkdir(exist_ok=True)
    with (cache / "setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for stamp in VENV.glob(".ready-*"):
            stamp.unlink()
        make_environment()
        bring_uv()
        sync(what)
        (VENV / f".ready-{what}").write_text(str(ROOT))
    return 0


def runs(*command: str | Path) -> bool:
    """Whether a command ends well, and quietly if not."""
    try:
        return (
            subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60).returncode == 0
        )
    except (OSError, subprocess.TimeoutExpired):
        return False


def make_environment() -> None:
    """A virtual environment with uv or pip; one that works and has the Python version of this process stays."""
    fits = f"import sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    usable = runs(PYTHON, "-I", "-c", fits) and (
        runs(UV, "--version") or runs(PYTHON, "-I", "-c", "import pip")
    )
    if usable and made_here():
        return
    say(f"making .venv with Python {sys.version.split()[0]}")
    shutil.rmtree(VENV, ignore_errors=True)
    venv.create(VENV, with_pip=True, symlinks=True)
    (VENV / ".made-in").write_text(str(ROOT))


def made_here() -> bool:
    """Whether .venv was made in this folder: the scripts of one that was moved point to the old place."""
    try:
        return (VENV / ".made-in").read_text() == str(ROOT)
    except OSError:
        return False


def bring_uv() -> None:
    """The locked uv by pip, checked against the hashes in uv.lock."""
    package = next(entry for entry in read_lock()["package"] if entry["name"] == "uv")
    version = package["version"]
    if (
        runs(UV, "--version")
        and version in subprocess.run([UV, "--version"], capture_output=True, text=True).stdout
    ):
        return
    say(f"fetching uv {version}")
    hashes = " ".join(f"--hash={wheel['hash']}" for wheel in package["wheels"])
    with tempfile.TemporaryDirectory() as folder:
        pinned = Path(folder) / "uv.txt"
        pinned.write_text(f"uv=={version} {hashes}\n")
        pip = [str(PYTHON), "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps"]
        pip += ["--only-binary=:all:", "--require-hashes", "--force-reinstall", "-r", str(pinned)]
        bundles = [path for path in CERTIFICATES if Path(path).is_file()]
        attempts = [pip, *([*pip, "--cert", bundle] for bundle in bundles[:1])]
        said = ""
        for attempt in attempts:
            done = subprocess.run(attempt, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if done.returncode == 0:
                return
            said = said or done.stderr.strip()
    if (other := shutil.which("uv")) and runs(other, "--version"):
        say(f"pip could not fetch it; using {other}")
        shutil.copy2(other, UV)
        return
    give_up("uv could not be fetched.", said)


def sync(what: str) -> None:
    """What uv.lock says: from the lock as it is, and in CI only if the lock still fits pyproject.toml."""
    say("installing what uv.lock names")
    command = [
        str(UV),
        "sync",
        "--quiet",
        "--no-progress",
        "--locked" if os.environ.get("CI") else "--frozen",
    ]
    command += ["--no-dev", "--inexact"] if what == "start" else []
    environment = {
        name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")
    }
    environment |= {
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_PROJECT_ENVIRONMENT": str(VENV),
        "UV_PYTHON": str(PYTHON),
    }
    environment.setdefault("UV_SYSTEM_CERTS", "1")
    for offline in (["--offline"], []):
        quiet = bool(offline)
        done = subprocess.run([*command, *offline], cwd=ROOT, env=environment, capture_output=True, text=True)
        if done.returncode == 0:
            return
        if not quiet:
            give_up("What uv.lock names could not be installed.", done.stderr.strip())


def read_lock() -> dict[str, list[dict]]:
    return tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))


def say(text: str) -> None:
    print(f"setup: {text}", file=sys.stderr, flush=True)


def give_up(title: str, said: str) -> None:
    """End with what the tool said; without a network this is the place where a first set-up ends."""
    tail = "\n".join(f"  {line}" for line in said.splitlines()[-6:])
    print(
        f"{title}\n{tail}\nThe first set-up needs a network with a Python package index; later ones do not. "
        "Try again: it goes on where it stopped.",
        file=sys.stderr,
    )
    sys.exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
