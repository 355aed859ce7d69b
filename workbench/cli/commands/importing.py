"""`workbench import`."""

from __future__ import annotations

from pathlib import Path

import click

from workbench.cli import options
from workbench.cli.options import json_option, store_option


@click.command("import")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--new-ids", is_flag=True, help="Give the runs in bundles new ids.")
@json_option
@store_option
def command(files: tuple[Path, ...], new_ids: bool, as_json: bool, store: Path | None) -> int:
    """Recognise files by their content and store them byte for byte.

    Exported apps, saved pauses, runtime states, gate states, SSE recordings, conversations, agent sessions.
    Of a bundle the runs are put into the store. Exit code 1 when one could not be read as anything; the
    others are stored.
    """
    from workbench.cli.imported import print_imported
    from workbench.verbs.importing import import_files

    found = import_files(options.make_context(store), files, new_ids=new_ids)
    return print_imported(found, as_json=as_json)
