"""`workbench diff`."""

from __future__ import annotations

from pathlib import Path

import click

from workbench.cli import options
from workbench.cli.options import json_option, store_option, unmask_option


@click.command("diff")
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@click.option("--app", metavar="APP", help="The app of saved pauses: a file or an id.")
@json_option
@unmask_option
@store_option
def command(before: str, after: str, app: str | None, as_json: bool, unmask: bool, store: Path | None) -> int:
    """Compare two runs, two steps of runs (RUN@7), two pauses, two saved states, or two apps.

    Two runs are aligned by node and occurrence. Ids and times that are new in each run are no difference.
    Exit code 0 also when they differ; `--json` says "equal".
    """
    from workbench.cli.output import print_json, say
    from workbench.verbs.diff import compare
    from workbench.views.differences import differences_json, differences_lines
    from workbench.views.secrets import mask_for

    ctx = options.make_context(store)
    found = compare(ctx, before, after, app=app)
    mask = mask_for((*found.before.environment, *found.after.environment), unmask=unmask)
    if as_json:
        print_json(differences_json(found, mask))
    else:
        for line in differences_lines(found, mask):
            say(line)
    return 0
