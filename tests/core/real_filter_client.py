"""The tests' end of `real_filter.py`: one child process an engine kernel, cases in, results out."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from workbench.core.graph import Graph, Text
from workbench.engine import install
from workbench.home import home

SCRIPT = Path(__file__).with_name("real_filter.py")


def interpreter(kernel: str) -> str:
    """The interpreter of an engine kernel, built when it is not there."""
    return str(install(kernel, home(), lambda _: None).python)


class RealFilter:
    """The real filter of one engine kernel."""

    def __init__(self, kernel: str) -> None:
        self.kernel = kernel
        self.whole = kernel != "graphon-0.8"
        self._child = subprocess.Popen(
            [interpreter(kernel), "-I", "-X", "utf8", str(SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            cwd="/",
        )
        self.graphon = self._read()["graphon"]

    def run(self, case: dict[str, Any]) -> list[dict[str, Any]]:
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps(case) + "\n")
        self._child.stdin.flush()
        return self._read()

    def _read(self) -> Any:
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        assert line, f"the real filter of {self.kernel} ended with {self._child.wait()}"
        return json.loads(line)

    def close(self) -> None:
        assert self._child.stdin is not None
        self._child.stdin.close()
        self._child.wait(timeout=10)


def as_case(graph: Graph, operations: list[dict[str, Any]], *, pass_unmatched: bool) -> dict[str, Any]:
    return {
        "root": graph.root,
        "pass_unmatched": pass_unmatched,
        "operations": operations,
        "nodes": [
            {
                "id": node.id,
                "type": node.type,
                "kind": node.kind,
                "parent": node.parent,
                "writes": sorted(map(list, node.writes)),
                "template": [
                    {"text": part.text} if isinstance(part, Text) else {"selector": list(part.selector)}
                    for part in node.template
                ],
            }
            for node in graph.nodes.values()
        ],
        "edges": [
            {"id": edge.id, "source": edge.source, "target": edge.target, "parent": edge.parent}
            for edge in graph.edges.values()
        ],
    }
