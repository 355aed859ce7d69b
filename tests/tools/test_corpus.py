"""The corpus figure: what `tools/corpus.py` says and how it exits."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]


def corpus(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(REPOSITORY / "tools" / "corpus.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)


def test_says_where_there_is_no_corpus(tmp_path: Path) -> None:
    ran = corpus(str(tmp_path / "none"))
    assert ran.returncode == 1
    assert ran.stdout == ""
    assert f"There is no corpus at {tmp_path / 'none'}." in ran.stderr
    assert "python tools/corpus.py FOLDER" in ran.stderr


@pytest.mark.kernel
def test_counts_and_gives_reasons(tmp_path: Path) -> None:
    shapes = REPOSITORY / "fixtures" / "shapes"
    shutil.copy(shapes / "c0-control" / "app.yml", tmp_path / "pauses.yml")
    shutil.copy(REPOSITORY / "fixtures" / "nodes" / "llm" / "app.yml", tmp_path / "succeeds.yml")
    shutil.copy(REPOSITORY / "fixtures" / "odd" / "fail-branch" / "app.yml", tmp_path / "branch.yaml")
    (tmp_path / "chat.yml").write_text("app: {mode: chat, name: c}\nkind: app\nmodel_config: {}\n")
    (tmp_path / "circle.yml").write_text(CIRCLE)
    (tmp_path / "notes.txt").write_text("not looked at")
    ran = corpus(str(tmp_path))
    assert ran.stderr == ""
    lines = ran.stdout.splitlines()
    assert lines[0] == "5 files, 4 with a graph: 3 run well on graphon-0.8 (75.0%)."
    assert ran.returncode == 1  # below 95 %
    assert [line.split(":")[0].split() for line in lines[3:]] == [
        ["no", "graph", "chat.yml"],
        ["refused", "circle.yml"],
    ]
    assert "cycle" in lines[4].lower()
    as_json = json.loads(corpus(str(tmp_path), "--json").stdout)
    assert [(one["file"], one["status"]) for one in as_json["files"]] == [
        ("branch.yaml", "succeeded"),
        ("chat.yml", "no graph"),
        ("circle.yml", "refused"),
        ("pauses.yml", "paused"),
        ("succeeds.yml", "succeeded"),
    ]


CIRCLE = """
app: {mode: workflow, name: circle}
kind: app
workflow:
  graph:
    nodes:
      - {id: start, data: {type: start}}
      - {id: a, data: {type: template-transform, template: x, variables: []}}
      - {id: b, data: {type: template-transform, template: x, variables: []}}
    edges:
      - {id: e1, source: start, target: a, sourceHandle: source}
      - {id: e2, source: a, target: b, sourceHandle: source}
      - {id: e3, source: b, target: a, sourceHandle: source}
"""
