"""`workbench import`."""

from __future__ import annotations

from pathlib import Path

import click

from workbench.cli import options
from workbench.cli.options import json_option, store_option


@click.command("import")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@json_option
@store_option
def command(files: tuple[Path, ...], as_json: bool, store: Path | None) -> int:
    """Recognise files by their content and store them byte for byte.

    Exported apps, saved pauses, runtime states, gate states, SSE recordings, conversations, agent sessions.
    Exit code 1 when one could not be read as anything; the others are stored.
    """
    from workbench.cli.imported import print_imported
    from workbench.verbs.importing import import_files

    return print_imported(import_files(options.make_context(store), files), as_json=as_json)
