"""`workbench check`."""

from __future__ import annotations

from pathlib import Path

import click

from workbench.cli import options
from workbench.cli.options import json_option, store_option, unmask_option


@click.command("check")
@click.argument("app", metavar="APP")
@click.option("--dify", metavar="V", help="Only what bites on this Dify: a version such as 1.15.0, or main.")
@json_option
@unmask_option
@store_option
def command(app: str, dify: str | None, as_json: bool, unmask: bool, store: Path | None) -> int:
    """Check an app before it runs: which Answers a pause would silence, broken references, exploding paths.

    APP is a Dify DSL file or the id of an imported app; nothing is run. Exit code 4 when there is an error
    or a warning to tell.
    """
    from workbench.cli.findings import print_findings
    from workbench.verbs.check import check

    ctx = options.make_context(store)
    return print_findings(check(ctx, app, dify=dify), as_json=as_json, unmask=unmask)
