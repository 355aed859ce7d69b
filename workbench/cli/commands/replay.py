"""`workbench replay`."""

from __future__ import annotations

from pathlib import Path

import click

from workbench.cli import options
from workbench.cli.options import json_option, store_option, unmask_option


@click.command("replay")
@click.argument("capture", metavar="CAPTURE")
@click.option(
    "--app", metavar="APP", help="The app that ran: a file or an id; else the only imported one that fits."
)
@click.option(
    "--kernel",
    metavar="K",
    help="The engine; default: Dify 1.15's where the stream tells of a lost gate, else the newest.",
)
@click.option("--quiet", "-q", is_flag=True, help="No progress on stderr.")
@json_option
@unmask_option
@store_option
def command(
    capture: str,
    app: str | None,
    kernel: str | None,
    quiet: bool,
    as_json: bool,
    unmask: bool,
    store: Path | None,
) -> int:
    """Play a recorded SSE stream again on the real engine, what the world answered in it as script, and
    compare both: the nodes that ran, and the text that the client was sent.

    The replay is a run like any other: `why`, `show --step`, `diff` and `fork` take its id. Exit code 0 also
    when they part; `--json` says "equal".
    """
    from workbench.cli.live import watcher_for
    from workbench.cli.output import print_json, say
    from workbench.cli.stopping import stoppable
    from workbench.engine.control import Control
    from workbench.verbs.replay import replay
    from workbench.views.replaying import replayed_json, replayed_lines
    from workbench.views.secrets import mask_for

    ctx = options.make_context(store)
    control = Control()
    with stoppable(control) as stopper:
        watcher = watcher_for(quiet=quiet, mask=mask_for((), unmask=unmask))
        result = replay(ctx, capture, app=app, kernel=kernel, watcher=watcher, control=control)
    mask = mask_for(result.environment, unmask=unmask)
    if as_json:
        print_json(replayed_json(result, mask))
    else:
        for line in replayed_lines(result, mask):
            say(line)
    return stopper.exit_code(0)
