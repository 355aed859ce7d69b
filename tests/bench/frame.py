"""The frame of `make bench`: benchmarks register themselves, run one after another, and fill one table.

A benchmark is a function of a `Place` that gives a `Row` or several. What is compared is measured in the same
run, in turns, so that ratios hold on a busy machine. Medians throughout. Nothing here is a test: a missed
target is shown, and the exit code stays 0.
"""

from __future__ import annotations

import gc
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "home"
"""WORKBENCH_HOME of tests: holds the built engine kernels."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    Attributes:
        against: what it is compared with, with its own figure; empty when there is nothing to compare.
        target: what DESIGN promises; empty when it promises nothing.
        kept: whether it is kept; None without a target.
    """

    what: str
    measured: str
    against: str = ""
    ratio: float | None = None
    target: str = ""
    kept: bool | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a benchmark works: a folder of its own, and the folder with the built engine kernels."""

    folder: Path
    home: Path


Benchmark = Callable[[Place], Row | Iterable[Row]]
REGISTERED: dict[str, Benchmark] = {}


def bench(function: Benchmark) -> Benchmark:
    """Register a benchmark under its module's and function's names."""
    module = function.__module__.rsplit(".", 1)[-1].removeprefix("bench_")
    REGISTERED[f"{module}.{function.__name__}"] = function
    return function


def in_turns(*actions: Callable[[], object], rounds: int = 7) -> list[float]:
    """Median seconds of each action; they take turns, `rounds` times."""
    times: list[list[float]] = [[] for _ in actions]
    for _ in range(rounds):
        for action, taken in zip(actions, times, strict=True):
            gc.collect()
            began = time.perf_counter()
            action()
            taken.append(time.perf_counter() - began)
    return [statistics.median(taken) for taken in times]


def process(*command: str, codes: Sequence[int] = (0,), **options: object) -> Callable[[], object]:
    """An action that runs a whole process and checks its exit code."""

    def run() -> None:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)  # type: ignore[call-overload]
        if done.returncode not in codes:
            raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr[-2000:]}")

    return run


def ms(seconds: float) -> str:
    """A time for people."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"


def run_all(only: Sequence[str]) -> int:
    """Run what is registered (whose name holds one of `only`) and print the table as it grows."""
    names = [name for name in REGISTERED if not only or any(word in name for word in only)]
    print("| what | measured | against | ratio | target | |\n|---|---|---|---|---|---|")
    failed = 0
    for name in names:
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            try:
                result = REGISTERED[name](Place(Path(folder), CACHE))
                for row in [result] if isinstance(result, Row) else result:
                    print(line(row), flush=True)
            except Exception as error:
                failed += 1
                print(f"| {name} | failed: {type(error).__name__}: {str(error)[:300]} | | | | |", flush=True)
    if failed:
        print(f"{failed} benchmarks could not run.", file=sys.stderr)
    return 1 if failed else 0


def line(row: Row) -> str:
    """A row as a line of Markdown."""
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    kept = {None: "", True: "kept", False: "MISSED"}[row.kept]
    return f"| {row.what} | {row.measured} | {row.against} | {ratio} | {row.target} | {kept} |"
