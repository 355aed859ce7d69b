"""`workbench why`."""

from __future__ import annotations

from pathlib import Path

import click

from workbench.cli import options
from workbench.cli.options import json_option, store_option, unmask_option


@click.command("why")
@click.argument("target", metavar="ID|FILE", required=False)
@click.option(
    "--app",
    metavar="APP",
    help="The app of a saved pause or recording: a file or an id; else the only imported one that fits.",
)
@click.option("--dify", metavar="V", help="The Dify that resumes it, such as 1.15.0, or main.")
@click.option(
    "--explain",
    metavar="CODE",
    is_flag=False,
    flag_value="",
    help="Print the help page of a finding, and end; without CODE list all of them.",
)
@json_option
@unmask_option
@store_option
def command(
    target: str | None,
    app: str | None,
    dify: str | None,
    explain: str | None,
    as_json: bool,
    unmask: bool,
    store: Path | None,
) -> int:
    """Say why an Answer is silent, repeated or late: in a run, at one of its pauses, in a saved pause
    from Dify, or in a recorded SSE stream.

    Exit code 4 when there is an error or a warning to tell, 0 when all is well.
    """
    if explain == "":
        return _list(as_json=as_json)
    if explain is not None:
        from workbench.cli.output import print_json, say
        from workbench.verbs.explaining import explain as page

        text = page(explain)
        if as_json:
            print_json({"version": 1, "code": explain, "page": text})
        else:
            say(text)
        return 0
    if target is None:
        raise click.UsageError(
            "Say which run or saved pause: workbench why ID|FILE.", click.get_current_context()
        )
    from workbench.cli.findings import print_findings
    from workbench.verbs.why import why

    ctx = options.make_context(store)
    return print_findings(why(ctx, target, app=app, dify=dify), as_json=as_json, unmask=unmask)


def _list(*, as_json: bool) -> int:
    from workbench.cli.output import print_json, say
    from workbench.cli.words import wrapped
    from workbench.verbs.explaining import listing

    found = listing()
    if as_json:
        print_json({"version": 1, "codes": [{"code": code, "about": about} for code, about in found]})
        return 0
    for code, about in found:
        say(code)
        for line in wrapped(about, "    "):
            say(line)
    say("`workbench why --explain CODE` prints the whole page.")
    return 0
