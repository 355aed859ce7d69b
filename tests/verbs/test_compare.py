"""Where engine kernels disagree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from workbench.core.graph import Graph, Node
from workbench.verbs.causes import NO_PAUSE, OWN_COUNT, PIECES, ROUNDS, cause
from workbench.verbs.compare import differences
from workbench.verbs.results import PauseInfo, RunResult

NEWEST = RunResult(
    run_id="a",
    app="App",
    mode="advanced-chat",
    status="succeeded",
    kernel="graphon-0.8",
    answer="abc",
    outputs={"answer": "abc"},
    chunks=("a", "bc"),
    steps=9,
)


def other(kernel: str, **changes: Any) -> RunResult:
    return replace(NEWEST, run_id=kernel, kernel=kernel, **changes)


def test_ids_and_steps_are_no_differences() -> None:
    assert differences([NEWEST, other("graphon-0.7", steps=12)]) == ()
    assert differences([NEWEST]) == ()
    assert differences([]) == ()


def test_kernels_that_share_a_value_are_told_together() -> None:
    changed = {"answer": "x", "outputs": {"answer": "x"}}
    found = differences([NEWEST, other("graphon-0.7", **changed), other("graphon-0.6", **changed)])
    assert [(each.kernels, each.what) for each in found] == [
        (("graphon-0.7", "graphon-0.6"), 'answer: "x" instead of "abc" on graphon-0.8.')
    ]


def test_the_same_text_in_other_pieces_has_a_known_cause() -> None:
    found = differences([NEWEST, other("graphon-0.5", chunks=("abc",))])
    assert [each.cause for each in found] == [PIECES]


def test_long_values_are_compared_whole_and_shown_cut() -> None:
    long = "x" * 300
    found = differences([NEWEST, other("graphon-0.7", error=long), other("graphon-0.6", error=long + "y")])
    assert [each.kernels for each in found] == [("graphon-0.7",), ("graphon-0.6",)]
    assert len(found[0].what) < 300


def test_known_causes_fit_only_where_they_apply() -> None:
    partial = other("graphon-0.8", status="partial-succeeded")
    looped = Graph({"loop": Node("loop", "loop", "Loop", "container")}, {}, "start")
    assert cause("status", partial, other("graphon-0.6"), looped) == OWN_COUNT
    assert cause("status", partial, other("graphon-0.6")) is None
    assert cause("status", partial, other("graphon-0.7"), looped) is None
    assert cause("answer", NEWEST, other("graphon-0.7", answer="x"), looped) == ROUNDS
    assert cause("answer", other("graphon-0.7"), other("graphon-0.6", answer="x"), looped) is None
    refused = other("graphon-0.5", status="failed", error="graphon 0.5 does not pause inside loop 'l'.")
    assert cause("status", NEWEST, refused) == NO_PAUSE


def test_a_form_id_is_no_difference_but_a_field_is() -> None:
    def paused(kernel: str, form: str, *fields: str) -> RunResult:
        reason = {
            "type": "human_input_required",
            "node_id": "hum",
            "form_id": form,
            "fields": [{"name": name} for name in fields],
        }
        return other(kernel, status="paused", pause=PauseInfo(form, (reason,)))

    first = paused("graphon-0.8", "f1", "note")
    assert differences([first, paused("graphon-0.7", "f2", "note")]) == ()
    assert [each.what[:5] for each in differences([first, paused("graphon-0.7", "f2")])] == ["pause"]
