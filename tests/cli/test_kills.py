"""kill -9 of the command at random moments: whatever it had told is still there."""

from __future__ import annotations

import random
import re
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.driver import cli, fixture, start

pytestmark = pytest.mark.kernel
APP = fixture("shapes/t5-parallel-llm")
LONGEST = 1.5
"""Seconds after which such a run has long ended."""
SCRIPT = "nodes: {llm: {chunks: [a, b, c, d, e, f, g, h, i, j], delay: 0.05}}"


def killed_run(run_id: str, script: Path, after: float) -> tuple[str, str]:
    """Run until it has been killed (or was faster); what it had told on stdout and stderr."""
    running = start("run", APP, "--script", script, "--run-id", run_id, "--json")
    time.sleep(after)
    running.kill()
    out, err = running.communicate()
    return out.decode(), err.decode()


def missing(run_id: str, out: str, err: str) -> list[str]:
    """What was told and is not in the store."""
    if f"as {run_id}" not in err:
        return []
    shown: dict[str, Any] = cli("show", run_id, "--json").json
    row = next(row for row in cli("runs", "--json").json["runs"] if row["run_id"] == run_id)
    lost = [
        title
        for title, node in (("Start", "start"), ("Draft", "llm"))
        if f"done      {title}" in err and shown["status"].get(node) != "succeeded"
    ]
    text = "".join(re.findall(r"^  \| (.*)$", err, re.MULTILINE))
    if not shown["streamed"].startswith(text.rstrip()):
        lost.append(f"text {text!r}, stored {shown['streamed']!r}")
    if out.rstrip().endswith("}"):
        resumed = cli("resume", run_id, "--action", "approve", "--json", "-q")
        lost += [] if resumed.code == 0 else [f"pause: {resumed.err}"]
    elif row["status"] not in ("stopped", "paused"):
        lost.append(f"status {row['status']}")
    elif row["status"] == "stopped" and not row["interrupted"]:
        lost.append("not told as interrupted")
    return lost


@pytest.mark.parametrize(
    "kills",
    [
        pytest.param(4, id="few"),
        pytest.param(100, marks=[pytest.mark.soak, pytest.mark.timeout(3000)], id="100"),
    ],
)
def test_nothing_that_was_told_is_lost(kills: int, home: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.yml"
    script.write_text(SCRIPT)
    dice = random.Random(kills)
    found = {}
    for number in range(kills):
        after = LONGEST * (dice.random() if kills > 4 else (number + 1) / kills)
        lost = missing(f"run-{number}", *killed_run(f"run-{number}", script, after))
        if lost:
            found[number, round(after, 3)] = lost
    assert found == {}
