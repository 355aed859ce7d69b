"""What we read from a saved state is what graphon itself reads: on every engine kernel that loads it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.records.saved import ALL, name
from workbench.engine.kernels import KERNELS, ensure
from workbench.engine.session import describe
from workbench.records.app import read_app
from workbench.records.gate_state import edge_names, read_gate_state
from workbench.records.resumption_context import read_resumption_context

pytestmark = pytest.mark.kernel
ROOT = Path(__file__).parents[2]
APPS = sorted(ROOT.glob("fixtures/*/*/app.yml"))
OLDEST = {"A": "graphon-0.5", "B": "graphon-0.5", "C": "graphon-0.6", "D": "graphon-0.7", "E": "graphon-0.8"}

READ = """
import json, sys
try:
    from graphon.runtime.runtime_state import RuntimeState as State
    from graphon.engine.filter import ResponseStreamFilter
except ImportError:
    from graphon.runtime.graph_runtime_state import GraphRuntimeState as State
    from graphon.filters import ResponseStreamFilter
def plain(value):
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    return [plain(item) for item in value] if isinstance(value, list) else value
def read(saved):
    state = State.from_snapshot(saved["state"])
    pool = state.variable_pool.variable_dictionary
    found = {
        "values": {node: {k: plain(v.to_object()) for k, v in held.items()} for node, held in pool.items()},
        "types": {node: {key: v.value_type.value for key, v in held.items()} for node, held in pool.items()},
        "outputs": plain(state.outputs),
        "steps": state.node_run_steps,
        "tokens": state.total_tokens,
        "paused": state.graph_execution.paused,
        "reasons": [reason.node_id for reason in state.graph_execution.pause_reasons],
    }
    if saved["gate"] is not None:
        ResponseStreamFilter().loads(saved["gate"])
    return found
json.dump({key: read(saved) for key, saved in json.load(sys.stdin).items()}, sys.stdout)
"""


@pytest.mark.parametrize("kernel", KERNELS)
def test_graphon_reads_the_same(kernel: str, home: Path) -> None:
    """One process a kernel reads all states that it can."""
    place = {one: number for number, one in enumerate(reversed(KERNELS))}
    readable = [path for path in ALL if place[OLDEST[path.parent.name]] <= place[kernel]]
    contexts = {name(path): read_resumption_context(path.read_bytes().decode()) for path in readable}
    saved = {
        key: {"state": context.runtime_state.text, "gate": context.gate_text}
        for key, context in contexts.items()
    }
    python = ensure(kernel, home, lambda _: None).python
    done = subprocess.run(
        [python, "-c", READ], input=json.dumps(saved), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answers: dict[str, dict[str, Any]] = json.loads(done.stdout)
    assert len(answers) == len(readable) > 5
    for key, answer in answers.items():
        state = contexts[key].runtime_state
        assert answer["values"] == state.variables, key
        assert answer["types"] == state.variable_types, key
        assert answer["outputs"] == state.outputs, key
        assert answer["steps"] == state.node_run_steps, key
        assert answer["tokens"] == state.total_tokens, key
        assert answer["paused"] == state.execution.paused, key
        assert answer["reasons"] == [reason["node_id"] for reason in state.pause_reasons], key


@pytest.mark.parametrize("kernel", [kernel for kernel in KERNELS if kernel != "graphon-0.8"])
def test_positional_edges_are_graphons(kernel: str, home: Path) -> None:
    """On one app a folder: the host reports graphon's numbering of the edges."""
    chosen = {path.parents[1].name: path for path in APPS}.values()
    for path in chosen:
        app = read_app(path.read_bytes())
        names = edge_names(app.graph["edges"])
        assert describe(kernel, app.payload(), home)["edge_names"] == names
    state = read_resumption_context((ROOT / "fixtures/states/D/t1-if-else.json").read_bytes().decode())
    assert state.gate is not None
    assert set(state.runtime_state.edge_states) == {f"edge_{n}" for n in range(5)}
    assert read_gate_state(state.gate.text).data == state.gate.data
