"""One engine kernel as a child process: the start, the handshake, commands in, messages out, its end.

The protocol is `kernels/PROTOCOL.md`, version 1: one JSON object a line.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import IO, Any, Self

from workbench.engine.kernels import Kernel
from workbench.errors import KernelError

PROTOCOL = 1
MAX_LINE = 256 * 1024 * 1024
"""Bytes of one message; a saved state with values of 10 MB each stays below."""
START_SECONDS = 60
"""For the interpreter to start and import graphon: 0.4 s, several times that on a cold disk."""
EXIT_SECONDS = 2
STDERR_KEPT = 16 * 1024
PASSED_ON = ("PATH", "HOME", "TMPDIR", "TZ", "LANG", "LC_ALL", "LC_CTYPE")
NETWORK_VARIABLES = (
    "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
    "http_proxy", "https_proxy", "all_proxy", "no_proxy",
)  # fmt: skip
MODEL_KEY = "WORKBENCH_MODEL_KEY"

Message = dict[str, Any]


class KernelDiedError(KernelError):
    """The child ended, or sent something that is not the protocol."""


class KernelStartError(KernelDiedError):
    """The child did not come as far as `ready`: its interpreter or its packages are damaged, or too old."""


class Client:
    """A child process that becomes an engine kernel: started at once, ready when the `with` block begins.

    One command at a time; `send` and `kill` from any thread. Whoever makes one closes it.

    Args:
        options: of the protocol. `real_http` and `model` let the network's variables through, `model` also
            the key.

    Raises:
        KernelStartError: the child can't be started.
    """

    def __init__(self, kernel: Kernel, options: Mapping[str, Any] | None = None) -> None:
        self.kernel = kernel
        self._writing = threading.Lock()
        self._stderr = bytearray()
        self._killed_because = ""
        self.ready: Message = {}
        try:
            self._child = subprocess.Popen(
                [str(kernel.python), "-I", "-X", "utf8", str(kernel.host)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=-1,
                cwd="/",
                env=child_environment(options or {}),
                start_new_session=True,
            )
        except OSError as error:
            raise KernelStartError(
                f"The engine kernel {kernel.name} does not start.",
                f"{kernel.python}: {error.strerror or error}.",
                f"Build it again: workbench kernels install {kernel.name}",
            ) from error
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        assert self._child.stderr is not None
        self._in: IO[bytes] = self._child.stdin
        self._out: IO[bytes] = self._child.stdout
        self._reader = threading.Thread(
            target=self._keep_stderr, args=(self._child.stderr,), name=f"{kernel.name}-stderr", daemon=True
        )
        self._reader.start()
        self._watcher = threading.Thread(target=self._watch, name=f"{kernel.name}-end", daemon=True)
        self._watcher.start()

    def __enter__(self) -> Self:
        """Wait for the child's `ready` (once).

        Raises:
            KernelStartError: it does not come, or speaks another protocol.
        """
        if not self.ready:
            try:
                self.ready = self._shake_hands()
            except BaseException as error:
                self.close()
                if isinstance(error, KernelDiedError):
                    title = f"The engine kernel {self.kernel.name} does not start."
                    raise KernelStartError(title, error.cause, error.next_step) from error
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def send(self, command: Mapping[str, Any]) -> bool:
        """Send one command; False when the child is gone (its end is told by `messages`)."""
        line = json.dumps(command, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"
        with self._writing:
            try:
                self._in.write(line)
                self._in.flush()
            except (BrokenPipeError, ValueError):
                return False
        return True

    def messages(self) -> Iterator[Message]:
        """The messages as they come, without end: the caller stops at the one that answers its command.

        Raises:
            KernelDiedError: the child ended, or broke the protocol. The cause holds its last words.
        """
        readline, loads = self._out.readline, json.loads
        while True:
            line = readline(MAX_LINE)
            if line[-1:] != b"\n":
                raise self._death("sent a message that is too long" if len(line) >= MAX_LINE else "")
            try:
                message = loads(line)
                message["msg"]
            except (ValueError, RecursionError, TypeError, KeyError):
                raise self._death(f"sent a line that is not the protocol: {_printable(line[:200])}") from None
            yield message

    def kill(self, because: str) -> None:
        """End the child and its own children at once; `because` is the cause in the error that follows."""
        self._killed_because = self._killed_because or because
        if self._child.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._child.pid, signal.SIGKILL)

    def close(self) -> None:
        """Let the child go: its standard input is closed; after EXIT_SECONDS it is killed. Twice is fine."""
        with self._writing, contextlib.suppress(OSError, ValueError):
            self._in.close()
        drain = threading.Thread(target=self._drain, daemon=True)
        drain.start()
        try:
            self._ended()
        except BaseException:
            self.kill("it was interrupted")
            raise
        drain.join(EXIT_SECONDS)
        self._reader.join(EXIT_SECONDS)

    @property
    def stderr_tail(self) -> str:
        """The last 16 kB that the child wrote for people, without control characters."""
        return _printable(bytes(self._stderr))

    def _shake_hands(self) -> Message:
        late = threading.Timer(START_SECONDS, self.kill, [f"it was not ready after {START_SECONDS} seconds"])
        late.daemon = True
        late.start()
        try:
            message = next(self.messages())
        finally:
            late.cancel()
        if message["msg"] != "ready" or message.get("protocol") != PROTOCOL:
            raise KernelDiedError(
                "It does not fit this workbench.",
                f"It speaks protocol {message.get('protocol')!r}, the workbench {PROTOCOL}.",
                "Install answer-workbench again: the host program and the package belong together.",
            )
        return message

    def broken(self, what: str) -> KernelDiedError:
        """The error for a child that broke the protocol; it is killed. `what` goes on after "it"."""
        return self._death(what)

    def _death(self, what: str) -> KernelDiedError:
        """The error that tells what became of the child; waits for it so that its last words are complete."""
        if what:
            self.kill(f"it {what}")
        code = self._ended()
        self._reader.join(EXIT_SECONDS)
        because = self._killed_because or _ending(code)
        words = self.stderr_tail.strip()
        return KernelDiedError(
            f"The engine kernel {self.kernel.name} ended in the middle of its work.",
            f"{because[:1].upper()}{because[1:]}." + (f" Its last words:\n{_tail(words)}" if words else ""),
            f"Nothing recorded is lost. If it happens again: workbench kernels install {self.kernel.name}",
        )

    def _ended(self) -> int:
        """Wait for a child that has closed its output or its input. Its exit code."""
        self._watcher.join(EXIT_SECONDS)
        if self._watcher.is_alive():
            self.kill("it did not exit")
            self._watcher.join()
        return self._child.wait()

    def _watch(self) -> None:
        """When the child has ended, end what it started: that would keep its pipes open, and us waiting.

        The child is looked at without being collected, so that its process group is surely its own.
        """
        if hasattr(os, "waitid"):
            os.waitid(os.P_PID, self._child.pid, os.WEXITED | os.WNOWAIT)
        else:
            self._child.wait()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, signal.SIGKILL)

    def _keep_stderr(self, stream: IO[bytes]) -> None:
        with stream:
            while chunk := os.read(stream.fileno(), 4096):
                self._stderr += chunk
                del self._stderr[:-STDERR_KEPT]

    def _drain(self) -> None:
        """Read what is left, so that a child that is writing can see its standard input close and exit."""
        with contextlib.suppress(OSError, ValueError):
            while self._out.read(65536):
                pass
            self._out.close()


def child_environment(options: Mapping[str, Any]) -> dict[str, str]:
    """The child's environment: a few harmless variables; more only where a run asked for the real world."""
    names = list(PASSED_ON)
    if options.get("real_http") or options.get("model"):
        names += NETWORK_VARIABLES
    if options.get("model"):
        names.append(MODEL_KEY)
    environment = {name: os.environ[name] for name in names if name in os.environ}
    environment.setdefault("PATH", os.defpath)
    return environment


def _ending(code: int) -> str:
    if code < 0:
        with contextlib.suppress(ValueError):
            return f"it was ended by {signal.Signals(-code).name}"
    return f"it exited with {code}"


def _tail(words: str, lines: int = 12) -> str:
    return "\n".join(words.splitlines()[-lines:])


def _printable(data: bytes) -> str:
    """Text without control characters: what a kernel prints may come from a stranger's app."""
    text = data.decode("utf-8", "replace")
    return "".join(char if char.isprintable() or char == "\n" else " " for char in text)
