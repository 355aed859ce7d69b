"""`workbench memory`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workbench.cli import options
from workbench.cli.options import json_option, store_option

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

_SETTINGS = (
    click.option("--app", metavar="APP", help="The app whose node it is: a file or an id."),
    click.option("--node", metavar="ID", help="The node, by id or title (default: the first with memory)."),
    click.option(
        "--caller", metavar="KIND", help="llm, llm-completion, classifier, extractor, agent-v1 or chat."
    ),
    click.option(
        "--context", type=click.IntRange(min=0), metavar="N", help="The model's context size, in tokens."
    ),
    click.option(
        "--max-tokens", type=click.IntRange(min=0), metavar="N", help="Tokens reserved for the reply."
    ),
    click.option(
        "--counter",
        metavar="NAME",
        default="dify-default",
        help="dify-default (0), gpt2, openai[:MODEL], openai-compatible, azure[:MODEL], chars, an encoding.",
    ),
    click.option("--prune", metavar="RULE", default="shipped", help="shipped, 36758 or turns."),
    click.option(
        "--form", metavar="A-D", default="D", help="TokenBufferMemory's form: A (Dify 0.8) to D (now)."
    ),
)


def _settings[F: Callable[..., Any]](function: F) -> F:
    for option in reversed(_SETTINGS):
        function = option(function)
    return function


class _Group(click.Group):
    """`memory CONVERSATION` is a command of its own beside `memory sweep`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["show", *args]
        return super().parse_args(ctx, args)


@click.group("memory", cls=_Group)
def command() -> None:
    """See what a node remembers of a conversation: which messages reach the model, and why not the rest.

    `workbench memory CONVERSATION` shows one turn, `workbench memory sweep` tries settings. A conversation is
    message rows: JSON lines, an answer of Dify's service API (GET /messages), or a message list.
    """


@command.command("show")
@click.argument("conversation", metavar="CONVERSATION")
@click.option("--window", metavar="N|off", help="memory.window: rows, the running turn included.")
@click.option("--budget", metavar="auto|N", default="auto", help="Tokens for the history.")
@click.option("--turn", type=int, metavar="K", help="As it was while turn K ran (default: the newest row).")
@_settings
@json_option
@store_option
def show(
    conversation: str,
    window: str | None,
    budget: str,
    turn: int | None,
    app: str | None,
    node: str | None,
    as_json: bool,
    store: Path | None,
    **given: Any,
) -> int:
    """Show what a node sees of a conversation while a turn runs."""
    from workbench.cli.output import print_json, say
    from workbench.verbs.memory import Wishes, memory
    from workbench.views.memory import memory_json, memory_lines

    wishes = Wishes(window=_window(window), budget=_budget(budget), turn=turn, **given)
    found = memory(options.make_context(store), conversation, wishes, app=app, node=node)
    if as_json:
        print_json(memory_json(found))
    else:
        for line in memory_lines(found):
            say(line)
    return 0


@command.command("sweep")
@click.argument("conversations", metavar="CONVERSATION...", nargs=-1, required=True)
@click.option("--window", "windows", metavar="LIST", default="off,1-20", help="As 2,5,10-20,off or 10-90:10.")
@click.option("--budget", "budgets", metavar="LIST", default="auto", help="As 500,1000-4000:500,auto.")
@click.option("--keep", metavar="TEXT", help="A text that must still be there at every later turn.")
@click.option("--price", type=click.FloatRange(min=0), metavar="P", help="Of a million prompt tokens.")
@_settings
@json_option
@store_option
def sweep(
    conversations: tuple[str, ...],
    windows: str,
    budgets: str,
    keep: str | None,
    price: float | None,
    app: str | None,
    node: str | None,
    as_json: bool,
    store: Path | None,
    **given: Any,
) -> int:
    """Try windows and budgets over conversations (files, ids, folders); find the smallest to keep a text."""
    from workbench.cli.output import print_json, say
    from workbench.verbs.memory import Wishes, node_of, settings_of
    from workbench.verbs.memory_sweep import Grid, conversations_in, memory_sweep, read_each
    from workbench.views.memory import sweep_json, sweep_lines

    ctx = options.make_context(store)
    wishes = Wishes(**given)
    chosen = node_of(ctx, app, node)
    grid = Grid(numbers(windows, "off", "--window"), numbers(budgets, "auto", "--budget"))
    names = conversations_in(conversations)
    quick = len(names) < 20 and len(grid) < 200
    bar: ProgressBar[int] = click.progressbar(
        length=len(names) + len(grid), label="Sweeping", file=sys.stderr, hidden=quick
    )
    with bar:
        read = read_each(ctx, names, settings_of(wishes, chosen), keep)
        found = memory_sweep(read, grid, wishes, chosen, keep=keep, price=price, report=lambda: bar.update(1))
    if as_json:
        print_json(sweep_json(found))
    else:
        for line in sweep_lines(found):
            say(line)
    return 0


@command.command("agent")
@click.argument("session", metavar="SESSION")
@click.option(
    "--context", type=click.IntRange(min=1), metavar="N", help="The model's context size, in tokens."
)
@click.option(
    "--max-tokens", type=click.IntRange(min=0), default=0, metavar="N", help="Reserved for the reply."
)
@click.option("--counter", metavar="NAME", default="o200k_base", help="As `memory --help` lists them.")
@json_option
@store_option
def agent(
    session: str, context: int | None, max_tokens: int, counter: str, as_json: bool, store: Path | None
) -> int:
    """Show what an Agent (v2) remembers: the messages of its session, their tokens, what compaction takes."""
    from workbench.cli.output import print_json, say
    from workbench.verbs.memory_agent import memory_agent
    from workbench.views.memory_agent import agent_json, agent_lines

    ctx = options.make_context(store)
    found = memory_agent(ctx, session, counter_name=counter, context=context, max_tokens=max_tokens)
    if as_json:
        print_json(agent_json(found))
    else:
        for line in agent_lines(found):
            say(line)
    return 0


def _window(text: str | None) -> int | None:
    if text is None:
        return None
    return 0 if text == "off" else _number(text, "--window", "a number of rows from 1 on, or off")


def _budget(text: str) -> int | None:
    return None if text == "auto" else _number(text, "--budget", "a number of tokens, or auto", least=0)


def _number(text: str, option: str, what: str, least: int = 1) -> int:
    if text.isascii() and text.isdigit() and int(text) >= least and len(text) < 10:
        return int(text)
    raise click.UsageError(f"{option} takes {what}, not {text!r}.")


def numbers(text: str, word: str, option: str) -> list[int | None]:
    """`2,5,10-20:5,off` as a list; `word` is None. Ranges hold both ends.

    Raises:
        click.UsageError: it is no such list.
    """
    found: list[int | None] = []
    for part in text.split(","):
        if part.strip() == word:
            found.append(None)
            continue
        span, _, step = part.strip().partition(":")
        first, dash, last = span.partition("-")
        start = _number(first, option, f"a list as 2,5,10-20:5,{word}", least=0)
        end = _number(last, option, f"a list as 2,5,10-20:5,{word}", least=0) if dash else start
        by = _number(step, option, "steps from 1 on") if step else 1
        if end < start or (end - start) // by > 100_000:
            raise click.UsageError(
                f"{option}: {part.strip()!r} is no range from a smaller to a larger number."
            )
        found += range(start, end + 1, by)
    return found
