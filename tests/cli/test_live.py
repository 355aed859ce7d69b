"""What a user sees while a run goes on."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.cli.live import LinesWatcher, QuietWatcher, watcher_for
from workbench.cli.picture import PictureWatcher
from workbench.cli.progress import Progress, duration
from workbench.core.graph import Graph, Node
from workbench.verbs.watch import Began, Watcher
from workbench.views.secrets import mask_for

SECRET = "s3cr3t-value-of-mine"
MASK = mask_for([{"name": "KEY", "value": SECRET, "value_type": "secret"}])
GRAPH = Graph(
    {
        "start": Node("start", "start", "Start", "root"),
        "loop": Node("loop", "loop", "Loop", "container"),
        "llm": Node("llm", "llm", "Draft\x1b[2J", "executable", parent="loop"),
        "check": Node("check", "if-else", "", "branch"),
    },
    {},
    "start",
)
EVENTS: list[tuple[float, dict[str, Any]]] = [
    (1.0, {"kind": "GraphRunStarted"}),
    (1.0, {"kind": "NodeRunStarted", "node": "start"}),
    (1.002, {"kind": "NodeRunSucceeded", "node": "start", "elapsed": 0.002}),
    (1.1, {"kind": "NodeRunStarted", "node": "loop"}),
    (1.1, {"kind": "NodeRunStarted", "node": "llm", "container": "loop", "index": 0}),
    (1.2, {"kind": "NodeRunSucceeded", "node": "llm", "container": "loop", "elapsed": 0.1}),
    (1.2, {"kind": "NodeRunStarted", "node": "llm", "container": "loop", "index": 1}),
    (
        2.6,
        {"kind": "NodeRunFailed", "node": "llm", "container": "loop", "error": f"bad key {SECRET}\nsecond"},
    ),
    (2.7, {"kind": "NodeRunStarted", "node": "check"}),
    (2.7, {"kind": "NodeRunSucceeded", "node": "check", "handle": "true", "elapsed": 0.0}),
]


def play(watcher: Watcher) -> None:
    watcher.note("Building.")
    watcher.began(Began("r1", "App", "advanced-chat", "graphon-0.8", GRAPH))
    for step, (at, event) in enumerate(EVENTS, 1):
        watcher.event(step, at, event)
        if step == 3:
            watcher.stream(step, [["llm", ["llm", "text"], "Hello\n\x1b]0;x\x07wor", False]], None)
            watcher.stream(step, [["llm", ["llm", "text"], "ld", True]], None)
    watcher.stream(9, [], "Stream llm.text is already closed")
    watcher.ended()


def test_lines_tell_nodes_and_text_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    play(LinesWatcher(MASK))
    seen = capsys.readouterr()
    assert seen.out == ""
    assert seen.err.splitlines() == [
        "  Building.",
        "App runs on graphon-0.8 as r1",
        "  done      Start (start) 2 ms",
        "  | Hello",
        "  | ␛]0;x␇world",
        "    done      Draft␛[2J (llm) 100 ms",
        "    FAILED    Draft␛[2J (llm) 1.4 s  bad key ••••••⏎second",
        "  done      check (if-else) 0 ms  → true",
        "  the stream broke: Stream llm.text is already closed",
    ]


def test_a_resume_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    LinesWatcher(MASK).began(Began("r1", "App", "advanced-chat", "graphon-0.8", GRAPH, 8, resumed=True))
    assert capsys.readouterr().err == "App resumes on graphon-0.8 as r1\n"


def test_the_picture_holds_the_same_facts(capsys: pytest.CaptureFixture[str]) -> None:
    play(PictureWatcher(MASK))
    seen = capsys.readouterr().err
    for part in ("✓ Start", "✗ Draft␛[2J ×2", "bad key ••••••", "→ true", "␛]0;x␇world", "The stream broke"):
        assert part in seen
    assert SECRET not in seen
    assert "\x1b]" not in seen


def test_quiet_still_tells_what_the_user_should_know(capsys: pytest.CaptureFixture[str]) -> None:
    play(QuietWatcher())
    assert capsys.readouterr().err == "Building.\n"


def test_a_pipe_gets_lines_and_quiet_is_quiet() -> None:
    assert isinstance(watcher_for(quiet=False, mask=MASK), LinesWatcher)
    assert isinstance(watcher_for(quiet=True, mask=MASK), QuietWatcher)


def test_a_node_that_the_app_lacks_is_shown_by_its_event() -> None:
    progress = Progress(GRAPH)
    line = progress.event(1.0, {"kind": "NodeRunStarted", "node": "new", "title": "New", "type": "tool"})
    assert line is not None
    assert (line.title, line.type, line.depth) == ("New", "tool", 0)
    assert progress.event(1.0, {"kind": "GraphEdgeTaken", "edge": "e"}) is None


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0004, "0 ms"), (0.5, "500 ms"), (59.94, "59.9 s"), (125, "2 min 5 s")]
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text
