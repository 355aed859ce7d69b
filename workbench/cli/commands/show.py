"""`workbench show`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli import options
from workbench.cli.options import json_option, store_option, unmask_option

if TYPE_CHECKING:
    from workbench.verbs.captures import OpenedCapture


@click.command("show")
@click.argument("target", metavar="ID|FILE")
@click.option("--step", type=int, metavar="N", help="0 is before the first event; default: the last step.")
@click.option(
    "--app",
    metavar="APP",
    help="The app of a saved pause or recording: a file or an id; else the only imported one that fits.",
)
@json_option
@unmask_option
@store_option
def command(
    target: str, step: int | None, app: str | None, as_json: bool, unmask: bool, store: Path | None
) -> int:
    """Show a run at a step: the event, the gate, node and edge states, variables, and the text streamed so
    far.

    A recorded SSE stream shows the runs in it: nodes, forms, pieces, and with --app the edges that were
    taken; with --step the state at a step of the journal that is inferred from it.

    A pause's id shows the step it paused at; a saved pause from Dify has one step. It holds no graph: without
    its app (--app, or an imported one that fits) only ids are known.
    """
    from workbench.cli.output import print_json, say
    from workbench.cli.style import Style
    from workbench.cli.words_state import shown_lines
    from workbench.verbs.captures import find_capture, open_capture
    from workbench.verbs.show import show
    from workbench.views.secrets import mask_for
    from workbench.views.states import shown_json

    ctx = options.make_context(store)
    recorded = None if step is not None else find_capture(ctx, target)
    if recorded is not None:
        return _capture(open_capture(ctx, recorded, app), as_json=as_json, unmask=unmask)
    shown = show(ctx, target, step, app=app)
    mask = mask_for(shown.environment, unmask=unmask)
    if as_json:
        print_json(shown_json(shown, mask))
    else:
        for line in shown_lines(shown, mask, Style(sys.stdout)):
            say(line)
    return 0


def _capture(opened: OpenedCapture, *, as_json: bool, unmask: bool) -> int:
    from workbench.cli.output import print_json, say
    from workbench.views.captures import capture_json, capture_lines
    from workbench.views.secrets import mask_for

    mask = mask_for(opened.environment, unmask=unmask)
    if as_json:
        print_json(capture_json(opened, mask))
    else:
        for line in capture_lines(opened, mask):
            say(line)
    return 0
