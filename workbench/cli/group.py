"""The `workbench` command and its verbs, from the actions table; a verb's module is imported when it runs."""

from __future__ import annotations

import os
import sys
from difflib import get_close_matches
from pathlib import Path

import click

from workbench.actions import ACTIONS, BY_NAME
from workbench.cli.given import refuse_empty

VARIABLE = "_WORKBENCH_COMPLETE"
"""Set by a shell that asks what Tab shall offer."""
COMPLETION = (
    'Tab completes verbs, ids, files and targets, with eval "$(_WORKBENCH_COMPLETE=bash_source workbench)" '
    "in ~/.bashrc (or zsh_source in ~/.zshrc); fish: _WORKBENCH_COMPLETE=fish_source workbench | source"
)
EPILOG = "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 paused, 4 findings, 130 Ctrl-C."


class VerbGroup(click.Group):
    """A group whose commands come from the table."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [action.name for action in ACTIONS if not action.hidden]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        action = BY_NAME.get(cmd_name)
        if action is None:
            return None
        command: click.Command = action.load_command()
        if VARIABLE in os.environ:
            from workbench.cli.completing import complete

            complete(command)
        refuse_empty(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and name not in BY_NAME:
            near = get_close_matches(name, self.list_commands(ctx), n=1)
            hint = f" Did you mean {near[0]!r}?" if near else " See `workbench --help`."
            raise click.UsageError(f"There is no verb {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = [(action.name, action.help) for action in ACTIONS if not action.hidden]
        with formatter.section("Verbs"):
            formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        formatter.write_text(EPILOG)
        formatter.write_paragraph()
        formatter.write_text(COMPLETION)


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from workbench import __version__

    click.echo(f"workbench {__version__}")
    ctx.exit()


@click.group(
    cls=VerbGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version.",
)
@click.option(
    "--store", type=click.Path(path_type=Path), help="Another store than the one in WORKBENCH_HOME."
)
@click.option("--web", is_flag=True, help="The TUI in a browser, on this machine only (extra: web).")
@click.option("--port", type=click.IntRange(1, 65535), metavar="N", help="With --web: serve there.")
@click.pass_context
def workbench(ctx: click.Context, store: Path | None, web: bool, port: int | None) -> int | None:
    """Find out why a Dify chatflow's Answer stayed silent: run, inspect and resume it on the real graphon
    engine.

    Without a verb the TUI opens on the store. An ID is a run's, a pause's or a file's, or its beginning; a
    FILE works wherever an ID does.
    """
    ctx.obj = store
    if ctx.invoked_subcommand is not None:
        if web or port is not None:
            raise click.UsageError(f"--web and --port stand alone, without {ctx.invoked_subcommand!r}.", ctx)
        return None
    if port is not None and not web:
        raise click.UsageError("--port goes with --web.", ctx)
    from workbench.cli.tui import SERVED, open_tui, serve_tui
    from workbench.verbs.context import make_context

    if web:
        return serve_tui(make_context(store), port)
    if not (sys.stdin.isatty() and sys.stdout.isatty()) and SERVED not in os.environ:
        raise click.UsageError(
            "The TUI needs a terminal. `workbench --help` lists the verbs that do not.", ctx
        )
    return open_tui(make_context(store))
