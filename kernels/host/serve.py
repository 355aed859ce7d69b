"""The program's loop: commands in, one after another; abort and pause reach the run that is on."""

from __future__ import annotations

import json
import logging
import os
import platform
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Mapping
from typing import Any

from . import PROTOCOL, lifeline
from .control import Control
from .errors import HostError
from .generation import installed
from .outbox import Outbox

_EXIT = object()
LAST_WORDS = 1.0
"""Seconds for the last messages when the process must end."""


def main() -> int:
    # What libraries print must not get between the messages: it goes to standard error.
    sys.stdout.flush()
    descriptor = os.dup(1)
    os.dup2(2, 1)
    outbox = Outbox(descriptor)
    try:
        return Host(outbox).serve()
    finally:
        outbox.flush()


class Host:
    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._jobs: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._last: Control | None = None

    def serve(self) -> int:
        lifeline.watch(self._orphaned)
        signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=self._orphaned).start())
        graphon = installed()
        self._outbox.send(
            {
                "msg": "ready",
                "protocol": PROTOCOL,
                "graphon": graphon,
                "kernel": f"graphon-{'.'.join(graphon.split('.')[:2])}",
                "python": platform.python_version(),
                "pid": os.getpid(),
            }
        )
        threading.Thread(target=self._read, name="commands", daemon=True).start()
        # graphon logs every failing node with its traceback; the events tell the same.
        logging.disable(logging.CRITICAL)
        # The first command pays 0.3 s for this import otherwise.
        self._warm()
        while (job := self._jobs.get()) is not _EXIT:
            self._do(*job)
        return 0

    def _warm(self) -> None:
        try:
            from . import run  # noqa: F401
        except Exception as error:  # told again, as an error message, by the command that needs it
            print(f"graphon can't be imported: {error}", file=sys.stderr)

    def _do(self, command: Mapping[str, Any], control: Control) -> None:
        name = command.get("cmd")
        try:
            from .run import describe, run

            if name == "describe":
                describe(command, self._outbox)
            else:
                run(command, self._outbox, control)
        except HostError as error:
            self._outbox.send(error.message())
        except RecursionError:
            self._outbox.send(
                HostError("The app is nested too deeply", "", "Flatten the data in its nodes.").message()
            )
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            cause = f"{type(error).__name__}: {error}"
            told = HostError(
                "The engine kernel failed", cause, "Please report this with the app.", None, True
            )
            self._outbox.send(told.message())

    # ---- the reader's thread

    def _read(self) -> None:
        with open(0, "rb", closefd=False) as stdin:
            for line in stdin:
                if line.strip():
                    self._command(line)
        # Nobody will read the rest: a run that is still on ends with its process.
        self._orphaned()

    def _command(self, line: bytes) -> None:
        try:
            command = json.loads(line)
        except (ValueError, RecursionError) as error:
            self._refuse("A command is not JSON", str(error))
            return
        name = command.get("cmd") if isinstance(command, dict) else None
        if name in ("run", "resume", "describe"):
            self._last = Control()
            self._jobs.put((command, self._last))
        elif name == "abort":
            if self._last is not None:
                self._last.abort(str(command.get("reason") or "Stopped by the user"))
        elif name == "pause":
            if self._last is not None:
                self._last.pause(str(command.get("reason") or "Paused by the user"))
        elif name == "answer":
            if self._last is not None:
                self._last.answer(command)
        elif name == "exit":
            self._jobs.put(_EXIT)
        else:
            self._refuse(f"There is no command {name!r}", "")

    def _refuse(self, title: str, cause: str) -> None:
        self._outbox.send(HostError(title, cause, "See kernels/PROTOCOL.md for the commands.").message())

    def _orphaned(self) -> None:
        """Leave at once. What is written already goes out first, if anybody takes it."""
        last = threading.Thread(target=self._outbox.flush, daemon=True)
        last.start()
        last.join(LAST_WORDS)
        os._exit(0)
