"""`memory sweep`: a grid of settings over conversations, and the smallest that keep what must be kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from math import inf
from pathlib import Path

from workbench.core.memory.nodes import MemoryNode
from workbench.core.memory.settings import Settings
from workbench.core.memory.sweep import Need, Smallest, Turn, needed, needs_of, prepare, smallest, sweep
from workbench.errors import UsageError, WorkbenchError
from workbench.records.conversation import Row
from workbench.verbs.context import Context
from workbench.verbs.memory import Wishes, load_conversation, settings_of

MOST_SETTINGS = 100_000


@dataclass(frozen=True)
class Grid:
    """Every combination of some windows and budgets. None in `windows` is off, in `budgets` the formula.

    Raises:
        UsageError: there is none, or one is no whole number from 1 (windows) or 0 (budgets) on.
    """

    windows: Sequence[int | None]
    budgets: Sequence[int | None]

    def __post_init__(self) -> None:
        for what, values, least in (("windows", self.windows, 1), ("budgets", self.budgets, 0)):
            wrong = [each for each in values if not (each is None or (type(each) is int and each >= least))]
            if wrong or not values:
                told = f"{wrong[0]!r} is none of the {what}." if wrong else f"There are no {what}."
                raise UsageError(told, "", f"Give whole numbers from {least} on, or None.")

    def __len__(self) -> int:
        return len(self.windows) * len(self.budgets)


@dataclass(frozen=True)
class Point:
    """One setting over all conversations and turns.

    Attributes:
        mean_turns, least_turns: past turns that are left; over turns that have a past.
        mean_tokens, most_tokens, total_tokens: of the history, a turn.
        cost: what `total_tokens` cost at the price given; None without one.
        orphans: turns whose history begins with an answer.
        holds: whether everything that must be kept is; None when nothing was asked for.
    """

    window: int | None
    budget: int | None
    mean_turns: float
    least_turns: float
    mean_tokens: float
    most_tokens: int
    total_tokens: int
    cost: float | None
    orphans: int
    holds: bool | None


@dataclass(frozen=True)
class Swept:
    """A sweep's result. `conversations` are (name, turns, why it was not read or None)."""

    conversations: tuple[tuple[str, int, str | None], ...]
    points: tuple[Point, ...]
    smallest: Smallest | None
    advice: tuple[str, ...]


@dataclass(frozen=True)
class Prepared:
    """A conversation, walked and counted once for all settings.

    Attributes:
        needed: the newest messages that each turn must be left, in the order of `turns`.
    """

    name: str
    turns: tuple[Turn, ...]
    needs: tuple[Need, ...]
    needed: tuple[int, ...]


def prepare_one(name: str, rows: Sequence[Row], settings: Settings, keep: str | None) -> Prepared:
    """Walk and count a conversation; `keep` is a text that must be there at every later turn."""
    turns = tuple(prepare(rows, settings.form, settings.counter))
    needs = () if keep is None else needs_of(rows, keep, range(1, len(rows) + 1))
    return Prepared(name, turns, needs, needed(turns, needs))


def conversations_in(targets: Sequence[Path | str]) -> list[tuple[str, Path | str]]:
    """(name, target) of every conversation: a folder is all its .json and .jsonl files.

    Raises:
        UsageError: there is none in a folder.
    """
    found: list[tuple[str, Path | str]] = []
    for target in targets:
        path = Path(target)
        if path.is_dir():
            inside = [file for file in sorted(path.rglob("*.json*")) if file.is_file()]
            if not inside:
                raise UsageError(
                    f"There is no conversation in {target}.", "It has no .json or .jsonl files.", ""
                )
            found += [(str(file.relative_to(path)), file) for file in inside]
        else:
            found.append((str(target), target))
    return found


def read_each(
    ctx: Context, named: Sequence[tuple[str, Path | str]], settings: Settings, keep: str | None
) -> Iterator[Prepared | tuple[str, str]]:
    """Every conversation, read and counted; one of several that can't be read does not stop the rest.

    Raises:
        WorkbenchError: the only one can't be read.
    """
    for name, target in named:
        try:
            rows = load_conversation(ctx, target).rows
        except WorkbenchError as error:
            if len(named) == 1:
                raise
            yield name, f"{error.title}: {error.cause}" if error.cause else error.title
        else:
            yield prepare_one(name, rows, settings, keep)


def memory_sweep(
    prepared: Iterable[Prepared | tuple[str, str]],
    grid: Grid,
    wishes: Wishes,
    node: MemoryNode | None = None,
    *,
    keep: str | None = None,
    price: float | None = None,
    report: Callable[[], None] = lambda: None,
) -> Swept:
    """Try every setting of a grid.

    Args:
        prepared: conversations, or (name, why it could not be read).
        price: of a million tokens.
        report: called when a conversation is read and when a setting is tried.

    Raises:
        UsageError: the grid is too large, the price is none, or no conversation holds the text to keep.
    """
    if price is not None and not (isinstance(price, int | float) and 0 <= price < inf):
        raise UsageError(f"{price!r} is no price.", "", "Give what a million tokens cost, from 0 on.")
    if keep is not None and not (isinstance(keep, str) and keep):
        raise UsageError(f"{keep!r} is no text to keep.", "", "Give a part of a message.")
    if len(grid) > MOST_SETTINGS:
        raise UsageError(
            f"{len(grid):,} settings are too many.",
            f"At most {MOST_SETTINGS:,} are tried.",
            "Take larger steps.",
        )
    read: list[Prepared] = []
    named: list[tuple[str, int, str | None]] = []
    for each in prepared:
        if isinstance(each, Prepared):
            read.append(each)
            named.append((each.name, len(each.turns), None))
        else:
            named.append((each[0], 0, each[1]))
        report()
    asked = any(each.needs for each in read)
    if keep is not None and not asked:
        raise UsageError(f"No message that a later turn could need holds {keep!r}.", "", "Check the text.")
    base = settings_of(wishes, node)
    points: list[Point] = []
    for window, budget in product(grid.windows, grid.budgets):
        points.append(_point(read, _setting(base, window, budget), window, budget, price, asked))
        report()
    least = _smallest(read, base) if asked else None
    return Swept(tuple(named), tuple(points), least, tuple(_advice(points, least, base)))


def _setting(base: Settings, window: int | None, budget: int | None) -> Settings:
    settings = replace(base, budget=budget)
    if window is None:
        return replace(settings, window_enabled=False)
    return replace(settings, window_enabled=True, window_size=window)


def _point(
    read: Sequence[Prepared],
    settings: Settings,
    window: int | None,
    budget: int | None,
    price: float | None,
    asked: bool,
) -> Point:
    outcomes = [outcome for each in read for outcome in sweep(each.turns, settings)]
    later = [outcome for outcome in outcomes if outcome.turn > 1]
    total = sum(outcome.tokens for outcome in outcomes)
    least = chain.from_iterable(each.needed for each in read)
    holds = all(o.messages >= n for o, n in zip(outcomes, least, strict=True)) if asked else None
    return Point(
        window,
        budget,
        mean_turns=sum(outcome.turns for outcome in later) / len(later) if later else 0.0,
        least_turns=min((outcome.turns for outcome in later), default=0.0),
        mean_tokens=total / len(outcomes) if outcomes else 0.0,
        most_tokens=max((outcome.tokens for outcome in outcomes), default=0),
        total_tokens=total,
        cost=None if price is None else total * price / 1_000_000,
        orphans=sum(outcome.messages % 2 for outcome in outcomes),
        holds=holds,
    )


def _smallest(read: Sequence[Prepared], base: Settings) -> Smallest:
    found = [smallest(each.turns, each.needs, base.prune) for each in read if each.needs]
    widest = max(found, key=lambda each: each.window)
    dearest = max(found, key=lambda each: each.budget)
    impossible = tuple(need for each in found for need in each.impossible)
    return Smallest(widest.window, dearest.budget, widest.decides_window, dearest.decides_budget, impossible)


def _advice(points: Sequence[Point], least: Smallest | None, base: Settings) -> Iterable[str]:
    if not base.counter.counts:
        yield (
            "Dify counts no tokens by default, so budgets prune nothing here. Choose --counter to see what a "
            "budget would do where counting is on."
        )
    if least is not None and least.window:
        tokens = f" and a budget of {least.budget} tokens" if base.counter.counts else ""
        yield (
            f"The smallest that keeps it everywhere: a window of {least.window} rows{tokens}; "
            f"{_who(least.decides_window)} asks for the most."
        )
    if least is not None and least.impossible:
        turns = len({need.turn for need in least.impossible})
        yield (
            f"At {turns} turn{'s'[: turns != 1]} no setting keeps it: "
            "it is on another branch, or more than 500 rows ago."
        )
    orphaned = [point for point in points if point.orphans]
    if orphaned:
        yield f"{len(orphaned)} of {len(points)} settings leave an answer without its question at some turn."


def _who(need: Need | None) -> str:
    return "" if need is None else f"turn {need.turn}"
