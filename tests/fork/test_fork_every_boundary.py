"""A fork between any two nodes of a fixture, through a snapshot that we write, ends as the original did."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.core.recording import FIXTURES, Played, client_of, collect, fixtures, play, scenarios
from workbench.core.forking import Boundary, boundaries, boundary_at
from workbench.core.replay import Timeline
from workbench.engine import KERNELS
from workbench.records.gate_state import gate_text
from workbench.records.script import read_script
from workbench.records.state_writing import write_state
from workbench.verbs.fork_state import VERSIONS, new_state

pytestmark = pytest.mark.kernel
CASES = [
    (fixture, kernel)
    for kernel in KERNELS
    for fixture in fixtures("shapes", "odd", "containers", "examples", "nodes")
]


def kept_scenarios(fixture: str, kernel: str) -> Iterator[list[dict[str, Any]]]:
    """Scenarios in which no gate is lost: there the original is what a fork must give."""
    for _, steps in scenarios(fixture, kernel):
        if all(step.get("resume", {}).get("gate", "restored") == "restored" for step in steps):
            yield steps


@pytest.mark.parametrize(("fixture", "kernel"), CASES)
def test_every_fork_ends_as_the_original(fixture: str, kernel: str) -> None:
    for steps in kept_scenarios(fixture, kernel):
        *_, played = play(fixture, kernel, steps, every_gate=False)
        if played.errors:
            continue  # its stream is dead; so would be that of a fork
        timeline = Timeline(played.graph, played.journal)
        whole = (timeline.at(timeline.steps).streamed, answer_of(played.end))
        places = boundaries(timeline)
        assert places
        for place in places:
            boundary = boundary_at(timeline, place)
            assert boundary is not None
            if not boundary.ready:
                continue
            before = timeline.at(place).streamed
            after, end = go_on(fixture, played, boundary, steps)
            told = f"{fixture} on {kernel}, forked at step {place}"
            assert (before + after, answer_of(end)) == whole, told
            assert end["status"] == played.end["status"], told


def answer_of(end: Mapping[str, Any]) -> Any:
    outputs = end["outputs"]
    return outputs.get("answer", outputs)


def go_on(
    fixture: str, played: Played, boundary: Boundary, steps: list[dict[str, Any]]
) -> tuple[str, dict[str, Any]]:
    """The text that is streamed from a place on, and the end; forms are answered as in the scenario."""
    script = FIXTURES / fixture / "script.yml"
    order = {
        "cmd": "resume",
        "run_id": "run-1",
        "app": played.app.payload(),
        "script": read_script(script.read_bytes(), played.app) if script.exists() else {},
        "options": {},
    }
    state, gate, forms = state_of(played, boundary), gate_of(played, boundary), {}
    answers = [step["resume"] for step in steps if "resume" in step]
    done = sum(pause["step"] < boundary.step for pause in played.pauses)
    answers = answers[max(0, done - (1 if boundary.waiting else 0)) :] if boundary.waiting else answers[done:]
    text = ""
    while True:
        client_of(played.kernel).send(
            json.loads(
                json.dumps(
                    {**order, "state": state, "gate": {"mode": "restored", "state": gate}, "forms": forms},
                    default=dict,
                )
            )
        )
        part = Played(played.app, played.kernel, played.graph)
        collect(client_of(played.kernel), part)
        text += "".join(chunk[2] for _, chunks in sorted(part.streams.items()) for chunk in chunks)
        if not part.pauses or not answers:
            return text, part.end
        pause, answer = part.pauses[-1], answers.pop(0)
        state, gate = pause["state"], pause["gate"]
        node = answer.get("node") or pause["reasons"][0]["node_id"]
        forms = {node: {"action": answer["action"], "fields": answer.get("fields", {})}}


def state_of(played: Played, boundary: Boundary) -> str:
    positional = {dsl: number for number, dsl in played.names.items()}
    return write_state(new_state(boundary), VERSIONS[played.kernel], positional)


def gate_of(played: Played, boundary: Boundary) -> str:
    return gate_text(boundary.gate, None if played.kernel == "graphon-0.8" else played.names)
