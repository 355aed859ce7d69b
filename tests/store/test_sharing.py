"""Three processes record and list on one store at once: all is recorded, nobody fails, nobody starves."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench.store import Store

ROOT = Path(__file__).parents[2]


def share(store: Store, seconds: float, least: int) -> list[dict[str, Any]]:
    """What three processes did in `seconds`, each at least `least` runs."""
    children = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.store.sharing", str(store.path), name, str(seconds), str(least)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for name in ("tui", "notebook", "cli")
    ]
    results = []
    for child in children:
        out, error = child.communicate()
        assert child.returncode == 0, error
        results.append(json.loads(out))
    return results


def check(store: Store, results: list[dict[str, Any]]) -> None:
    recorded = {row.run_id: row for row in store.runs()}
    reported = [run_id for result in results for run_id in result["runs"]]
    assert sorted(recorded) == sorted(reported)
    for row in recorded.values():
        assert (row.status, row.steps, row.interrupted) == ("succeeded", 23, False)
    for run_id in reported[:: max(1, len(reported) // 20)]:
        assert [step for step, _, _ in store.events(run_id)] == list(range(1, 24))
        assert len(store.nodes(run_id)) == 11
        assert len(store.pauses(run_id)) == 1


def test_three_processes_for_a_moment(store: Store) -> None:
    check(store, share(store, 0, least=3))


@pytest.mark.soak
@pytest.mark.timeout(300)
def test_three_processes_for_a_minute(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    results = share(store, 60, least=1)
    check(store, results)
    lines = [f"\n3 processes for a minute: {sum(len(result['runs']) for result in results)} runs, no error"]
    for what in results[0]["waits"]:
        waits = sorted(wait for result in results for wait in result["waits"][what])
        late = waits[int(len(waits) * 0.95)]
        lines.append(
            f"  {what:7} median {statistics.median(waits) * 1000:4.0f} ms, 95 % {late * 1000:4.0f} ms,"
            f" worst {waits[-1] * 1000:4.0f} ms ({len(waits)} times)"
        )
    with capsys.disabled():
        print("\n".join(lines))
    assert all(wait < 20 for result in results for waits in result["waits"].values() for wait in waits)
