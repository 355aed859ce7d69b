"""`workbench export`."""

from __future__ import annotations

from pathlib import Path

import click

from workbench.cli import options
from workbench.cli.options import json_option, store_option


@click.command("export")
@click.argument("target", metavar="ID|FILE")
@click.option("-o", "--output", required=True, metavar="F", help="The file to write; - for stdout.")
@click.option(
    "--format",
    "form",
    metavar="FORMAT",
    help="runtime-state (a run's default), stream-filter: parts of a pause; dify: the whole of it; "
    "bundle: a run to share; original: as imported.",
)
@click.option("--app", metavar="APP", help="bundle: the app of a saved pause.")
@click.option("--unmask", is_flag=True, help="bundle: keep environment variables, tokens and keys.")
@click.option("--with-forks", "forks", is_flag=True, help="bundle: take along the runs forked from it.")
@json_option
@store_option
def command(
    target: str,
    output: str,
    form: str | None,
    app: str | None,
    unmask: bool,
    forks: bool,
    as_json: bool,
    store: Path | None,
) -> int:
    """Write a pause as Dify saves it, an imported file byte for byte, or a bundle to share a run.

    What Dify reads is not masked. A bundle holds a run with its app, journal, pauses, script and the runs it
    was forked from, secrets masked; `workbench import` or `open` brings it into another store.
    """
    from workbench.cli.output import STDOUT, check_output, print_json, say, tell, write_output
    from workbench.verbs.exporting import export, export_bytes
    from workbench.views.shapes import exported_json

    if form != "bundle" and (app or unmask or forks):
        given = "--app" if app else "--unmask" if unmask else "--with-forks"
        raise click.UsageError(f"{given} is for --format bundle.", click.get_current_context())
    check_output(output, target, as_json=as_json)
    ctx = options.make_context(store)
    if output == STDOUT:
        write_output(output, export_bytes(ctx, target, form, app=app, unmask=unmask, forks=forks).data)
        return 0
    result = export(ctx, target, Path(output), form, app=app, unmask=unmask, forks=forks)
    if as_json:
        print_json(exported_json(result))
    else:
        say(f"{result.path}  {result.format}  {result.size} bytes")
        for note in result.notes:
            tell(f"note: {note}")
    return 0
