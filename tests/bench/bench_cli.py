"""Whole processes of the command line."""

from __future__ import annotations

import sys

from tests.bench.frame import Place, Row, bench, in_turns, ms, process


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
