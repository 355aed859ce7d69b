"""`workbench open`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli import options
from workbench.cli.options import store_option

if TYPE_CHECKING:
    from workbench.verbs.context import Context


@click.command("open")
@click.argument("targets", metavar="FILE|ID...", nargs=-1, required=True)
@click.option("--app", metavar="APP", help="The app of a saved pause: a file or an id.")
@store_option
def command(targets: tuple[str, ...], app: str | None, store: Path | None) -> int:
    """Import files, then show the last of them in the TUI; or show what is stored under an ID.

    A saved pause opens in the debugger. An app that is given beside it counts as its app.
    """
    from workbench.cli.imported import print_imported
    from workbench.cli.tui import open_tui
    from workbench.verbs.importing import import_files
    from workbench.verbs.target import find_app

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError(
            "The TUI needs a terminal. Without one: workbench import FILE...", click.get_current_context()
        )
    ctx = options.make_context(store)
    if len(targets) == 1 and (known := _stored(ctx, targets[0])) is not None:
        return open_tui(ctx, selected=known, app=app)
    if app is not None:
        find_app(ctx, app)  # Refused here, before the terminal is the TUI's.
    found = import_files(ctx, targets)
    unread = [each for each in found if each.id is None]
    if unread:
        print_imported(unread, as_json=False)
        if len(unread) == len(found):
            return 1
    return open_tui(ctx, files=[Path(each.file) for each in found if each.id is not None], app=app)


def _stored(ctx: Context, text: str) -> str | None:
    """The id of what is stored under this name, where it is no file."""
    from workbench.verbs.target import find, looks_like_path

    if looks_like_path(text) or Path(text).exists():
        return None
    found = find(ctx, text)
    return found.id
