"""The golden tables of the facts (dify-memory.md, 1.2): budgets, prune rules and threads."""

from __future__ import annotations

import pytest

from workbench.core.memory.settings import Prune, Settings
from workbench.core.memory.simulation import simulate
from workbench.core.memory.thread import walk
from workbench.core.tokens import Counter
from workbench.records.conversation import NIL, Row

COSTS = {"u": 8, "a": 18}


def cost(role: str, text: str, last: bool) -> int:
    return 68 if text == "a4" else COSTS[text[0]]


TABLE = Counter("table", "as the facts have it", 3, cost)
ROWS = [Row(f"r{n}", f"u{n}", f"a{n}", float(n), NIL) for n in range(1, 5)]


def left(budget: int, prune: Prune) -> str:
    settings = Settings(budget=budget, counter=TABLE, prune=prune)
    return " ".join(message.text for message in simulate(ROWS, settings).messages)


ALL = "u1 a1 u2 a2 u3 a3 u4 a4"


@pytest.mark.parametrize(
    ("budget", "shipped", "pull_36758", "turns"),
    [
        (1000, ALL, ALL, ALL),
        (157, ALL, ALL, ALL),
        (140, ALL[6:], ALL[6:], ALL[6:]),
        (120, "u3 a3 u4 a4", "u3 a3 u4 a4", "u3 a3 u4 a4"),
        (100, "a3 u4 a4", "a3 u4 a4", "u4 a4"),
        (95, "u4 a4", "u4 a4", "u4 a4"),
        (90, "u4 a4", "u4 a4", "u4 a4"),
        (60, "a4", "", ""),
        (10, "a4", "", ""),
        (0, "a4", "", ""),
    ],
)
def test_budgets(budget: int, shipped: str, pull_36758: str, turns: str) -> None:
    assert left(budget, "shipped") == shipped
    assert left(budget, "36758") == pull_36758
    assert left(budget, "turns") == turns


def test_the_whole_history_costs_157() -> None:
    assert simulate(ROWS, Settings(budget=1000, counter=TABLE)).used == 157


def rows_of(text: str) -> list[Row]:
    """`c<-b, b<-null`: newest first, as the table writes them."""
    found = []
    for entry in text.split(", "):
        name, parent = entry.split("<-")
        found.append(Row(name, name, name, 0.0, {"null": None, "NIL": NIL}.get(parent, parent)))
    return found


@pytest.mark.parametrize(
    ("rows", "limit", "thread"),
    [
        ("c<-b, b<-a, a<-null", 500, "c b a"),
        ("c<-NIL, b<-NIL, a<-NIL", 500, "c b a"),
        ("c<-b, b2<-a, b<-a, a<-null", 500, "c b a"),
        ("c<-b, b2<-a, b<-a, a<-null", 3, "c b"),
        ("c<-a, a2<-null, a<-null", 500, "c a2"),
        ("c<-b, b<-null, a<-null", 500, "c b"),
        ("c<-null, b<-a, a<-null", 500, "c"),
        ("d<-NIL, c<-NIL, b<-a, a<-null", 500, "d c b a"),
        ("b<-missing, a<-null", 500, "b a"),
        ("b<-a, a<-b", 500, "b a"),
    ],
)
def test_threads(rows: str, limit: int, thread: str) -> None:
    newest = rows_of(rows)
    assert " ".join(newest[place].id for place in walk(newest) if place < limit) == thread
    settings = Settings(window_enabled=True, window_size=limit)
    kept = simulate(list(reversed(newest)), settings).messages
    assert " ".join(reversed([message.text for message in kept[::2]])) == thread
