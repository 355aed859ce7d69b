"""`workbench lab`."""

from __future__ import annotations

from pathlib import Path

import click

from workbench.cli import options
from workbench.cli.options import store_option


@click.command("lab")
@click.option("--port", type=click.IntRange(1, 65535), metavar="N", help="Serve there (default: a free one).")
@click.option("--no-browser", is_flag=True, help="Tell the address, open no browser.")
@click.option("--kernel", metavar="K", help="The engine kernel of notebooks that name none.")
@store_option
def command(port: int | None, no_browser: bool, kernel: str | None, store: Path | None) -> int:
    """Open the lessons in JupyterLab, on this machine only; Ctrl-C ends it.

    The notebooks are a copy in WORKBENCH_HOME: change them as you like. Their runs are in the same store as
    those of the TUI and the command line. Needs the extra: pip install 'answer-workbench[notebook]'.
    """
    from workbench.cli.output import tell
    from workbench.notebook.lab import lab
    from workbench.verbs.lessons import lessons
    from workbench.verbs.names import kernel_name

    ctx = options.make_context(store)
    chosen = None if kernel is None else kernel_name(ctx, kernel)
    found = lessons(ctx)
    tell(f"lessons   {found.folder}")
    for name in found.kept:
        tell(f"note: {name} is yours: you changed it; delete it to get the new one.")
    lab(
        found.folder,
        store=ctx.store_file,
        kernel=chosen,
        port=port,
        browser=not no_browser,
        told=lambda address: tell(f"open      {address}\nCtrl-C ends it."),
    )
    return 0
