"""What an invocation answers: rounds, calls, attempts, failures."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kernels.world.pure import load

turns = load("turns")


def one(entry: Any, times: int = 1, rounds: tuple[int, ...] = ()) -> Any:
    """The turn of the last of so many invocations."""
    counted = turns.Turns({"nodes": {"n": entry}})
    for _ in range(times):
        turn = counted.next("llm", "n", rounds)
    return turn


@pytest.mark.parametrize(
    ("fail", "failing"),
    [
        (True, {1, 2, 3, 4}),
        (False, set()),
        (2, {2}),
        ([1, 3], {1, 3}),
        ({"attempts": [2]}, {2}),
        ({"attempts": 2}, {2}),
        ({"error": "always"}, {1, 2, 3, 4}),
    ],
)
def test_attempts_are_counted_over_the_run(fail: Any, failing: set[int]) -> None:
    counted = turns.Turns({"nodes": {"n": {"fail": fail}}})
    found = {attempt for attempt in range(1, 5) if counted.next("llm", "n", (attempt - 1,)).failure}
    assert found == failing


def test_a_failure_says_how() -> None:
    failure = one({"fail": {"after_chunks": 2, "error": "e", "error_type": "T"}}).failure
    assert (failure.after_chunks, failure.error, failure.error_type) == (2, "e", "T")


def test_calls_take_turns_and_the_last_one_stays() -> None:
    entry = {"text": "base", "delay": 1, "calls": [{"text": "first"}, {"chunks": ["se", "cond"]}]}
    assert [one(entry, times).text() for times in (1, 2, 3)] == ["first", "second", "second"]
    assert one(entry, 3).delay == 1


def test_rounds_by_list_and_by_number() -> None:
    listed = {"text": "base", "rounds": [{"text": "zero"}, None, "two"]}
    assert [one(listed, 1, (r,)).text() for r in range(4)] == ["zero", "base", "two", "base"]
    named = {"text": "base", "rounds": {"1": {"text": "one"}, "2.0": {"text": "inner"}}}
    assert one(named, 1, (1,)).text() == "one"
    assert one(named, 1, (2, 0)).text() == "inner"
    assert one(named, 1, (5, 1)).text() == "one"
    assert one(named, 1, ()).text() == "base"


def test_a_round_that_answers_hides_the_whole_usual_answer() -> None:
    turn = one({"text": "base", "json": {"a": 1}, "delay": 2, "rounds": [{"json": {"b": 2}}]}, 1, (0,))
    assert turn.entry == {"json": {"b": 2}, "delay": 2}


def test_attempts_of_a_scripted_round_are_counted_there() -> None:
    counted = turns.Turns({"nodes": {"n": {"fail": [1], "rounds": {"1": {"fail": [2]}}}}})
    met = [(r, counted.next("llm", "n", (r,)).failure is not None) for r in (0, 1, 1, 1)]
    assert met == [(0, True), (1, False), (1, True), (1, False)]


def test_chunks_have_waits() -> None:
    chunks = one({"delay": 3, "chunks": ["a", {"text": "b", "wait": 1}, "c"]}).chunks()
    assert [(chunk.text, chunk.wait) for chunk in chunks] == [("a", 0), ("b", 1), ("c", 3)]


def test_an_answer_in_one_piece_waits_before() -> None:
    assert [chunk.wait for chunk in one({"delay": 3, "text": "a"}).chunks()] == [3]


def test_defaults_of_a_type_lie_below() -> None:
    counted = turns.Turns({"defaults": {"llm": {"delay": 1, "text": "d"}}, "nodes": {"n": {"text": "own"}}})
    turn = counted.next("llm", "n")
    assert (turn.text(), turn.delay) == ("own", 1)
    assert counted.next("tool", "n").delay == 0
    assert counted.next("llm", "other").text() == "d"
