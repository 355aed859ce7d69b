"""`workbench heal`."""

from __future__ import annotations

from pathlib import Path

import click

from workbench.cli import options
from workbench.cli.options import json_option, store_option


@click.command("heal")
@click.argument("target", metavar="FILE|ID")
@click.option("--app", metavar="APP", help="The app of a saved pause: a file or an id.")
@click.option(
    "-o", "--output", metavar="F", help="Write the healed context there, as Dify keeps it; - for stdout."
)
@click.option(
    "--message", metavar="TEXT", help="The chat message as the user has it (Dify: messages.answer)."
)
@click.option("--message-file", type=click.Path(path_type=Path), help="The same, from a file.")
@click.option("--capture", type=click.Path(path_type=Path), help="The SSE stream that the client received.")
@click.option("--dify", metavar="V", help="The Dify that is to resume it, such as 1.16.1, or main.")
@json_option
@store_option
def command(
    target: str,
    app: str | None,
    output: str | None,
    message: str | None,
    message_file: Path | None,
    capture: Path | None,
    dify: str | None,
    as_json: bool,
    store: Path | None,
) -> int:
    """Rebuild the gate of a pause that was saved without one, or whose gate is stale.

    Writes a saved pause in Dify's own format in which only the gate differs, so that a run that would stay
    silent streams when Dify 1.16 or later resumes it. Proved on graphon's own loaders, not on a live Dify.
    """
    from workbench.cli.output import check_output, print_json, tell, write_output
    from workbench.verbs.heal import heal, message_from
    from workbench.views.healing import healed_json, healed_lines

    check_output(output, target, as_json=as_json)
    ctx = options.make_context(store)
    result = heal(ctx, target, app=app, message=message_from(message, message_file, capture), dify=dify)
    say = write_output(output, result.text.encode("utf-8", "surrogatepass"), target)
    if as_json:
        print_json(healed_json(result, output))
        return 0
    for line in healed_lines(result, output):
        say(line)
    if output is not None:
        tell("note: what was written is not masked; environment variables in it are readable.")
    return 0
