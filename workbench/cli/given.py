"""Names and paths on the command line that are empty: told at once, before they are taken for something."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem

NAMED = frozenset(
    {
        "app",
        "store",
        "output",
        "script",
        "source",
        "save_edits",
        "kernel",
        "dify",
        "run_id",
        "node",
        "action",
        "gate",
    }
)
"""Options that name something. An empty query, field or message is a value like any other."""


class Given(click.ParamType[Any]):
    """A text or a path that is not empty; a script with an unset variable gives such a one."""

    def __init__(self, inner: click.ParamType[Any]) -> None:
        self.inner = inner
        self.name = inner.name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and not value.strip():
            raise click.UsageError(f"{_called(param)} is empty. Is a variable of the shell not set?", ctx)
        return self.inner.convert(value, param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return self.inner.shell_complete(ctx, param, incomplete)


def _called(param: click.Parameter | None) -> str:
    if isinstance(param, click.Option):
        return param.opts[-1]
    return str(param.human_readable_name) if param is not None else "An argument"


def refuse_empty(command: click.Command) -> None:
    """Have a command refuse empty arguments and names."""
    for param in command.params:
        named = isinstance(param, click.Argument) or param.name in NAMED
        if named and isinstance(param.type, click.types.StringParamType | click.Path):
            param.type = Given(param.type)
