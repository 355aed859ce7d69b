"""What goes into an engine kernel and what comes out: frozen values and the sink's protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Status = Literal["succeeded", "partial-succeeded", "failed", "paused", "stopped"]


@dataclass(frozen=True)
class Order:
    """One run or one resume. It is a resume when `state` is not None.

    Attributes:
        payload: APP of the protocol.
        script, limits, options: as the protocol has them.
        inputs, system: {name: value} of a start; system names without "sys.".
        state: the runtime snapshot's text of a resume.
        gate: {"mode": "restored" | "fresh", "state": the filter's dump as text or None} of a resume.
        forms: {node id: {"action", "fields"}} of a resume.
        answers: asked for what nodes with memory want to know, when `options` has `memory`. What it raises
            becomes the node's failure.
    """

    kernel: str
    run_id: str
    payload: Mapping[str, Any]
    script: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    system: Mapping[str, Any] = field(default_factory=dict)
    state: str | None = None
    gate: Mapping[str, Any] | None = None
    forms: Mapping[str, Any] = field(default_factory=dict)
    answers: Answers | None = None

    def command(self) -> dict[str, Any]:
        """The protocol's `run` or `resume`."""
        common = {
            "run_id": self.run_id,
            "app": self.payload,
            "script": self.script,
            "limits": self.limits,
            "options": self.options,
        }
        if self.state is None:
            return {"cmd": "run", **common, "inputs": self.inputs, "system": self.system}
        gate = self.gate or {"mode": "fresh", "state": None}
        return {"cmd": "resume", **common, "state": self.state, "gate": gate, "forms": self.forms}


Answers = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Answers a question of a node (message `ask`): the history of the conversation, or a count of tokens."""


class Sink(Protocol):
    """Takes what a run says, in order, in the thread of `execute`. What it raises ends the run."""

    def graph(self, message: Mapping[str, Any]) -> None:
        """The graph as this graphon reports it (message `graph`)."""

    def pool(self, variables: Mapping[str, Any]) -> None:
        """The variable pool before the first event: {node: {name: {"type", "value"}}}."""

    def event(self, n: int, at: float, event: Mapping[str, Any]) -> None:
        """One raw engine event: its number from 1 in this order, seconds since 1970, the protocol's EVENT."""

    def stream(self, n: int, chunks: Sequence[Sequence[Any]], error: str | None) -> None:
        """What the gate let through on event n: [[node id, selector, text, final], ...]; or why it died."""

    def note(self, text: str) -> None:
        """Something the user should know; also the progress of an engine kernel's build."""


@dataclass(frozen=True)
class PauseSaved:
    """All that a resume needs, dumped after the run ended. `gate` is None when the run had none."""

    state: str
    gate: str | None
    reasons: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Ended:
    """How an order ended. `pause` is there exactly when `status` is "paused"."""

    status: Status
    outputs: Mapping[str, Any]
    error: str | None
    exceptions_count: int
    node_run_steps: int
    total_tokens: int
    pause: PauseSaved | None
