"""`workbench show`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from workbench.cli import options
from workbench.cli.options import json_option, store_option, unmask_option


@click.command("show")
@click.argument("target", metavar="ID|FILE")
@click.option("--step", type=int, metavar="N", help="0 is before the first event; default: the last step.")
@click.option(
    "--app",
    metavar="APP",
    help="The app of a saved pause: a file or an id; else the only imported one that fits.",
)
@json_option
@unmask_option
@store_option
def command(
    target: str, step: int | None, app: str | None, as_json: bool, unmask: bool, store: Path | None
) -> int:
    """Show a run at a step: the event, the gate, node and edge states, variables, and the text streamed so
    far.

    A pause's id shows the step it paused at; a saved pause from Dify has one step. It holds no graph: without
    its app (--app, or an imported one that fits) only ids are known.
    """
    from workbench.cli.output import print_json, say
    from workbench.cli.style import Style
    from workbench.cli.words_state import shown_lines
    from workbench.verbs.show import show
    from workbench.views.secrets import mask_for
    from workbench.views.states import shown_json

    ctx = options.make_context(store)
    shown = show(ctx, target, step, app=app)
    mask = mask_for(shown.environment, unmask=unmask)
    if as_json:
        print_json(shown_json(shown, mask))
    else:
        for line in shown_lines(shown, mask, Style(sys.stdout)):
            say(line)
    return 0
