"""In a real IPython kernel: the Jupyter kernels, the extension, errors, the event loop, an interrupt."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from jupyter_client.manager import KernelManager

from tests.notebook.cells import SPECS, OurSpecs, execute

GENERATIONS = {"0.5": "1.15", "0.6": "1.16", "0.7": "1.17", "0.8": "main"}
pytestmark = [pytest.mark.kernel, pytest.mark.usefixtures("wb")]


@pytest.mark.parametrize(("graphon", "dify"), GENERATIONS.items())
def test_each_jupyter_kernel_has_its_engine_as_default(graphon: str, dify: str) -> None:
    spec = json.loads((SPECS / f"graphon-{graphon}" / "kernel.json").read_text(encoding="utf-8"))
    assert spec["display_name"] == f"Answer Workbench · graphon {graphon} · Dify {dify}"
    assert (SPECS / f"graphon-{graphon}" / "logo-svg.svg").read_text(encoding="utf-8").startswith("<svg")
    ready, ran = execute(
        ["wb", "run = wb.example().run('hi', inputs={'amount': 3})\n(run.kernel, run.streamed)"],
        f"answer-workbench-graphon-{graphon}",
    )
    assert ready.text.endswith(f"new runs on graphon-{graphon}")
    assert ran.text == f"('graphon-{graphon}', 'Refunds up to 100 need no approval: done.')", ran.error


def test_objects_show_themselves_and_errors_are_short(tmp_path: Path) -> None:
    cells = execute(
        [
            "%load_ext workbench",
            "run = wb.example().run('hi')\nrun",
            "run.timeline_chart()",
            "run.events.to_pandas().shape",
            "run.at(99)",
            "async def inside():\n    return (await wb.start(wb.example(), 'x')).status\nawait inside()",
            "def deeper():\n    wb.run(wb.example(), kernel='graphon-9')\ndeeper()",
            "1 / 0",
            "wb = 5\n%reload_ext workbench\nwb",
            "wb.__class__, Workbench",
        ]
    )
    loaded, run, chart, shape, wrong, inside, deeper, other, kept, named = cells
    assert (loaded.text, loaded.error) == ("", "")
    assert "paused on graphon-0.8" in run.text
    assert run.html.startswith("<div")
    assert chart.mimes == {"image/svg+xml", "text/plain"}
    assert shape.text == "(11, 7)"
    assert wrong.error.split("\n") == [
        f"UsageError: Run {wrong.error.split()[2]} has no step 99.",
        "  Its steps are 0 (before the first event) to 11.",
        "  → len(run.steps) counts them; run.steps[-1] is the last.",
        "  line 1: run.at(99)",
    ]
    assert inside.text == "'paused'", inside.error
    assert "no engine kernel" in deeper.error or "graphon-9" in deeper.error
    assert deeper.error.split("\n")[-1] == "  line 2: wb.run(wb.example(), kernel='graphon-9')"
    assert "Traceback" in other.error
    assert kept.text == "5"
    assert "bench.Workbench" in named.text


def test_an_interrupted_cell_stops_its_run_and_the_kernel_goes_on() -> None:
    manager = KernelManager(kernel_name="answer-workbench-graphon-0.8", kernel_spec_manager=OurSpecs())
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        slow = "{'nodes': {'llm': {'chunks': ['a', 'b'], 'delay': 30}}}"
        app = str(SPECS.parent / "fixtures" / "nodes" / "llm" / "app.yml")
        waiting = client.execute(f"wb.run({app!r}, 'hi', script={slow})")
        _until_running(client)
        manager.interrupt_kernel()
        reply = _reply(client, waiting)
        assert (reply["status"], reply["ename"]) == ("error", "Interrupted")
        after: list[str] = []
        client.execute_interactive(
            "print(wb.runs()[0].status)",
            timeout=30,
            output_hook=lambda message: after.append(message["content"].get("text", "")),
        )
        assert "stopped\n" in after
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def _until_running(client: object) -> None:
    """Until the run is in the store, told by another workbench on it."""
    from workbench import Workbench

    other = Workbench(progress=False)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if (runs := other.runs()) and len(runs[0].events) > 2:
            return
        time.sleep(0.1)
    raise AssertionError("the run did not begin")


def _reply(client: object, message_id: str) -> dict[str, str]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        message = client.get_shell_msg(timeout=60)  # type: ignore[attr-defined]
        if message["parent_header"].get("msg_id") == message_id:
            return dict(message["content"])
    raise AssertionError("no reply")
