"""`workbench open`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from workbench.cli import options
from workbench.cli.options import store_option


@click.command("open")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@store_option
def command(files: tuple[Path, ...], store: Path | None) -> int:
    """Import files, then show the first of them in the TUI."""
    from workbench.cli.imported import print_imported
    from workbench.cli.tui import open_tui
    from workbench.verbs.importing import import_files

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError(
            "The TUI needs a terminal. Without one: workbench import FILE...", click.get_current_context()
        )
    ctx = options.make_context(store)
    found = import_files(ctx, files)
    unread = [each for each in found if each.id is None]
    if unread:
        print_imported(unread, as_json=False)
        if len(unread) == len(found):
            return 1
    return open_tui(ctx, files=[Path(each.file) for each in found if each.id is not None])
