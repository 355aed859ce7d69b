"""`kill -9` of a recorder at any moment: nothing that was reported is lost, nothing is there twice."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from workbench.store import Store

ROOT = Path(__file__).parents[2]


@dataclass
class Told:
    """What the killed process had reported of one run."""

    steps: int = 0
    pause_id: str | None = None
    last: str = ""


@dataclass
class Report:
    runs: dict[str, Told] = field(default_factory=dict)

    def hear(self, line: str) -> None:
        word, run_id, *rest = line.split()
        told = self.runs.setdefault(run_id, Told())
        told.last = word
        if word == "event":
            told.steps = int(rest[0])
        elif word == "paused":
            told.pause_id = rest[0]


def record_and_kill(store: Store, prefix: str, chance: random.Random) -> Report:
    """Let a recorder work for a random while, kill it, and tell what it had reported."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.store.killed", str(store.path), prefix, str(chance.random())],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert child.stdout is not None
    report = Report()
    for _ in range(chance.randrange(1, 400)):
        report.hear(child.stdout.readline())
    time.sleep(chance.random() * 0.05)  # anywhere, not only right after a report
    child.kill()
    child.wait()
    for line in child.stdout:
        if line.endswith("\n"):
            report.hear(line)
    return report


def check(store: Store, report: Report) -> None:
    for run_id, told in report.runs.items():
        row = store.run(run_id)
        steps = [step for step, _, _ in store.events(run_id)]
        assert steps == list(range(1, len(steps) + 1)), f"{run_id}: holes or repeats"
        assert len(steps) >= told.steps, f"{run_id}: {told.steps} steps were reported, {len(steps)} are there"
        assert row.steps == len(steps)
        indexes = [node.index for node in store.nodes(run_id)]
        assert indexes == list(range(1, len(indexes) + 1))
        if told.pause_id is not None:
            pause = store.pause(told.pause_id)
            assert (pause.state, pause.gate) == ('{"version":"3.0"}', '{"version":"2.0"}')
            assert len(pause.reasons) == 1
        if told.last == "finished":
            assert (row.status, row.interrupted) == ("succeeded", False)
        elif told.last == "paused":
            # its resume may have been committed without having been reported
            assert row.status == "paused" or row.interrupted
        else:
            assert row.interrupted or row.status in {"paused", "succeeded"}
        assert row.status != "running"
    assert not any(store.path.with_name(store.path.name + ".live").iterdir()), "spool files are left"


def kill_many(store: Store, count: int, seed: int) -> int:
    chance = random.Random(seed)
    reported = 0
    for number in range(count):
        report = record_and_kill(store, f"k{number}", chance)
        check(store, report)
        reported += sum(told.steps for told in report.runs.values())
    everything = store.runs()
    assert len({row.run_id for row in everything}) == len(everything)
    assert all(row.status != "running" for row in everything)
    return reported


def test_a_few_kills(store: Store) -> None:
    assert kill_many(store, 5, seed=time.time_ns()) > 0


@pytest.mark.soak
def test_a_hundred_kills(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    began = time.monotonic()
    reported = kill_many(store, 100, seed=1)
    with capsys.disabled():
        print(
            f"\n100 kills of a recorder at random moments: {reported:,} events of {len(store.runs())} runs"
            f" were reported, 0 lost, 0 twice ({time.monotonic() - began:.0f} s)"
        )
