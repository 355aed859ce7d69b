"""`workbench resume`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from workbench.cli import options
from workbench.cli.options import json_option, pairs, play_options, store_option, unmask_option


@click.command("resume")
@click.argument("target", metavar="ID|FILE")
@click.option(
    "--app", metavar="APP", help="The app of a saved pause: a file or an id (a saved pause holds no graph)."
)
@click.option(
    "--action", metavar="A", help="The form's action, for example approve; __timeout when nobody answered."
)
@click.option("--node", metavar="NODE", help="Which form is answered, when several wait.")
@click.option("--field", "fields", metavar="K=V", multiple=True, help="A field of the form; repeatable.")
@click.option(
    "--gate",
    metavar="G",
    help="restored: as saved; fresh: lost, as on Dify 1.15; healed: rebuilt. Default: restored if saved.",
)
@click.option(
    "--script", type=click.Path(path_type=Path), help="Answers from here on (default: the run's own script)."
)
@click.option(
    "--kernel", metavar="K", help="The same engine kernel as before (default), a newer one, or all."
)
@click.option(
    "--run-id", metavar="ID", help="The id of a new run, where one is made (a fork, or a saved file)."
)
@play_options
@click.option("--quiet", "-q", is_flag=True, help="No progress on stderr.")
@json_option
@unmask_option
@store_option
def command(
    target: str,
    app: str | None,
    action: str | None,
    node: str | None,
    fields: tuple[str, ...],
    gate: str | None,
    script: Path | None,
    kernel: str | None,
    run_id: str | None,
    played: Mapping[str, Any],
    quiet: bool,
    as_json: bool,
    unmask: bool,
    store: Path | None,
) -> int:
    """Continue a paused run in a new engine, by submitting its form.

    A pause is consumed by its first resume; resumed again it makes a fork: a new run, the old one
    untouched. FILE is a saved pause from Dify, with --app for its graph. Exit code 3 when the run pauses
    again.
    """
    from workbench.cli.playing import Play
    from workbench.verbs.kernels import ALL
    from workbench.verbs.options import RunOptions
    from workbench.verbs.pauses import pause_source
    from workbench.verbs.resume import resume

    ctx = options.make_context(store)
    source = pause_source(ctx, target, app=app)
    play = Play(source.environment, unmask=unmask, quiet=quiet, as_json=as_json)
    wanted = RunOptions(**played)
    common: dict[str, Any] = {
        "action": action, "node": node, "fields": pairs(fields, "--field"), "gate": gate, "script": script,
        "run_id": run_id, "options": wanted,
    }  # fmt: skip
    if kernel == ALL:
        from workbench.verbs.compare import resume_on_all

        return play.compared(
            lambda watcher, control: resume_on_all(ctx, source, watcher=watcher, control=control, **common)
        )
    return play.one(
        lambda watcher, control: resume(
            ctx, source, kernel=kernel, watcher=watcher, control=control, **common
        )
    )
