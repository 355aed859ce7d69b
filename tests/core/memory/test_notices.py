"""What is told about a turn, each by the smallest conversation that has it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.core.memory.notices import notices
from workbench.core.memory.settings import Settings
from workbench.core.memory.simulation import simulate
from workbench.core.tokens import Counter, counter
from workbench.records.conversation import NIL, MemoryFile, Row

TENS = Counter("tens", "", 0, lambda role, text, last: 10)
ROWS = [Row(f"r{n}", f"u{n}", f"a{n}", float(n), NIL, 5) for n in range(1, 5)]
RUNNING = Row("now", "u5", "", 5.0, NIL, 0)
QUIET = Settings(context=8000, max_tokens=500, counter=counter("openai-compatible"), budget=10_000)


def codes(rows: list[Row], settings: Settings) -> set[str]:
    return {notice.code for notice in notices(simulate(rows, settings))}


def test_a_healthy_conversation_is_quiet() -> None:
    assert codes([*ROWS, RUNNING], QUIET) == set()


@pytest.mark.parametrize(
    ("code", "settings"),
    [
        ("counting-off", Settings(context=8000, max_tokens=500)),
        ("context-unknown", Settings(counter=TENS)),
        ("reply-not-reserved", Settings(counter=TENS, context=8000)),
        ("budget-zero", Settings(counter=TENS, context=100, max_tokens=200)),
        ("prompt-not-counted", Settings(counter=TENS, context=8000, max_tokens=500)),
        ("window-switch-ignored", replace(QUIET, caller="classifier", window_size=7)),
        ("no-window", replace(QUIET, caller="chat")),
        ("window-counts-the-running-turn", replace(QUIET, window_enabled=True, window_size=3)),
        ("orphaned-answer", replace(QUIET, counter=TENS, budget=30)),
        ("message-over-budget", replace(QUIET, counter=TENS, budget=3)),
    ],
)
def test_settings_that_are_told(code: str, settings: Settings) -> None:
    assert code in codes([*ROWS, RUNNING], settings)


@pytest.mark.parametrize(
    ("code", "rows"),
    [
        ("no-running-turn", ROWS),
        ("unanswered-turns", [replace(ROWS[0], answer="", answer_tokens=0), ROWS[1], RUNNING]),
        ("two-users-in-a-row", [replace(ROWS[0], answer="", answer_tokens=0), ROWS[1], RUNNING]),
        ("think-in-history", [replace(ROWS[0], answer="<think>hm</think>a"), RUNNING]),
        ("thread-cut", [ROWS[0], replace(ROWS[1], parent_message_id=None), RUNNING]),
        ("parent-missing", [replace(ROWS[1], parent_message_id="gone"), RUNNING]),
        (
            "parent-cycle",
            [replace(ROWS[0], parent_message_id="r2"), replace(ROWS[1], parent_message_id="r1")],
        ),
        (
            "history-raises",
            [replace(ROWS[0], files=(MemoryFile("image"),), file_config_missing=True), RUNNING],
        ),
        (
            "other-branch",
            [
                replace(ROWS[0], parent_message_id=None),
                replace(ROWS[1], parent_message_id="r1"),
                replace(ROWS[2], parent_message_id="r1"),
                replace(RUNNING, parent_message_id="r2"),
            ],
        ),
        (
            "wrong-root",
            [
                replace(ROWS[0], parent_message_id=None),
                replace(ROWS[1], parent_message_id=None),
                replace(ROWS[2], parent_message_id="r1"),
            ],
        ),
        (
            "wrong-root",
            [
                replace(ROWS[0], parent_message_id=None),
                replace(ROWS[1], parent_message_id="gone"),
                replace(RUNNING, parent_message_id="r2"),
            ],
        ),
    ],
)
def test_rows_that_are_told(code: str, rows: list[Row]) -> None:
    assert code in codes(rows, QUIET)


def test_the_remedy_of_an_orphan_is_true() -> None:
    settings = replace(QUIET, counter=TENS, budget=30)
    told = next(n for n in notices(simulate(ROWS, settings)) if n.code == "orphaned-answer")
    assert "A budget of 40 keeps the question, one below 30 drops the answer too." in told.message
    assert simulate(ROWS, replace(settings, budget=40)).messages[0].role == "user"
    assert simulate(ROWS, replace(settings, budget=29)).messages[0].role == "user"
