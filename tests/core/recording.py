"""Plays a fixture's scenario on an engine kernel and keeps what its real filter said after each event."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from workbench.core.graph import Graph
from workbench.core.graph_of import graph_of
from workbench.core.state import Base, Journal, Segment
from workbench.engine import install
from workbench.engine.client import Client
from workbench.home import home
from workbench.records.app import App, read_app
from workbench.records.gate_state import edge_names, translate_edges
from workbench.records.inputs import fill_inputs, system_variables
from workbench.records.runtime_state import read_runtime_state
from workbench.records.script import read_script

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@dataclass
class Played:
    """A run as one step of a scenario left it.

    Attributes:
        streams: what the real filter let through, by step of the run: [node, selector, text, final].
        gates: the real filter's dump after each step, edge ids of the DSL.
        errors: what broke the stream, by step.
        end: the `end` message of the newest segment.
        variables: the pool before the first event.
        pauses: PAUSE messages, each with the `step` it was told at.
    """

    app: App
    kernel: str
    graph: Graph
    events: list[dict[str, Any]] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    streams: dict[int, list[list[Any]]] = field(default_factory=dict)
    gates: dict[int, dict[str, Any]] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    variables: dict[str, dict[str, Any]] = field(default_factory=dict)
    pauses: list[dict[str, Any]] = field(default_factory=list)
    end: dict[str, Any] = field(default_factory=dict)

    @property
    def journal(self) -> Journal:
        return Journal(self.variables, tuple(self.segments), tuple(self.events), self.kernel)

    @property
    def names(self) -> dict[str, str]:
        return edge_names(list(self.app.graph["edges"]))

    def base(self, pause: int = -1) -> Base:
        """The runtime state of a pause, the newest if not told."""
        state = read_runtime_state(self.pauses[pause]["state"], "the pause")
        edges = {self.names.get(edge, edge): known for edge, known in state.edge_states.items()}
        return Base(state.variables, state.variable_types, state.node_states, edges)

    def saved_gate(self, pause: int = -1) -> dict[str, Any]:
        """The gate of a pause (the newest if not told), edge ids of the DSL."""
        return translate_edges(json.loads(self.pauses[pause]["gate"]), self.names)


def fixtures(*folders: str) -> list[str]:
    """Fixtures by their path below fixtures/, as "shapes/t1-if-else"."""
    return sorted(
        str(path.parent.relative_to(FIXTURES))
        for folder in folders
        for path in (FIXTURES / folder).glob("*/expected.yml")
    )


def expectations(fixture: str) -> dict[str, Any]:
    return dict(yaml.safe_load((FIXTURES / fixture / "expected.yml").read_text()))


def scenarios(fixture: str, kernel: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The scenarios that a kernel plays, with `expect_on` worked in."""
    expected = expectations(fixture)
    if kernel not in expected.get("kernels", [kernel]):
        return
    for scenario in expected["scenarios"]:
        steps = []
        for step in scenario["steps"]:
            own = step.get("expect_on", {}).get(kernel, {})
            steps.append({**step, "expect": {**step.get("expect", {}), **own}})
        yield scenario["name"], steps


@cache
def client_of(kernel: str) -> Client:
    """One engine kernel for all recordings of a test process; it ends with the process (its input closes)."""
    return Client(install(kernel, home(), lambda _: None))


def play(
    fixture: str, kernel: str, steps: list[dict[str, Any]], *, every_gate: bool = True
) -> Iterator[Played]:
    """Play a scenario; after each of its steps the run so far."""
    folder = FIXTURES / fixture
    app = read_app((folder / "app.yml").read_bytes(), "app.yml")
    script = folder / "script.yml"
    order = {
        "run_id": "run-1",
        "app": app.payload(),
        "script": read_script(script.read_bytes(), app) if script.exists() else {},
        "options": {"gate_every_event": every_gate},
    }
    played = Played(app, kernel, graph_of(app.graph, app.root))
    for step in steps:
        if "run" in step:
            command = order | start(app, step["run"])
            segment = Segment(1, "fresh")
        else:
            command, segment = resume(order, step["resume"], played)
        played.segments.append(segment)
        client = client_of(kernel)
        client.send(json.loads(json.dumps(command, default=dict)))
        assert collect(client, played), "the engine kernel did not carry the command out"
        yield played


def start(app: App, run: Mapping[str, Any]) -> dict[str, Any]:
    system = system_variables(app, query=run.get("query", "Hello"), run_id="run-1")
    return {"cmd": "run", "inputs": fill_inputs(app, run.get("inputs", {})), "system": system}


def resume(
    order: Mapping[str, Any], resume: Mapping[str, Any], played: Played
) -> tuple[dict[str, Any], Segment]:
    assert played.pauses, f"there is no pause to resume: {played.end}"
    pause = played.pauses[-1]
    node = resume.get("node") or pause["reasons"][0]["node_id"]
    restored = resume.get("gate", "restored") == "restored"
    command = {
        **order,
        "cmd": "resume",
        "state": pause["state"],
        "gate": {"mode": "restored" if restored else "fresh", "state": pause["gate"] if restored else None},
        "forms": {node: {"action": resume["action"], "fields": resume.get("fields", {})}},
    }
    gate = played.saved_gate() if restored else None
    return command, Segment(len(played.events) + 1, "restored" if restored else "fresh", gate)


def collect(client: Client, played: Played) -> bool:
    """Take in the answer to a command; False when it was not carried out."""
    before = len(played.events)
    for message in client.messages():
        kind = message["msg"]
        step = before + message.get("n", 0)
        if kind == "event":
            played.events.append(message["event"])
        elif kind == "stream" and "error" in message:
            played.errors[step] = message["error"]
        elif kind == "stream":
            played.streams.setdefault(step, []).extend(message["chunks"])
        elif kind == "gate":
            played.gates[step] = translate_edges(json.loads(message["state"]), played.names)
        elif kind == "pool":
            plain = {n: {k: v["value"] for k, v in vs.items()} for n, vs in message["variables"].items()}
            played.variables = played.variables or plain
        elif kind == "error":
            return False
        elif kind == "end":
            played.end = message
            if message["pause"]:
                played.pauses.append({**message["pause"], "step": len(played.events)})
            return True
    return False
