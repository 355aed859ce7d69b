"""An app whose paths no list can hold: the real filter would hang, the workbench runs and explains it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.driver import cli

CASE = {
    "id": "true",
    "case_id": "true",
    "logical_operator": "and",
    "conditions": [
        {"id": "c", "variable_selector": ["sys", "query"], "comparison_operator": "is", "value": "hi"},
    ],
}
FORM = {
    "form_content": "Well?",
    "delivery_methods": [],
    "inputs": [],
    "user_actions": [{"id": "approve", "title": "Approve"}],
    "timeout": 3,
    "timeout_unit": "day",
}


def diamonds(count: int) -> str:
    """start -> `count` if-else diamonds in a row -> human-input -> answer."""
    nodes = [node("start", "start", variables=[])]
    edges: list[dict[str, Any]] = []
    before = "start"
    for number in range(count):
        fork, left, right, join = (f"{name}{number}" for name in "flrj")
        nodes.append(node(fork, "if-else", cases=[CASE]))
        nodes += [
            node(name, "template-transform", template="x", variables=[]) for name in (left, right, join)
        ]
        edges += [edge(before, fork), edge(fork, left, "true"), edge(fork, right, "false")]
        edges += [edge(left, join), edge(right, join)]
        before = join
    nodes += [
        node("ask", "human-input", **FORM),
        node("answer", "answer", answer="Said {{#sys.query#}}.", variables=[]),
    ]
    edges += [edge(before, "ask"), edge("ask", "answer", "approve")]
    app = {"name": f"{count} diamonds", "mode": "advanced-chat"}
    return yaml.safe_dump(
        {
            "kind": "app",
            "version": "0.6.0",
            "app": app,
            "workflow": {"graph": {"nodes": nodes, "edges": edges}},
        }
    )


def node(name: str, kind: str, **data: Any) -> dict[str, Any]:
    return {"id": name, "type": "custom", "data": {"type": kind, "title": name, **data}}


def edge(source: str, target: str, handle: str = "source") -> dict[str, Any]:
    return {"id": f"{source}-{target}", "source": source, "sourceHandle": handle, "target": target}


def test_check_counts_the_paths(tmp_path: Path, home: Path) -> None:
    app = tmp_path / "app.yml"
    app.write_text(diamonds(1000))
    done = cli("check", app, "--json")
    assert done.code == 4
    finding = next(each for each in done.json["findings"] if each["code"] == "paths-explode")
    assert "10^301 paths" in finding["message"]
    assert done.json["search"]["paths"]["answer"] == str(2**1000)
    assert "more (--json has them all)" in cli("check", app).out


@pytest.mark.kernel
@pytest.mark.parametrize("kernel", ["graphon-0.8", "graphon-0.6"])
def test_run_and_resume_stream_what_the_real_filter_would(kernel: str, tmp_path: Path, home: Path) -> None:
    app = tmp_path / "app.yml"
    app.write_text(diamonds(14))  # 16,384 paths
    paused = cli("run", app, "--query", "hi", "--kernel", kernel, "--json", "-q")
    assert paused.code == 3, paused.err
    run_id = paused.json["run_id"]
    gate = cli("show", run_id, "--json").json["gate"]
    assert (gate["paths_map"], gate["paths_count"]) == (None, 2**14)
    restored = cli("resume", run_id, "--action", "approve", "--gate", "restored", "--json", "-q")
    assert restored.code == 0, restored.err
    assert restored.json["chunks"] == ["Said ", "hi", "."]
    assert restored.json["answer"] == "Said hi."
    assert cli("show", run_id, "--json").json["streamed"] == "Said hi."
    fresh = cli("resume", run_id, "--action", "approve", "--gate", "fresh", "--json", "-q").json
    assert (fresh["streamed"], fresh["answer"]) == ("", "Said hi.")
    assert cli("why", fresh["run_id"]).code == 4
