"""Make the saved pauses in fixtures/states: real states of graphon 0.4 to 0.8, as Dify would have saved them.

    python tools/states.py [--era A ...] [--only NAME]

Every fixture runs to its pause on the real engine; the dumps are put into a WorkflowResumptionContext with
the keys that Dify of that era writes (1.14, 1.15, 1.16, 1.17, main). Era A's engine lived in Dify and is
graphon 0.4 as a package; it is no engine kernel of the workbench, so it is installed for the moment (needs
the network) and driven by the host with a stand-in for the module that 0.5 added. Ids and times differ with
every run: commit the result only when something real has changed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.engine import Order, execute
from workbench.home import home
from workbench.records.app import App, read_app
from workbench.records.inputs import fill_inputs, system_variables
from workbench.records.script import read_script

REPOSITORY = Path(__file__).resolve().parents[1]
FIXTURES = REPOSITORY / "fixtures"
STATES = FIXTURES / "states"
RUN = "5f0c1f3e-3f0a-4a53-9d3c-6d1f3a8f2b10"
KERNELS = {"B": "graphon-0.5", "C": "graphon-0.6", "D": "graphon-0.7", "E": "graphon-0.8"}
FORM = {"action": "approve", "fields": {"note": "note0"}}


@dataclass(frozen=True)
class Case:
    """A fixture and how many of its forms are answered before the pause that is kept."""

    name: str
    folder: str
    eras: str = "ABCDE"
    answered: tuple[str, ...] = ()


CASES = (
    Case("t1-if-else", "shapes/t1-if-else"),
    Case("t2-second-pause", "shapes/t2-two-pauses", answered=("hum1",)),
    Case("t3-answer-before", "shapes/t3-answer-before"),
    Case("t4-assigned-variable", "shapes/t4-assigned-variable"),
    Case("t5-parallel-llm", "shapes/t5-parallel-llm"),
    Case("every-type", "states/every-type"),
    Case("loop-pause", "containers/loop-pause", "DE"),
    Case("iteration-pause", "containers/iteration-pause", "DE"),
)


@dataclass
class Silent:
    """A sink that keeps nothing."""

    notes: list[str] = field(default_factory=list)

    def graph(self, message: Mapping[str, Any]) -> None: ...
    def pool(self, variables: Mapping[str, Any]) -> None: ...
    def event(self, n: int, at: float, event: Mapping[str, Any]) -> None: ...
    def stream(self, n: int, chunks: Sequence[Sequence[Any]], error: str | None) -> None: ...
    def note(self, text: str) -> None:
        self.notes.append(text)


def orders(case: Case, kernel: str, app: App) -> list[dict[str, Any]]:
    """The start, and one resume for each answered form; `state` and `gate` are filled in as they come."""
    path = FIXTURES / case.folder / "script.yml"
    script = read_script(path.read_bytes(), app, path.name) if path.exists() else {}
    common = {"kernel": kernel, "run_id": RUN, "payload": app.payload(), "script": script}
    system = system_variables(app, query="hi", run_id=RUN)
    start = {**common, "inputs": fill_inputs(app, {}), "system": system}
    return [start, *({**common, "forms": {node: FORM}} for node in case.answered)]


def pause_of(case: Case, kernel: str, app: App) -> tuple[str, str | None]:
    """The runtime state and the gate of the pause, from an engine kernel."""
    state, gate = None, None
    for order in orders(case, kernel, app):
        restored = None if state is None else {"mode": "restored", "state": gate}
        ended = execute(Order(**order, state=state, gate=restored), Silent(), home())
        if ended.pause is None:
            raise SystemExit(f"{case.name} on {kernel} did not pause: {ended.status} {ended.error}")
        state, gate = ended.pause.state, ended.pause.gate
    assert state is not None
    return state, gate


# ---- era A: graphon 0.4, driven by the host

PACKAGES = (
    *("pydantic", "httpx", "charset-normalizer", "jsonschema", "orjson", "json-repair", "pyyaml"),
    *("pydantic-extra-types", "jinja2"),
)
DRIVER = """
import sys, types
sys.path.insert(0, {kernels!r})
missing = types.ModuleType("graphon.filters")  # came with 0.5; era A streams inside its engine
missing.GraphEventFilterContext = missing.ResponseStreamFilter = object
sys.modules["graphon.filters"] = missing
import graphon.nodes.variable_assigner.v1.node, graphon.nodes.variable_assigner.v2.node
import host.generation, host.generation.g05
host.generation._MODULES["0.4"] = "g05"
host.generation.g05.Generation04 = host.generation.g05.Generation05
from host.serve import main
sys.exit(main())
"""


def old_engine(folder: Path) -> list[str]:
    """The command that starts graphon 0.4 behind the host, in a fresh environment in `folder`."""
    uv = str(Path(sys.executable).parent / "uv")
    python = str(folder / "bin" / "python")
    for command in (
        [uv, "venv", "--quiet", "--python", sys.executable, str(folder)],
        [uv, "pip", "install", "--quiet", "--python", python, "--no-deps", "graphon==0.4.0"],
        [uv, "pip", "install", "--quiet", "--python", python, *PACKAGES],
    ):
        subprocess.run(command, check=True)
    return [python, "-c", DRIVER.format(kernels=str(REPOSITORY / "kernels"))]


def pause_of_old(case: Case, command: list[str], app: App) -> str:
    """The runtime state of the pause, `response_coordinator` included."""
    state: str | None = None
    for order in orders(case, "graphon-0.4", app):
        gate = None if state is None else {"mode": "fresh", "state": None}
        message = Order(**order, state=state, gate=gate, options={"filter": False}).command()
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(json.dumps(message) + "\n")
            child.stdin.flush()
            answer = next(m for m in map(json.loads, child.stdout) if m["msg"] in {"end", "error"})
            child.stdin.close()
        if not answer.get("pause"):
            raise SystemExit(f"{case.name} on graphon 0.4 did not pause: {answer}")
        state = answer["pause"]["state"]
    assert state is not None
    return state


# ---- Dify's context around it


def context(app: App, era: str, state: str, gate: str | None) -> str:
    """WorkflowResumptionContext.dumps() of an era (facts: dify-pause-resume.md, 1)."""
    chat = app.mode == "advanced-chat"
    system = system_variables(app, query="hi", run_id=RUN)
    entity: dict[str, Any] = {
        "task_id": "0d6f4b0e-6a65-4d7c-8b5e-2f5b8f2d9c11",
        "app_config": {
            "tenant_id": "6b1d2a34-0c57-4f3e-9f43-6a5c1c0f7d22",
            "app_id": system["app_id"],
            "app_mode": app.mode,
            "workflow_id": system["workflow_id"],
            "variables": [],
            "sensitive_word_avoidance": None,
            "additional_features": None,
        },
        "file_upload_config": None,
        "inputs": fill_inputs(app, {}),
        "files": [],
        "user_id": system["user_id"],
        "stream": True,
        "invoke_from": "web-app",
        "call_depth": 0,
        "extras": {"auto_generate_conversation_name": False},
    }
    if chat:
        entity |= {
            "conversation_id": system["conversation_id"],
            "parent_message_id": None,
            "workflow_run_id": RUN,
            "query": "hi",
        }
    else:
        entity["workflow_execution_id"] = RUN
    entity |= {"single_iteration_run": None, "single_loop_run": None}
    saved: dict[str, Any] = {
        "version": "1",
        "generate_entity": {"type": app.mode, "entity": entity},
        "serialized_graph_runtime_state": state,
    }
    if era in "CDE":
        saved["serialized_response_stream_filter_state"] = gate
    if era == "E":
        saved["ops_trace_state"] = None
    return json.dumps(saved, ensure_ascii=False, separators=(",", ":"))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--era", action="append", choices=list("ABCDE"))
    parser.add_argument("--only", metavar="NAME")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for era in given.era or "ABCDE":
            cases = [case for case in CASES if era in case.eras and given.only in {None, case.name}]
            command = old_engine(Path(folder)) if era == "A" and cases else []
            for case in cases:
                app = read_app((FIXTURES / case.folder / "app.yml").read_bytes())
                state, gate = (
                    (pause_of_old(case, command, app), None)
                    if era == "A"
                    else pause_of(case, KERNELS[era], app)
                )
                target = STATES / era / f"{case.name}.json"
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(context(app, era, state, gate), encoding="utf-8")
                print(f"{target.relative_to(REPOSITORY)}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
