"""Broken and hostile apps: a message that says what, where and what to do; in little time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.records.dsl import document, edge, node
from tests.records.test_yaml_reading import laughs
from workbench.errors import BadInputError
from workbench.records.app import read_app

START = node("start", "start")


def dumped(value: Any) -> bytes:
    return yaml.safe_dump(value).encode()


@pytest.mark.parametrize(
    ("data", "title", "cause"),
    [
        (b"", "x.yml is empty", "no text"),
        (b"hello", "x.yml is no Dify app", "this file is the text 'hello'"),
        (b"- a\n- b", "x.yml is no Dify app", "this file is a list"),
        (b"a: 1\nb: 2", "x.yml is no Dify app", "It has no `app` and `workflow`; its keys are: a, b"),
        (dumped({"kind": "app", "app": {"mode": "workflow"}}), "x.yml has no workflow", "'workflow'"),
        (dumped({"app": {"mode": "workflow"}, "workflow": {}}), "x.yml holds no graph", "`workflow.graph`"),
        (dumped(document([], [])), "x.yml has an empty graph", "lists no node"),
        (dumped(document(["a", 3], [])), "x.yml has no node that can run", "broken entries"),
        (dumped(document([node("a", "llm")], [])), "x.yml has no start node", "only: llm"),
        (dumped({"kind": "dataset", "app": {}}), "x.yml is a file of kind 'dataset'", "Only apps"),
        (b'{"app": {"mode": "workflow"}', "x.yml is cut off", "line 1"),
        (b"kind: app\napp:\n\tmode: chat", "x.yml is not valid YAML", "a tab stands"),
        (b"kind: app\nname: '\xd6\xd0'", "x.yml is not UTF-8 text", "line 2"),
        (laughs().encode(), "x.yml holds too many values", "at most"),
        (b"a: " + b"[" * 100_000, "x.yml is nested too deeply", "at most 200"),
        (b'{"a": ' * 100_000, "x.yml is nested too deeply", "100,000"),
        (b"x" * 20_000_001, "x.yml is too large", "at most 20.0 MB"),
        (b"app: name: x mode: chat kind: app" + b" nodes: y" * 30, "x.yml is not valid YAML", "on one line"),
        (b"  id: a\n  source: b\n- data:\n  id: c", "x.yml is not valid YAML", "Its beginning is missing"),
        (b"a: !!python/name:os.system x", "x.yml can't be read as plain data", "line 1, column 4"),
    ],
)
def test_message(data: bytes, title: str, cause: str) -> None:
    with pytest.raises(BadInputError) as caught:
        read_app(data, "x.yml")
    assert caught.value.title == title
    assert cause in caught.value.cause
    assert caught.value.next_step


READ = """
import sys, time
from tests.records.memory import peak_megabytes
from workbench.errors import WorkbenchError
from workbench.records.app import read_app
from workbench.records.reading import read_file
began = time.process_time()
try:
    read_app(read_file(sys.argv[1]), "x.yml")
except WorkbenchError as error:
    print(f"{error.title}|{time.process_time() - began}|{peak_megabytes()}")
"""


def many_nodes() -> bytes:
    nodes = [START, *(node(f"n{number}", "llm") for number in range(12_000))]
    return json.dumps(document(nodes, [edge("start", "zz")] * 3_000)).encode()


BOMBS: dict[str, Callable[[], bytes]] = {
    "million-laughs": lambda: laughs().encode(),
    "long-text-often": lambda: b"a: &a " + b"x" * 2_000_000 + b"\nb: [" + b"*a, " * 100_000 + b"]",
    "deep-blocks": lambda: b"- " * 9_000_000,
    "deep-flow": lambda: b"{a: " * 4_000_000,
    "wide": lambda: b"- a\n" * 4_900_000,
    "many-keys": lambda: b"".join(b"k%d: 1\n" % number for number in range(1_200_000)),
    "many-anchors": lambda: b"".join(b"- &a%d x\n" % number for number in range(1_000_000)),
    "open-quote": lambda: b'a: "' + b"b" * 19_000_000,
    "wide-json": lambda: b'{"a": [' + b"[]," * 6_000_000,
    "deep-json": lambda: b"[" * 19_000_000,
    "many-nodes": many_nodes,
}


@pytest.mark.parametrize("name", ["sparse-gigabyte", *BOMBS])
def test_bombs_end_in_a_message(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.yml"
    with path.open("wb") as file:
        if name == "sparse-gigabyte":
            file.truncate(1_000_000_000)
        else:
            file.write(BOMBS[name]()[:20_000_000])
    ran = subprocess.run(
        [sys.executable, "-c", READ, str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert ran.stderr == ""
    title, seconds, megabytes = ran.stdout.strip().split("|")
    assert title.startswith(("x.yml", "bomb.yml"))
    assert float(seconds) < 5  # CPU time; 2 s are promised on a quiet machine
    assert float(megabytes) < 500
