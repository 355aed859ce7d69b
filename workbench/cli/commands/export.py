"""`workbench export`."""

from __future__ import annotations

import sys
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
    help="runtime-state or stream-filter; dify: a saved pause; original: as imported.",
)
@json_option
@store_option
def command(target: str, output: str, form: str | None, as_json: bool, store: Path | None) -> int:
    """Write a pause's saved states, or an imported file, byte for byte.

    The bytes are what Dify reads: environment variables in them are not masked.
    """
    from workbench.cli.output import print_json, say, tell
    from workbench.verbs.exporting import STDOUT, export, export_bytes
    from workbench.views.shapes import exported_json

    ctx = options.make_context(store)
    if output == STDOUT:
        data, _ = export_bytes(ctx, target, form)
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return 0
    result = export(ctx, target, Path(output), form)
    if as_json:
        print_json(exported_json(result))
    else:
        say(f"{result.path}  {result.format}  {result.size} bytes")
        tell("note: exported bytes are not masked; environment variables in them are readable.")
    return 0
