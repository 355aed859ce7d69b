"""`workbench check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from workbench.cli import options
from workbench.cli.options import json_option, store_option, unmask_option

if TYPE_CHECKING:
    from workbench.verbs.context import Context


@click.command("check")
@click.argument("app", metavar="APP")
@click.option("--dify", metavar="V", help="Only what bites on this Dify: a version such as 1.15.0, or main.")
@click.option("--fix", is_flag=True, help="Make the changes of the graph that are advised, in a copy (-o).")
@click.option("-o", "--output", metavar="F", help="With --fix: write the changed app there; - for stdout.")
@click.option("--in-place", is_flag=True, help="With --fix: write it over APP itself.")
@click.option(
    "--only", metavar="N|NODE", multiple=True, help="With --fix: only this change, by number or form."
)
@click.option(
    "--script", type=click.Path(path_type=Path), help="With --fix: what the world answers in the proof."
)
@json_option
@unmask_option
@store_option
def command(
    app: str,
    dify: str | None,
    fix: bool,
    output: str | None,
    in_place: bool,
    only: tuple[str, ...],
    script: Path | None,
    as_json: bool,
    unmask: bool,
    store: Path | None,
) -> int:
    """Check an app before it runs: which Answers a pause would silence, broken references, exploding paths.

    APP is a Dify DSL file or the id of an imported app; nothing is run. Exit code 4 when there is an error
    or a warning to tell.

    With --fix the change that is advised for a form is made in a copy of the app, of which nothing else
    differs. It is checked again, and both apps are played on the engine of Dify 1.15, which loses the gate's
    state at a pause: without -o only told.
    """
    ctx = options.make_context(store)
    if fix:
        return _fix(ctx, app, dify, output, in_place, only, script, as_json=as_json, unmask=unmask)
    for given, name in ((output, "-o"), (in_place, "--in-place"), (only, "--only"), (script, "--script")):
        if given:
            raise click.UsageError(f"{name} belongs to --fix.", click.get_current_context())
    from workbench.cli.findings import print_findings
    from workbench.verbs.check import check

    return print_findings(check(ctx, app, dify=dify), as_json=as_json, unmask=unmask)


def _fix(
    ctx: Context,
    app: str,
    dify: str | None,
    output: str | None,
    in_place: bool,
    only: tuple[str, ...],
    script: Path | None,
    *,
    as_json: bool,
    unmask: bool,
) -> int:
    from workbench.cli.findings import FOUND
    from workbench.cli.output import STDOUT, check_output, print_json, write_output
    from workbench.verbs.fixing import fix, given_script, place_to_write, write
    from workbench.views.fixing import fixed_json, fixed_lines
    from workbench.views.secrets import mask_for

    check_output(output, as_json=as_json)
    to = None if output == STDOUT else place_to_write(app, output, in_place=in_place)
    answers = None if script is None else given_script(ctx, app, script)
    result = fix(ctx, app, dify=dify, choose=only, script=answers)
    piped = output if output == STDOUT and result.changed else None
    report = write_output(piped, result.data)
    written = piped or write(result, to)
    mask = mask_for(result.environment, unmask=unmask)
    if as_json:
        print_json(fixed_json(result, written, mask))
    else:
        for line in fixed_lines(result, written, mask):
            report(line)
    return FOUND if result.left else 0
