"""`workbench runs`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from workbench.cli import options
from workbench.cli.options import json_option, store_option, unmask_option

SCREENFUL = 50


@click.command("runs")
@click.option(
    "--status", metavar="S", help="Only these: running, paused, succeeded, failed, stopped, interrupted, ..."
)
@click.option("--search", metavar="TEXT", help="Only runs with this text in app, ids, inputs or outputs.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"At most this many (default: {SCREENFUL}; --json: all).",
)
@click.option("--tree", "as_tree", is_flag=True, help="Show forks below the runs they were made of.")
@json_option
@unmask_option
@store_option
def command(
    status: str | None,
    search: str | None,
    limit: int | None,
    as_tree: bool,
    as_json: bool,
    unmask: bool,
    store: Path | None,
) -> int:
    """List the runs, the newest first."""
    from workbench.cli.output import print_json, say, tell
    from workbench.cli.style import Style
    from workbench.cli.words_state import runs_lines
    from workbench.verbs.runs import runs
    from workbench.views.secrets import mask_for
    from workbench.views.states import runs_json

    ctx = options.make_context(store)
    mask = mask_for((), unmask=unmask)
    if as_tree:
        from workbench.cli.words_state import tree_lines
        from workbench.verbs.lineage import tree
        from workbench.views.states import tree_json

        families = tree(ctx, runs(ctx, status=status, search=search, limit=limit))
        if as_json:
            print_json(tree_json(families, mask))
        else:
            for line in tree_lines(families, mask, Style(sys.stdout)):
                say(line)
        return 0
    if as_json:
        print_json(runs_json(runs(ctx, status=status, search=search, limit=limit), mask))
        return 0
    shown = limit or SCREENFUL
    found = runs(ctx, status=status, search=search, limit=shown + 1)
    for line in runs_lines(found[:shown], mask, Style(sys.stdout)):
        say(line)
    if len(found) > shown:
        tell(f"There are older runs: --limit {shown * 2} shows more of them, --search finds one.")
    return 0
