"""`workbench fork`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from workbench.cli import options
from workbench.cli.options import json_option, pairs, play_options, store_option, unmask_option


@click.command("fork")
@click.argument("target", metavar="ID")
@click.option("--step", type=int, metavar="N", help="Where to go on (default: the last pause).")
@click.option("--set", "variables", metavar="NODE.NAME=VALUE", multiple=True, help="A new value; repeatable.")
@click.option("--script", type=click.Path(path_type=Path), help="Answers from here on.")
@click.option("--app", metavar="APP", help="Another version of the app: a file or an id.")
@click.option("--kernel", metavar="K", help="Another engine kernel, older ones too.")
@click.option("--gate", metavar="G", help="restored (default), fresh or healed.")
@click.option("--dify", metavar="V", help="Go on as Dify V would: its engine, and its gate lost or kept.")
@click.option("--action", metavar="A", help="Submit a form that waits there; else it waits again.")
@click.option("--node", metavar="NODE", help="Which form, when several wait.")
@click.option("--field", "fields", metavar="K=V", multiple=True, help="A field of the form; repeatable.")
@click.option("--run-id", metavar="ID", help="The id of the new run.")
@play_options
@click.option("--quiet", "-q", is_flag=True, help="No progress on stderr.")
@json_option
@unmask_option
@store_option
def command(
    target: str,
    step: int | None,
    variables: tuple[str, ...],
    script: Path | None,
    app: str | None,
    kernel: str | None,
    gate: str | None,
    dify: str | None,
    action: str | None,
    node: str | None,
    fields: tuple[str, ...],
    run_id: str | None,
    played: Mapping[str, Any],
    quiet: bool,
    as_json: bool,
    unmask: bool,
    store: Path | None,
) -> int:
    """Go on from any step of a run as a new run, with other variables, script, app or engine if you like.

    What ran before the step is not run again, the original stays as it is. Exit codes as `resume`.
    """
    from workbench.cli.playing import Play
    from workbench.verbs.fork import fork
    from workbench.verbs.fork_state import Changes
    from workbench.verbs.inspect import load_run
    from workbench.verbs.options import RunOptions

    ctx = options.make_context(store)
    loaded = load_run(ctx, target)
    play = Play(loaded.environment, unmask=unmask, quiet=quiet, as_json=as_json)
    wanted = RunOptions(**played)
    changes = Changes(pairs(variables, "--set"), script, app, kernel, gate, dify)
    return play.one(
        lambda watcher, control: fork(
            ctx,
            loaded,
            step=step,
            changes=changes,
            action=action,
            node=node,
            fields=pairs(fields, "--field"),
            run_id=run_id,
            options=wanted,
            watcher=watcher,
            control=control,
        )
    )
