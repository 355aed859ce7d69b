"""Whole processes of the command line."""

from __future__ import annotations

import sys

from tests.bench.frame import Place, Row, bench, in_turns, ms, process
from tests.bench.samples import ROOT
from workbench.verbs.context import Context
from workbench.verbs.exporting import export
from workbench.verbs.run import run

REFUND = ROOT / "fixtures" / "examples" / "refund-approval" / "app.yml"


@bench
def help_text(_: Place) -> Row:
    """`workbench --help` within 3x of `python -c pass` plus 100 ms."""
    bare = process(sys.executable, "-c", "pass")
    ours, theirs = in_turns(process(sys.executable, "-m", "workbench.cli", "--help"), bare, rounds=15)
    limit = 3 * theirs + 0.1
    return Row(
        "workbench --help",
        ms(ours),
        f"python -c pass: {ms(theirs)}",
        ours / theirs,
        f"3x + 100 ms = {ms(limit)}",
        ours <= limit,
    )


@bench
def explain_a_saved_pause(place: Place) -> Row:
    """`workbench why` on a saved runtime state of 1 MB, as a whole process."""
    ctx = Context(place.folder / "store.duckdb", place.home)
    paused = run(ctx, REFUND, query="I want my money back. " * 22_500)
    assert paused.pause is not None
    saved = place.folder / "pause.json"
    export(ctx, paused.pause.pause_id, saved, "runtime-state")
    megabytes = saved.stat().st_size / 1e6
    command = (sys.executable, "-m", "workbench.cli", "why", str(saved), "--app", str(REFUND))
    bare = process(sys.executable, "-c", "pass")
    ours, theirs = in_turns(process(*command, codes=(0, 4)), bare)
    return Row(
        f"workbench why, a saved pause of {megabytes:.1f} MB",
        ms(ours),
        f"python -c pass: {ms(theirs)}",
        ours / theirs,
        "300 ms",
        ours < 0.3,
    )
