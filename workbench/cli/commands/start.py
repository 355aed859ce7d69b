"""`workbench start`: what `make start` shows."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli import options
from workbench.cli.options import store_option

if TYPE_CHECKING:
    from workbench.verbs.watch import Watcher


@click.command("start")
@store_option
def command(store: Path | None) -> int:
    """Show the bundled example: in the TUI where there is a terminal, else told as text."""
    ctx = options.make_context(store)
    if sys.stdin.isatty() and sys.stdout.isatty():
        from workbench.cli.tui import open_tui
        from workbench.verbs.story import start_example

        return open_tui(ctx, selected=start_example(ctx, _watcher()).run_id)
    from workbench.cli.output import say
    from workbench.cli.story import story_lines
    from workbench.cli.style import Style
    from workbench.verbs.story import tell

    for line in story_lines(tell(ctx, _watcher()), Style(sys.stdout)):
        say(line)
    return 0


def _watcher() -> Watcher:
    from workbench.cli.live import QuietWatcher

    return QuietWatcher()
