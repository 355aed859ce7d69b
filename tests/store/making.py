"""Small runs for the store's tests: apps, events and ends without an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.store import Recorder, Store


@dataclass(frozen=True)
class App:
    data: bytes = b"kind: app"
    name: str = "Refunds"
    mode: str = "advanced-chat"
    dsl_version: str | None = "0.6.0"


@dataclass(frozen=True)
class Saved:
    state: str = '{"version":"3.0"}'
    gate: str | None = '{"version":"2.0"}'
    reasons: Sequence[Mapping[str, Any]] = (
        {"type": "human_input_required", "node_id": "hum", "form_id": "form-1", "message": None},
    )


@dataclass(frozen=True)
class Ended:
    status: str = "succeeded"
    outputs: Mapping[str, Any] = field(default_factory=lambda: {"answer": "Goodbye"})
    error: str | None = None
    exceptions_count: int = 0
    node_run_steps: int = 2
    total_tokens: int = 7
    pause: Saved | None = None


PAUSED = Ended("paused", {}, pause=Saved())


def begin(store: Store, run_id: str = "run-1", **changes: Any) -> Recorder:
    """A run that begins; `changes` are other arguments of begin_run."""
    given: dict[str, Any] = {
        "run_id": run_id,
        "app_id": "a" * 32,
        "app_name": "Refunds",
        "mode": "advanced-chat",
        "kernel": "graphon-0.8",
        "inputs": {"colour": "blue"},
        "system": {"query": "Where is my parcel?"},
        "script": {},
        "options": {},
    }
    return store.begin_run(**given | changes)


def resume(store: Store, pause_id: str, run_id: str = "run-1", **changes: Any) -> Recorder:
    given: dict[str, Any] = {
        "run_id": run_id,
        "pause_id": pause_id,
        "forms": {"hum": {"action": "approve", "fields": {"note": "hi"}}},
        "gate_mode": "restored",
        "gate": '{"version":"2.0"}',
        "script": {},
        "options": {},
        "kernel": "graphon-0.8",
    }
    return store.begin_resume(**given | changes)


def node(name: str, xid: str | None = None, kind: str = "llm", **end: Any) -> list[dict[str, Any]]:
    """The events of a node that starts and succeeds."""
    head = {"node": name, "xid": xid or f"x-{name}", "type": kind}
    return [
        {"kind": "NodeRunStarted", **head, "title": name.title()},
        {"kind": "NodeRunSucceeded", **head, **end},
    ]


STARTED = {"kind": "GraphRunStarted", "reason": "initial"}
WAITING = [
    {"kind": "NodeRunStarted", "node": "hum", "xid": "x-hum", "type": "human-input", "title": "Ask a person"},
    {"kind": "NodeRunPauseRequested", "node": "hum", "xid": "x-hum", "reason": {"node_id": "hum"}},
    {"kind": "GraphRunPaused", "reasons": [], "outputs": {}},
]


def say(recorder: Recorder, events: Sequence[Mapping[str, Any]], at: float = 1_790_000_000.0) -> None:
    """Events, a second apart."""
    for n, event in enumerate(events, 1):
        recorder.event(n, at + n, event)


def paused_run(store: Store, run_id: str = "run-1") -> str:
    """A run that waits at a form; the id of its pause."""
    recorder = begin(store, run_id)
    say(recorder, [STARTED, *node("start", kind="start"), *WAITING])
    pause_id = recorder.finish(PAUSED)
    recorder.close()
    assert pause_id is not None
    return pause_id


def finished_run(store: Store, run_id: str, ended: Ended | None = None, **changes: Any) -> None:
    recorder = begin(store, run_id, **changes)
    say(recorder, [STARTED, *node("start", kind="start")])
    recorder.finish(ended or Ended())
    recorder.close()
