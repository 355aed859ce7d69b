"""Three processes run and list on one store at once: all is recorded, nobody is refused or starves."""

from __future__ import annotations

import statistics
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.cli.driver import Done, cli, fixture, process

pytestmark = pytest.mark.kernel
APP = fixture("shapes/t5-parallel-llm")
LONGEST_WAIT = 20
"""Seconds; far beyond what two busy cores need, far below a lock that somebody keeps."""


@dataclass
class Crowd:
    """What a few threads, each driving processes one after another, have seen."""

    until: float
    runs: list[str] = field(default_factory=list)
    faults: list[Done] = field(default_factory=list)
    seconds: dict[str, list[float]] = field(default_factory=lambda: {"run": [], "resume": [], "runs": []})

    def work(self, name: str) -> None:
        turn = 0
        while turn == 0 or time.monotonic() < self.until:
            run_id = f"{name}-{turn}"
            self.do("run", 3, "run", APP, "--run-id", run_id, "--json", "-q")
            self.runs.append(run_id)
            listed = self.do("runs", 0, "runs", "--json")
            if run_id not in {row["run_id"] for row in listed.json["runs"]}:
                self.faults.append(listed)
            self.do("resume", 0, "resume", run_id, "--action", "approve", "--json", "-q")
            turn += 1

    def do(self, verb: str, code: int, *arguments: str | Path) -> Done:
        began = time.monotonic()
        done = process(*arguments)
        self.seconds[verb].append(time.monotonic() - began)
        if done.code != code:
            self.faults.append(done)
        return done


@pytest.mark.parametrize(
    "seconds",
    [pytest.param(3, id="short"), pytest.param(60, marks=[pytest.mark.soak, pytest.mark.timeout(300)])],
)
def test_three_processes_on_one_store(seconds: int, home: Path) -> None:
    crowd = Crowd(time.monotonic() + seconds)
    threads = [threading.Thread(target=crowd.work, args=(f"p{number}",)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert crowd.faults == []
    found = {row["run_id"]: row["status"] for row in cli("runs", "--json").json["runs"]}
    assert found == dict.fromkeys(crowd.runs, "succeeded")
    for verb, waits in crowd.seconds.items():
        print(
            f"{verb}: {len(waits)} times, median {statistics.median(waits):.2f} s, longest {max(waits):.2f} s"
        )
        assert max(waits) < LONGEST_WAIT
