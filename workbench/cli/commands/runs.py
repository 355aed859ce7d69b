"""`workbench runs`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from workbench.cli import options
from workbench.cli.options import json_option, store_option, unmask_option


@click.command("runs")
@click.option(
    "--status", metavar="S", help="Only these: running, paused, succeeded, failed, stopped, interrupted, ..."
)
@click.option("--search", metavar="TEXT", help="Only runs with this text in app, ids, inputs or outputs.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most this many.")
@json_option
@unmask_option
@store_option
def command(
    status: str | None, search: str | None, limit: int | None, as_json: bool, unmask: bool, store: Path | None
) -> int:
    """List the runs, the newest first."""
    from workbench.cli.output import print_json, say
    from workbench.cli.style import Style
    from workbench.cli.words_state import runs_lines
    from workbench.verbs.runs import runs
    from workbench.views.secrets import mask_for
    from workbench.views.states import runs_json

    ctx = options.make_context(store)
    found = runs(ctx, status=status, search=search, limit=limit)
    mask = mask_for((), unmask=unmask)
    if as_json:
        print_json(runs_json(found, mask))
    else:
        for line in runs_lines(found, mask, Style(sys.stdout)):
            say(line)
    return 0
