"""The memory lab: many settings over a long conversation, against one simulation after the other."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.bench.frame import Place, Row, bench, in_turns, ms
from workbench.core.memory.settings import Settings
from workbench.core.memory.simulation import simulate
from workbench.core.memory.sweep import prepare, sweep
from workbench.core.memory.thread import at_turn
from workbench.core.tokens import counter
from workbench.records.conversation import Row as MessageRow

MESSAGES = 500
SETTINGS = 1_000
PLAIN = 20
"""Settings that the plain way is timed with; all would take minutes."""


def conversation(messages: int) -> list[MessageRow]:
    """A linear chat with words of all lengths."""
    rng = random.Random(4711)
    words = ["refund", "order", "the", "a", "please", "because", "你好", "number", "4711", "."]

    def text() -> str:
        return " ".join(rng.choices(words, k=rng.randint(5, 120)))

    return [
        MessageRow(f"m{n}", text(), text(), float(n), f"m{n - 1}" if n else None, 5)
        for n in range(messages // 2)
    ]


@bench
def sweep_of_a_conversation(_: Place) -> Row:
    """Every setting at every turn; the plain way simulates each turn of each setting."""
    rows = conversation(MESSAGES)
    rule = counter("openai-compatible")
    grid = [
        Settings(window_enabled=True, window_size=1 + n % 50, budget=200 * (1 + n // 50), counter=rule)
        for n in range(SETTINGS)
    ]
    list(prepare(rows, "D", rule))  # texts are counted once, for both

    def fast() -> None:
        turns = list(prepare(rows, "D", rule))
        for settings in grid:
            sweep(turns, settings)

    def plain() -> None:
        for settings in grid[:PLAIN]:
            for turn in range(1, len(rows) + 1):
                simulate(at_turn(rows, turn), replace(settings))

    ours, theirs = in_turns(fast, plain, rounds=3)
    whole = theirs * SETTINGS / PLAIN
    return Row(
        f"memory sweep: {SETTINGS:,} settings over {MESSAGES} messages, every turn",
        ms(ours),
        f"plain, by {PLAIN} of them: {whole:.0f} s",
        ratio=ours / whole,
        target="1 s",
        kept=ours < 1,
    )
