"""`execute` with the real engine kernels: a run, a pause, a resume, brakes, death, damage."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.engine.collect import Collect
from tests.engine.processes import gone
from workbench.engine import KERNELS, Control, Order, describe, execute, install, start_early
from workbench.engine.client import Client
from workbench.engine.kernels import folder_of
from workbench.errors import KernelError
from workbench.records.app import App, read_app
from workbench.records.inputs import fill_inputs, system_variables

pytestmark = pytest.mark.kernel
ROOT = Path(__file__).resolve().parents[2]
REFUND = ROOT / "fixtures" / "examples" / "refund-approval" / "app.yml"


def app() -> App:
    return read_app(REFUND.read_bytes())


def start(kernel: str, run_id: str = "run-1", **more: Any) -> Order:
    found = app()
    system = system_variables(found, query="hi", run_id=run_id)
    return Order(kernel, run_id, found.payload(), inputs=fill_inputs(found, {}), system=system, **more)


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_run_pauses_and_is_resumed_in_another_process(kernel: str, home: Path) -> None:
    first = Collect()
    paused = execute(start(kernel), first, home)
    assert [call[0] for call in first.calls[:3]] == ["graph", "pool", "event"]
    assert [call[1] for call in first.calls if call[0] == "event"] == list(
        range(1, sum(call[0] == "event" for call in first.calls) + 1)
    )
    assert paused.status == "paused"
    assert paused.pause is not None
    reason = paused.pause.reasons[0]
    second = Collect()
    forms = {reason["node_id"]: {"action": reason["actions"][0]["id"], "fields": {"note": "fine"}}}
    order = Order(
        kernel,
        "run-1",
        app().payload(),
        state=paused.pause.state,
        gate={"mode": "restored", "state": paused.pause.gate},
        forms=forms,
    )
    ended = execute(order, second, home)
    assert ended.status == "succeeded"
    streamed = "".join(chunk[2] for call in second.calls if call[0] == "stream" for chunk in call[2])
    assert ended.outputs["answer"].endswith(streamed)
    assert streamed


@pytest.mark.parametrize("kernel", KERNELS)
def test_an_abort_ends_a_run_that_waits(kernel: str, home: Path) -> None:
    """The scripted model would wait for a minute; a stop is the user's, so it must be felt at once."""
    control, pulled = Control(), threading.Event()

    class PullsAtTheFirstNode(Collect):
        def event(self, n: int, at: float, event: Any) -> None:
            super().event(n, at, event)
            if event["kind"] == "NodeRunStarted" and not pulled.is_set():
                pulled.set()
                control.abort("enough")

    found = read_app(slow_app())
    order = Order(
        kernel,
        "run-2",
        found.payload(),
        script={"nodes": {"llm": {"chunks": ["a", "b"], "delay": 60}}},
        system=system_variables(found, query="hi", run_id="run-2"),
    )
    began = time.monotonic()
    ended = execute(order, PullsAtTheFirstNode(), home, control)
    assert ended.status == "stopped"
    assert time.monotonic() - began < 30


def slow_app() -> bytes:
    for path in sorted((ROOT / "fixtures" / "nodes").glob("llm*/app.yml")):
        return path.read_bytes()
    raise AssertionError("there is no fixture with an llm node")


def test_describe_tells_the_graph(home: Path) -> None:
    graph = describe("graphon-0.8", app().payload(), home)
    assert graph["root"] in graph["nodes"]
    assert len(graph["edges"]) == len(app().graph["edges"])


PARENT = """
import sys
from pathlib import Path
from workbench.engine import install
from workbench.engine.client import Client
with Client(install("graphon-0.8", Path(sys.argv[1]), lambda _: None)) as client:
    print(client.ready["pid"], flush=True)
    sys.stdin.read()
"""


def test_a_kernel_dies_with_its_parent(home: Path) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    assert gone(child, seconds=10)


def test_a_killed_kernel_is_told(home: Path) -> None:
    with Client(install("graphon-0.8", home, lambda _: None)) as client:
        client.send(start("graphon-0.8").command())
        os.kill(client.ready["pid"], signal.SIGKILL)
        with pytest.raises(KernelError) as caught:
            until(client, "nothing")
    assert "SIGKILL" in caught.value.cause


def test_a_damaged_kernel_is_repaired_by_the_next_run(tmp_path: Path) -> None:
    """Its own home: the shared kernels must stay whole for the tests beside this one."""
    home = tmp_path / "home"
    install("graphon-0.8", home, lambda _: None)
    site = next(folder_of("graphon-0.8", home).glob("lib/python*/site-packages"))
    shutil.rmtree(site / "graphon" / "engine")
    sink = Collect()
    assert execute(start("graphon-0.8"), sink, home).status == "paused"
    assert any("damaged" in note for note in sink.notes)


def test_a_kernel_started_early_serves_the_order(home: Path) -> None:
    install("graphon-0.8", home, lambda _: None)
    early = start_early("graphon-0.8", home)
    assert early is not None
    assert execute(start("graphon-0.8"), Collect(), home, started=early).status == "paused"


def test_one_kernel_serves_several_commands(home: Path) -> None:
    kernel = install("graphon-0.8", home, lambda _: None)
    with Client(kernel) as client:
        for number in range(3):
            client.send(start("graphon-0.8", f"run-{number}").command())
            statuses = [m["status"] for m in until(client, "end") if m["msg"] == "end"]
            assert statuses == ["paused"]


def until(client: Client, name: str) -> list[dict[str, Any]]:
    found = []
    for message in client.messages():
        found.append(message)
        if message["msg"] == name:
            break
    return found
