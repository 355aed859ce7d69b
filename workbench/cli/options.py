"""Options that several verbs share, and how their values are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from workbench.verbs.context import Context


def store_option[F: Callable[..., Any]](function: F) -> F:
    """`--store FILE`."""
    return click.option(
        "--store", type=click.Path(path_type=Path), help="Another store than the one in WORKBENCH_HOME."
    )(function)


def json_option[F: Callable[..., Any]](function: F) -> F:
    """`--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document (docs/json.md).")(
        function
    )


def unmask_option[F: Callable[..., Any]](function: F) -> F:
    """`--unmask`."""
    return click.option("--unmask", is_flag=True, help="Show environment variables, tokens and keys.")(
        function
    )


STEPS_HELP = "End the run after this many node runs (default: 500, more in a larger app)."
SECONDS_HELP = "End the run after this time (default: 120, more in a larger app)."


_PLAYED = (
    click.option("--break-before", metavar="NODE", multiple=True, help="Pause before this node; repeatable."),
    click.option(
        "--real-code", is_flag=True, help="Run code nodes for real, in an isolated child with limits."
    ),
    click.option("--real-http", is_flag=True, help="Send HTTP requests for real."),
    click.option(
        "--model",
        metavar="URL",
        help="An OpenAI-compatible endpoint that answers for every model; key: WORKBENCH_MODEL_KEY.",
    ),
    click.option("--model-name", metavar="NAME", help="The model's name there (default: the app's own)."),
    click.option("--max-steps", type=click.IntRange(min=1), metavar="N", help=STEPS_HELP),
    click.option("--max-seconds", type=click.FloatRange(min=0.1), metavar="S", help=SECONDS_HELP),
)
_MEMORY = (
    click.option(
        "--conversation",
        metavar="CONV",
        help="Run it as the next turn of a conversation: a run of it, a file of message rows, or a name.",
    ),
    click.option(
        "--context", type=click.IntRange(min=1), metavar="N", help="The models' context size, in tokens."
    ),
    click.option(
        "--counter", metavar="NAME", default="dify-default", help="How models count tokens (memory --help)."
    ),
)


def memory_options(function: Callable[..., int]) -> Callable[..., int]:
    """A run as a turn of a conversation; the command gets one argument `memory`: MemoryOptions, or None."""

    @wraps(function)
    def command(**given: Any) -> int:
        from workbench.verbs.options import MemoryOptions

        conversation, context, counter = (given.pop(n) for n in ("conversation", "context", "counter"))
        memory = None if conversation is None else MemoryOptions(conversation, context, counter)
        return function(memory=memory, **given)

    decorated: Callable[..., int] = command
    for option in reversed(_MEMORY):
        decorated = option(decorated)
    return decorated


_PLAYED_NAMES = (
    "break_before",
    "real_code",
    "real_http",
    "model",
    "model_name",
    "max_steps",
    "max_seconds",
)


def play_options(function: Callable[..., int]) -> Callable[..., int]:
    """What can be made real, limited or stopped at, asked for per run.

    The command gets them as one argument `played`: the fields of `workbench.verbs.options.RunOptions`.
    """

    @wraps(function)
    def command(**given: Any) -> int:
        played = {name: given.pop(name) for name in _PLAYED_NAMES}
        return function(played=played, **given)

    decorated: Callable[..., int] = command
    for option in reversed(_PLAYED):
        decorated = option(decorated)
    return decorated


def make_context(given: Path | None) -> Context:
    """The context of a command: its own `--store`, else the one before the verb."""
    from workbench.verbs import context

    inherited = click.get_current_context().obj
    return context.make_context(given or (inherited if isinstance(inherited, Path) else None))


def pairs(values: Iterable[str], option: str) -> dict[str, str]:
    """`name=value` options as a dictionary; the last one of a name counts.

    Raises:
        click.UsageError: one has no `=` or no name.
    """
    found = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not equals or not name.strip():
            raise click.UsageError(f"{option} takes name=value, not {value!r}.", click.get_current_context())
        found[name.strip()] = text
    return found
