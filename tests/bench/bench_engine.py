"""Engine kernels: the build, the start, and events per second against graphon alone in lock-step."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.bench.frame import Place, Row, bench, in_turns, ms, process
from tests.bench.samples import Nowhere, llm_app, llm_order
from workbench.engine import execute, install
from workbench.engine.client import Client
from workbench.engine.kernels import drop

CHUNKS = 10_000
ALONE = Path(__file__).parent / "graphon_alone.py"


@bench
def kernel_build(place: Place) -> Row:
    """Cold, with uv's cache warm: environment, packages, import check."""
    install("graphon-0.8", place.home, lambda _: None)
    home = place.folder / "home"

    def build() -> None:
        install("graphon-0.8", home, lambda _: None)
        drop(home)

    bare = process(sys.executable, "-m", "venv", "--clear", str(place.folder / "bare"))
    built, venv = in_turns(build, bare, rounds=5)
    return Row("engine kernel, built cold", ms(built), f"python -m venv with pip: {ms(venv)}", built / venv)


@bench
def first_event(place: Place) -> Row:
    """From the order to the first event in the sink, a new child process each time."""
    python = install("graphon-0.8", place.home, lambda _: None).python

    class FirstEventError(Exception):
        pass

    class Stop(Nowhere):
        def event(self, n: int, at: float, event: Mapping[str, Any]) -> None:
            raise FirstEventError

    def until_first() -> float:
        began = time.perf_counter()
        try:
            execute(llm_order(1), Stop(), place.home)
        except FirstEventError:
            return time.perf_counter() - began
        raise AssertionError

    ours, theirs = [], []
    for _ in range(7):
        ours.append(until_first())
        theirs.append(alone(python, 1)["first"])
    mine, graphons = statistics.median(ours), statistics.median(theirs)
    return Row("start-up to first event", ms(mine), f"graphon alone: {ms(graphons)}", mine / graphons)


@bench
def protocol(place: Place) -> list[Row]:
    """10,000 streamed chunks: in a running kernel over the protocol, and graphon alone."""
    kernel = install("graphon-0.8", place.home, lambda _: None)
    over, bare, lone_events = [], [], 0
    events = 0
    with Client(kernel) as client:
        run_once(client, 100)
        for _ in range(5):
            events, seconds = run_once(client, CHUNKS)
            over.append(seconds)
            lone = alone(kernel.python, CHUNKS)
            lone_events = lone["events"]
            bare.append(lone["seconds"])
    mine, graphons = statistics.median(over), statistics.median(bare)
    return [
        Row(
            f"{CHUNKS:,} chunks over the protocol",
            f"{events / mine:,.0f} events/s",
            f"graphon alone, lock-step: {lone_events / graphons:,.0f} events/s",
            mine / graphons,
        )
    ]


def run_once(client: Client, chunks: int) -> tuple[int, float]:
    began = time.perf_counter()
    client.send(llm_order(chunks).command())
    events = 0
    for message in client.messages():
        if message["msg"] == "event":
            events += 1
        elif message["msg"] == "end":
            break
    assert message["status"] == "succeeded"
    return events, time.perf_counter() - began


def alone(python: Path, chunks: int) -> dict[str, Any]:
    """graphon without the workbench, in a process of the kernel's interpreter."""
    app = llm_app()
    order = {"graph": app.graph, "root": app.root, "chunks": chunks}
    done = subprocess.run(
        [str(python), "-I", str(ALONE)], input=json.dumps(order), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)
