"""`workbench run`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workbench.cli import options
from workbench.cli.options import (
    json_option,
    memory_options,
    pairs,
    play_options,
    store_option,
    unmask_option,
)

if TYPE_CHECKING:
    from workbench.verbs.options import MemoryOptions


@click.command("run")
@click.argument("app", metavar="APP")
@click.option("--query", metavar="TEXT", help="What the user says, in a chatflow (default: Hello).")
@click.option(
    "--input", "inputs", metavar="K=V", multiple=True, help="A value of the start form; repeatable."
)
@click.option(
    "--env",
    "environment",
    metavar="NAME=VALUE",
    multiple=True,
    help="An environment variable for this run, such as a secret that the export left out; repeatable.",
)
@click.option(
    "--script", type=click.Path(path_type=Path), help="What models, tools and people answer (YAML)."
)
@click.option(
    "--kernel", metavar="K", help="graphon-0.8 (default), -0.7, -0.6, -0.5, or all to compare them."
)
@click.option("--run-id", metavar="ID", help="The new run's id (default: a new UUID).")
@play_options
@memory_options
@click.option("--quiet", "-q", is_flag=True, help="No progress on stderr.")
@json_option
@unmask_option
@store_option
def command(
    app: str,
    query: str | None,
    inputs: tuple[str, ...],
    environment: tuple[str, ...],
    script: Path | None,
    kernel: str | None,
    run_id: str | None,
    played: Mapping[str, Any],
    memory: MemoryOptions | None,
    quiet: bool,
    as_json: bool,
    unmask: bool,
    store: Path | None,
) -> int:
    """Run an exported app on the real graphon engine until it ends or pauses.

    APP is a Dify DSL file or the id of an imported app. Models, tools, HTTP and code are scripted: the same
    every time, offline. Exit code 3 when the run pauses.
    """
    from workbench.cli.playing import Play
    from workbench.verbs.environment import environment_of
    from workbench.verbs.kernels import ALL
    from workbench.verbs.options import RunOptions
    from workbench.verbs.run import run
    from workbench.verbs.target import find_app

    ctx = options.make_context(store)
    found = find_app(ctx, app)
    given = pairs(environment, "--env")
    play = Play(environment_of(found, given=given), unmask=unmask, quiet=quiet, as_json=as_json)
    wanted = RunOptions(**played, memory=memory)
    common: dict[str, Any] = {
        "query": query, "inputs": pairs(inputs, "--input"), "environment": given, "script": script,
        "run_id": run_id, "options": wanted,
    }  # fmt: skip
    if kernel == ALL:
        from workbench.verbs.compare import run_on_all

        return play.compared(
            lambda watcher, control: run_on_all(ctx, found, watcher=watcher, control=control, **common)
        )
    return play.one(
        lambda watcher, control: run(ctx, found, kernel=kernel, watcher=watcher, control=control, **common)
    )
