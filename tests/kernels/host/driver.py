"""Drives `kernels/host` as its parent does: commands on standard input, messages from standard output."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import CACHE, REPOSITORY
from workbench.engine.kernels import ensure
from workbench.records.app import App, read_app
from workbench.records.inputs import fill_inputs, system_variables

HOST = REPOSITORY / "kernels" / "host"
FIXTURES = REPOSITORY / "fixtures"
GENERATIONS = ("0.8", "0.7", "0.6", "0.5")
NOON = 1_767_268_800
"""1 January 2026, 12:00 UTC: runs of one second and the next must be alike."""
PATIENCE = 60
"""Seconds without a message after which a test gives up."""


def interpreter(generation: str) -> Path:
    """The kernel's Python. WORKBENCH_TEST_GRAPHON may name a folder with environments `g0.8`, `g0.7`, ..."""
    given = os.environ.get("WORKBENCH_TEST_GRAPHON")
    if given:
        return next(Path(given).glob(f"g{generation}*")) / "bin" / "python"
    return ensure(f"graphon-{generation}", CACHE, lambda _: None).python


@dataclass(frozen=True)
class Fixture:
    app: App
    script: Mapping[str, Any]
    scenarios: Sequence[Mapping[str, Any]]
    kernels: frozenset[str]


def fixture(name: str) -> Fixture:
    """`shapes/t1-if-else` and the like."""
    folder = FIXTURES / name
    expected = yaml.safe_load((folder / "expected.yml").read_text())
    script = folder / "script.yml"
    return Fixture(
        read_app((folder / "app.yml").read_bytes(), name),
        yaml.safe_load(script.read_text()) if script.exists() else {},
        expected["scenarios"],
        frozenset(expected.get("kernels") or [f"graphon-{name}" for name in GENERATIONS]),
    )


@dataclass
class Outcome:
    """All messages of one command, and what they add up to."""

    messages: list[dict[str, Any]] = field(default_factory=list)

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.messages if message["msg"] == kind]

    @property
    def end(self) -> dict[str, Any]:
        assert self.messages[-1]["msg"] == "end", self.messages[-1]
        return self.messages[-1]

    @property
    def error(self) -> dict[str, Any]:
        assert self.messages[-1]["msg"] == "error", self.messages[-1]
        return self.messages[-1]

    @property
    def status(self) -> str:
        return self.end["status"]

    @property
    def answer(self) -> str | None:
        return self.end["outputs"].get("answer")

    @property
    def chunks(self) -> list[str]:
        return [chunk[2] for message in self.of("stream") for chunk in message.get("chunks", [])]

    @property
    def events(self) -> list[dict[str, Any]]:
        return [message["event"] for message in self.of("event")]

    def kinds(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["kind"] == kind]

    @property
    def pause(self) -> dict[str, Any]:
        return self.end["pause"]

    def started(self) -> list[str]:
        return [event["node"] for event in self.kinds("NodeRunStarted")]


class Host:
    """A running host. Use as a context manager: leaving closes its standard input."""

    def __init__(self, generation: str, folder: Path = HOST) -> None:
        self.generation = generation
        self.process = subprocess.Popen(
            [interpreter(generation), "-I", "-X", "utf8", folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._messages: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self.errors = bytearray()
        self.open_commands = 0
        self.aborted = False
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()
        self.ready = self.next()

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> int:
        assert self.process.stdin is not None
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            return self.process.wait(5)
        finally:
            self.process.kill()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._messages.put(json.loads(line))
        self._messages.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors += line

    def send(self, **command: Any) -> None:
        self.open_commands += command["cmd"] in ("run", "resume", "describe")
        self.aborted = self.aborted or command["cmd"] == "abort"
        self.send_bytes(json.dumps(command).encode() + b"\n")

    def send_bytes(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def next(self) -> dict[str, Any]:
        message = self._messages.get(timeout=PATIENCE)
        assert message is not None, f"the host ended: {self.errors.decode()}"
        self.open_commands -= message["msg"] in ("end", "error", "done")
        return message

    def stays(self) -> bool:
        """Does the host take further commands? One whose run did not hear an abort in time ends behind its
        last message, and may be about to.
        """
        if self.aborted:
            try:
                self.send_bytes(b'{"cmd": "describe"}\n')
            except OSError:
                return False
            if self._messages.get(timeout=PATIENCE) is None:
                return False
            self.aborted = False
        return self.process.poll() is None

    def ended(self) -> bool:
        """The stream of messages is over (waits for it)."""
        return self._messages.get(timeout=PATIENCE) is None

    def rest(self) -> list[dict[str, Any]]:
        """All messages until the host ends."""
        messages = []
        while (message := self._messages.get(timeout=PATIENCE)) is not None:
            messages.append(message)
        return messages

    def until(self, *kinds: str, into: Outcome | None = None) -> Outcome:
        """Messages up to one of these kinds (default: what ends a command), that one included."""
        outcome = into or Outcome()
        while True:
            message = self.next()
            outcome.messages.append(message)
            if message["msg"] in (kinds or ("end", "error", "done")):
                return outcome

    def until_event(self, kind: str, node: str | None = None) -> Outcome:
        outcome = Outcome()
        while True:
            message = self.next()
            outcome.messages.append(message)
            assert message["msg"] not in ("end", "error"), message
            event = message.get("event", {})
            if event.get("kind") == kind and node in (None, event.get("node")):
                return outcome

    # ---- whole commands

    def order(self, app: App | Mapping[str, Any], **more: Any) -> dict[str, Any]:
        payload = app.payload() if isinstance(app, App) else app
        return {"run_id": "run-1", "app": payload, "script": {}, "limits": {}, "options": {}, **more}

    def begin(self, app: App | Mapping[str, Any], query: str = "hi", **more: Any) -> None:
        run_id = more.get("run_id", "run-1")
        known = isinstance(app, App)
        inputs = fill_inputs(app, more.pop("given", {})) if known else {}
        system = (
            system_variables(app, query=query, run_id=run_id, timestamp=NOON) if known else {"query": query}
        )
        self.send(cmd="run", **{"inputs": inputs, "system": system, **self.order(app, **more)})

    def run(self, app: App | Mapping[str, Any], query: str = "hi", **more: Any) -> Outcome:
        self.begin(app, query, **more)
        return self.until()

    def resume(
        self,
        app: App | Mapping[str, Any],
        pause: Mapping[str, Any],
        gate: str = "restored",
        **more: Any,
    ) -> Outcome:
        state = pause["gate"] if gate == "restored" else None
        command = {"state": pause["state"], "gate": {"mode": gate, "state": state}}
        self.send(cmd="resume", **{**command, **self.order(app, **more)})
        return self.until()
