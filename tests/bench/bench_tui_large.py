"""The terminal interface on what grows, 10,000 events or runs; and its start beside its peers'."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from textual.widgets import Static

from tests.bench.bench_store import fill
from tests.bench.bench_tui import FROZEN, KEYS, Seen, until_painted
from tests.bench.frame import Place, Row, bench, ms
from tests.bench.samples import LLM_APP
from tests.bench.terminal import Terminal
from tests.store.making import finished_run
from workbench.store import Store
from workbench.tui.app import WorkbenchApp
from workbench.tui.desk import Desk
from workbench.verbs.context import Context

EVENTS = 10_000
RUNS = 10_000
MEGABYTES = 200
"""DESIGN: memory of the TUI with a 10,000-event run open."""
PEERS = {
    "harlequin": (("harlequin", "--locale", "C"), b"Query Editor"),
    "posting": (("posting",), b"Enter a URL"),
}
"""Terminal programs made with Textual that people praise: their command, and what their first screen says."""


def long_run(place: Place) -> tuple[Path, str]:
    """A store with one run of the real engine, whose model says so many words that it has 10,000 events."""
    store = place.folder / "long.duckdb"
    script = place.folder / "script.json"
    script.write_text(json.dumps({"nodes": {"llm": {"chunks": ["word "] * EVENTS}}}))
    command = (sys.executable, "-m", "workbench.cli", "--store", str(store), "run", str(LLM_APP))
    done = subprocess.run(
        [*command, "--script", str(script), "--json"], capture_output=True, text=True, check=True
    )
    told = json.loads(done.stdout)
    if told["steps"] < EVENTS:
        raise RuntimeError(f"the run has {told['steps']} events only")
    return store, told["run_id"]


@bench
def long_run_open(place: Place) -> Iterator[Row]:
    """A run of 10,000 events: memory of the real program, and keys."""
    store, run_id = long_run(place)
    with Terminal(sys.executable, "-m", "workbench.cli", "--store", str(store), "open", run_id) as terminal:
        terminal.until(b"Next")
        terminal.quiet(1)
        for keys in (b"g", b"n" * 20, b"G", b"1", b"2", b"3", b"4", b"5", b"c"):
            terminal.type(keys)
            terminal.quiet(0.5)
        most = terminal.megabytes()
    yield Row(
        f"memory of the terminal interface, {EVENTS:,} events open, all panels seen",
        f"{most:.0f} MB",
        target=f"{MEGABYTES} MB",
        kept=most < MEGABYTES,
    )
    for what, times in asyncio.run(_keys_in(store, run_id)).items():
        yield _row(f"key to paint, {EVENTS:,} events: {what}", times)


async def _keys_in(store: Path, run_id: str) -> dict[str, list[float]]:
    app = WorkbenchApp(Context(store, store.parent / "home"), selected=run_id)
    async with app.run_test(size=(120, 40)) as pilot:
        while str(app.screen.query_one("#heading", Static).render()).startswith("Opening"):
            await pilot.pause(0.1)
        app.animation_level = "none"  # how the line under a tab glides is no latency
        seen = Seen(app)
        return {
            "a step back": await seen.press(["p"] * KEYS),
            "a step on": await seen.press(["g", *(["n"] * KEYS)]),
            "start and end": await seen.press(["g", "G"] * (KEYS // 2)),
            "a panel": await seen.press(list("12345") * (KEYS // 5)),
        }


@bench
def long_list(place: Place) -> Iterator[Row]:
    """The list of 10,000 runs: the cursor, a search as it is typed, a status."""
    store = Store(place.folder / "list.duckdb")
    finished_run(store, "the-first")
    fill(store.path, RUNS)
    for what, times in asyncio.run(_keys_in_list(store.path)).items():
        yield _row(f"key to paint, {RUNS:,} runs: {what}", times)


async def _keys_in_list(store: Path) -> dict[str, list[float]]:
    ctx = Context(store, store.parent / "home")
    app = WorkbenchApp(ctx, desk=Desk(ctx))
    async with app.run_test(size=(120, 40)) as pilot:
        while "runs" not in str(app.screen.query_one("#count", Static).render()):
            await pilot.pause(0.1)
        seen = Seen(app)
        moved = await seen.press(["j"] * KEYS)
        searched = await seen.press(["slash", *"order 4711?", *(["backspace"] * 11)])
        return {"the cursor": moved, "a letter of a search": searched}


def _row(what: str, times: list[float]) -> Row:
    worst = max(times)
    return Row(
        what,
        f"median {ms(statistics.median(times))}, worst {ms(worst)}",
        target=ms(FROZEN),
        kept=worst <= FROZEN,
    )


@bench
def start_beside_peers(place: Place) -> Iterator[Row]:
    """Start to first screen, beside harlequin and posting, each in a scratch environment made here."""
    home = str(place.folder / "home")
    kept = {name: os.environ.get(name) for name in ("HOME", "WORKBENCH_HOME")}
    os.environ.update(HOME=home, WORKBENCH_HOME=home)
    Path(home).mkdir()
    try:
        ours = until_painted(b"Import", sys.executable, "-m", "workbench.cli")
        for name, (command, mark) in PEERS.items():
            program = _installed(place, name)
            theirs = until_painted(mark, str(program / command[0]), *command[1:])
            times = [(_seconds(ours), _seconds(theirs)) for _ in range(5)]
            mine, other = (statistics.median(taken) for taken in zip(*times, strict=True))
            yield Row("terminal interface, first paint", ms(mine), f"{name}: {ms(other)}", mine / other)
    finally:
        for name, value in kept.items():
            if value is None:
                os.environ.pop(name)
            else:
                os.environ[name] = value


def _seconds(start: Callable[[], object]) -> float:
    """Of one start; a peer that crashes while it starts (posting 2.11 does now and then) is started again."""
    for last in (*[False] * 7, True):
        began = time.perf_counter()
        try:
            start()
        except RuntimeError:
            if last:
                raise
        else:
            return time.perf_counter() - began
    raise AssertionError("not reached")


def _installed(place: Place, name: str) -> Path:
    """The folder of programs of an environment with the newest `name` in it (needs a package index)."""
    scratch = place.folder / name
    uv = str(Path(sys.executable).with_name("uv"))
    for words in (
        (uv, "venv", "--quiet", "--python", sys.executable, str(scratch)),
        (uv, "pip", "install", "--quiet", "--python", str(scratch / "bin" / "python"), name),
    ):
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{name} can't be installed here: {done.stderr[-300:]}")
    return scratch / "bin"
