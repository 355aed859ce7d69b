"""Code nodes for real (`real_code`): each call in an isolated child with limits, in a folder that goes
away."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from . import written
from .code import CodeExecutionError
from .isolation import CPU_SECONDS, FILE_BYTES, MEMORY_BYTES, hide_from_children
from .waiting import StoppedError, Waiter

WALL_SECONDS = 15.0
_CHILD = Path(__file__).with_name("sandbox_child.py")
_LOOK = 0.02
_SYSTEM = (
    "/usr",
    "/lib",
    "/lib64",
    "/bin",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/localtime",
    "/etc/ssl",
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_LANGUAGES = ("python3", "javascript")


class Sandbox:
    """Runs code; one for each run of an app."""

    def __init__(
        self,
        waiter: Waiter,
        seconds: float = WALL_SECONDS,
        wrapper: Callable[[Path], list[str]] | None = None,
    ) -> None:
        """`wrapper` gives a command that runs the child inside of the system's own sandbox (macOS)."""
        self._waiter, self._seconds, self._wrapper = waiter, seconds, wrapper
        hide_from_children()

    def execute(self, language: str, code: str, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """What `main` gives back.

        Raises:
            CodeExecutionError: the code failed, took too long or too much, or gave no mapping.
            StoppedError: the run was aborted meanwhile.
        """
        if language not in _LANGUAGES:
            raise CodeExecutionError(f"Code in {language} can't be run here.")
        node = shutil.which("node") if language == "javascript" else None
        if language == "javascript" and node is None:
            raise CodeExecutionError(
                "JavaScript needs `node`, and this machine has none; script its outputs."
            )
        folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="workbench-code-")))
        try:
            (folder / "code").write_text(code, "utf-8", "surrogatepass")
            (folder / "inputs.json").write_text(json.dumps(inputs, default=_plain), "utf-8")
            (folder / "paths.json").write_text(
                json.dumps({"readable": readable(node), "node": node}), "utf-8"
            )
            status = self._run(folder, language)
            return _result(folder, status)
        finally:
            written.remove(folder)

    def _run(self, folder: Path, language: str) -> int:
        before = self._wrapper(folder) if self._wrapper else []
        before_bytes = written.size_of(folder)
        command = [*before, sys.executable, "-I", "-B", "-X", "utf8", str(_CHILD), str(folder), language]
        with (folder / "stderr.txt").open("wb") as errors:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env={},
                cwd=folder,
                start_new_session=True,
            )
        try:
            return self._wait(child, folder, before_bytes)
        finally:
            _end(child)

    def _wait(self, child: subprocess.Popen[bytes], folder: Path, before: int) -> int:
        deadline = time.monotonic() + self._seconds
        while True:
            try:
                return child.wait(timeout=_LOOK)
            except subprocess.TimeoutExpired:
                pass
            if self._waiter.stopped:
                raise StoppedError
            if time.monotonic() > deadline:
                raise CodeExecutionError(f"The code ran longer than {self._seconds:g} seconds.")
            if _resident(child.pid) > MEMORY_BYTES:
                raise CodeExecutionError(f"The code took more than {MEMORY_BYTES // 1024**2} MB of memory.")
            try:
                written.check(folder, child.pid, before)
            except written.TooMuchError as error:
                raise CodeExecutionError(str(error)) from None


def readable(node: str | None) -> list[str]:
    """Folders and files that the code may read: the interpreter and the system's libraries, nothing of the
    user's."""
    here = [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, str(_CHILD.parent)]
    real = [os.path.realpath(path) for path in (sys.executable, *([node] if node else []))]
    return sorted({os.path.realpath(p) for p in (*here, *_SYSTEM, *_DEVICES) if p and p != "/"} | set(real))


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kill what is left; the child led a session of its own."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        if child.poll() is None:
            child.kill()
    child.wait()


def _resident(pid: int) -> int:
    """Bytes of memory in use; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _result(folder: Path, status: int) -> Mapping[str, Any]:
    error = folder / "error.txt"
    if error.exists():
        raise CodeExecutionError(_read(error, 10_000) or "The code failed and left no reason.")
    if status != 0:
        raise CodeExecutionError(_death(status, _read(folder / "stderr.txt", 20_000)))
    result = folder / "result.json"
    if not result.exists():
        raise CodeExecutionError("The code ended the process before `main` gave a result.")
    try:
        value = json.loads(_read(result, FILE_BYTES + 1))
    except ValueError as error:
        raise CodeExecutionError(f"The result of `main` is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise CodeExecutionError(f"`main` must give a mapping of outputs, not {type(value).__name__}.")
    return value


def _read(path: Path, most: int) -> str:
    """A regular file the code left behind (it may have put anything there)."""
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(most).decode("utf-8", "replace")


def _death(status: int, errors: str) -> str:
    signals = {
        -signal.SIGXCPU: f"The code took more than {CPU_SECONDS} seconds of processor time.",
        -signal.SIGKILL: f"The code was killed: more than {CPU_SECONDS} s of processor time, or no memory.",
        -signal.SIGXFSZ: f"The code wrote a file of more than {FILE_BYTES // 1_000_000} MB.",
        -signal.SIGSYS: "The code asked the system for something that is not allowed.",
    }
    told = [line.strip() for line in errors.splitlines() if line.strip()]
    if any("heap out of memory" in line for line in told):
        return "The code took more memory than JavaScript may have here (256 MB)."
    if status in signals:
        return signals[status]
    if status < 0:
        return f"The code crashed its process ({signal.Signals(-status).name})."
    # node prints the place, a caret, then the error and its stack; Python the error last.
    told = [line.removeprefix("<ref *1> ") for line in told]
    kinds = [line for line in told if line.split(":")[0].endswith("Error") and not line.startswith("at ")]
    line = next((part.rsplit(":", 1)[-1] for part in told if "code.js:" in part and "at " not in part), "")
    message = kinds[0] if kinds else (told[-1] if told else f"The code ended with status {status}.")
    return f"{message} (line {line} of the code)" if line.isdigit() else message


def _plain(value: Any) -> Any:
    for name in ("to_dict", "to_object", "model_dump"):
        method = getattr(value, name, None)
        if callable(method):
            return method()
    return str(value)
