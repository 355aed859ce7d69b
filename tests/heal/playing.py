"""Plays a random app twice on an engine kernel: with every gate kept, and with every gate rebuilt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.heal.random_apps import random_app
from workbench.engine.client import Client
from workbench.records.app import App, read_app
from workbench.records.inputs import system_variables
from workbench.verbs.heal import healed_gate
from workbench.verbs.pauses import PauseSource

MOST_PAUSES = 8


@dataclass
class Line:
    """What a chat user saw over all segments.

    Attributes:
        texts: one text for each segment.
        doubts: what heal said it could not know, over all its pauses.
    """

    texts: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    rebuilt: int = 0
    status: str = ""
    answer: str | None = None

    @property
    def streamed(self) -> str:
        return "".join(self.texts)


@dataclass(frozen=True)
class Pair:
    """Both lines of one app."""

    seed: int
    kept: Line
    healed: Line

    @property
    def same(self) -> bool:
        return self.kept.streamed == self.healed.streamed

    def told(self) -> str:
        return (
            f"seed {self.seed}: kept {self.kept.texts}, healed {self.healed.texts}, "
            f"doubts {self.healed.doubts}, answer {self.kept.answer!r}"
        )


def play_pair(client: Client, kernel: str, seed: int, *, with_message: bool) -> Pair:
    """Both lines from one first segment.

    Args:
        with_message: heal is told what the chat user has been shown.
    """
    data, script = random_app(seed)
    app = read_app(data, f"random {seed}")
    order = {"run_id": "run-1", "app": app.payload(), "script": script, "options": {}}
    start = {
        **order,
        "cmd": "run",
        "inputs": {},
        "system": system_variables(app, query="hi", run_id="run-1"),
    }
    text, end = command(client, start)
    lines = []
    for healing in (False, True):
        line = Line([text])
        finish(client, kernel, app, order, end, line, healing, with_message)
        lines.append(line)
    return Pair(seed, *lines)


def finish(
    client: Client,
    kernel: str,
    app: App,
    order: Mapping[str, Any],
    end: Mapping[str, Any],
    line: Line,
    healing: bool,
    with_message: bool,
) -> None:
    """Resume to the end, the first waiting form each time."""
    for number in range(MOST_PAUSES):
        pause = end["pause"]
        if pause is None:
            break
        gate = pause["gate"]
        if healing:
            gate = _healed(kernel, app, pause, line, with_message)
        node = pause["reasons"][0]["node_id"]
        form = {node: {"action": "approve", "fields": {"note": f"n{number}"}}}
        resume = {**order, "cmd": "resume", "state": pause["state"], "forms": form}
        text, end = command(client, {**resume, "gate": {"mode": "restored", "state": gate}})
        line.texts.append(text)
    line.status, line.answer = end["status"], end["outputs"].get("answer")


def _healed(kernel: str, app: App, pause: Mapping[str, Any], line: Line, with_message: bool) -> str:
    source = PauseSource(app, kernel, pause["state"], None, tuple(pause["reasons"]))
    healed, how, _ = healed_gate(source, line.streamed if with_message else None)
    assert how == "rebuilt"
    line.doubts += healed.doubts
    line.rebuilt += 1
    return healed.gate_text


def command(client: Client, order: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Send a command; what was streamed, and the `end` message."""
    client.send(dict(order))
    text = ""
    for message in client.messages():
        if message["msg"] == "stream":
            assert "error" not in message, message
            text += "".join(chunk[2] for chunk in message["chunks"])
        elif message["msg"] == "error":
            raise AssertionError(message)
        elif message["msg"] == "end":
            return text, dict(message)
    raise AssertionError("the kernel ended")
