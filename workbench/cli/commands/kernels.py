"""`workbench kernels`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from workbench.cli import options
from workbench.cli.options import json_option, store_option


@click.group("kernels", invoke_without_command=True)
@json_option
@store_option
@click.pass_context
def command(ctx: click.Context, as_json: bool, store: Path | None) -> int | None:
    """List, install and remove engine kernels: isolated environments with one pinned graphon each.

    They are built on first use; installing them ahead makes later runs work offline.
    """
    if ctx.invoked_subcommand is not None:
        return None
    return _list(as_json)


@command.command("list")
@json_option
def list_command(as_json: bool) -> int:
    """List the engine kernels and whether they are built here."""
    return _list(as_json)


@command.command("install")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
def install_command(names: tuple[str, ...]) -> int:
    """Build engine kernels (graphon-0.8, -0.7, -0.6, -0.5, or all); what is there is checked."""
    from workbench.cli.output import say, tell
    from workbench.verbs.kernels import install_kernels

    for name in install_kernels(options.make_context(None), names, tell):
        say(f"{name} is ready.")
    return 0


@command.command("remove")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
def remove_command(names: tuple[str, ...]) -> int:
    """Take engine kernels away (or all of them); they are built again when they are needed."""
    from workbench.cli.output import say
    from workbench.verbs.kernels import remove_kernels

    count = remove_kernels(options.make_context(None), names)
    say(f"Removed {count} {'folder' if count == 1 else 'folders'}.")
    return 0


def _list(as_json: bool) -> int:
    from workbench.cli.output import print_json, say
    from workbench.cli.style import Style
    from workbench.cli.words import table
    from workbench.verbs.kernels import list_kernels
    from workbench.views.kernels import kernels_json

    found = list_kernels(options.make_context(None))
    if as_json:
        print_json(kernels_json(found))
        return 0
    rows = [
        (
            each.name,
            each.graphon,
            each.state,
            f"{each.size / 1e6:.0f} MB" if each.size else "",
            str(each.folder),
        )
        for each in found
    ]
    for line in table(("kernel", "graphon", "state", "size", "folder"), rows, Style(sys.stdout)):
        say(line)
    return 0
