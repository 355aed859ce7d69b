"""Runs one command and turns whatever it raises into a message and an exit code; never a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from workbench.cli.group import VARIABLE, workbench
from workbench.errors import WorkbenchError

STOPPED = 130
BROKEN_PIPE = 141
TRACEBACK = "WORKBENCH_TRACEBACK"
"""An environment variable for the workbench's own developers: set, unexpected errors keep their traceback."""


def run(arguments: Sequence[str]) -> int:
    """Run `workbench ARGUMENTS`; the exit code."""
    _harden_streams()
    stdout = sys.stdout  # which click puts a wrapper around when it can't be written to any more
    if VARIABLE in os.environ:
        from workbench.cli.completing import register

        register()
    try:
        code = workbench.main(list(arguments), prog_name="workbench", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        error.show(sys.stderr)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("Stopped.", err=True)
        return STOPPED
    except SystemExit as left:  # of click: a completion is done, or who reads us has gone (`| head`)
        return int(left.code or 0) if sys.stdout is stdout else BROKEN_PIPE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except WorkbenchError as error:
        print_error(error)
        return error.exit_code
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        print_error(unexpected(error))
        return 1
    return code if isinstance(code, int) else 0


def print_error(error: WorkbenchError) -> None:
    """Title, cause and next step on stderr; text from files made safe, tokens masked."""
    from workbench.cli.style import Style
    from workbench.views.safe import safe_text
    from workbench.views.secrets import Mask

    style = Style(sys.stderr)
    clean = Mask().text

    def indented(text: str) -> str:
        return safe_text(clean(text)).replace("\n", "\n  ")

    click.echo(style.bad("error: ") + style.bold(indented(error.title)), err=True)
    if error.cause:
        click.echo(f"  {indented(error.cause)}", err=True)
    if error.next_step:
        click.echo(f"  {style.dim('→')} {indented(error.next_step)}", err=True)


def unexpected(error: Exception) -> WorkbenchError:
    """An error that nobody foresaw, in the form of those that were."""
    where = ""
    trace = error.__traceback__
    while trace is not None:
        where = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    if isinstance(error, OSError) and error.strerror:
        name = f" {error.filename}" if error.filename else ""
        return WorkbenchError(
            f"The system refused{name}: {error.strerror}.",
            "",
            "Check the path, its rights and the space left.",
        )
    kind = type(error).__name__
    return WorkbenchError(
        "The workbench met an error of its own.",
        f"{kind}: {error} ({where}).",
        f"Please report it; with {TRACEBACK}=1 the same command shows the details.",
    )


def _harden_streams() -> None:
    """Text that the terminal's encoding lacks is escaped instead of failing (LANG=C, lone surrogates)."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
