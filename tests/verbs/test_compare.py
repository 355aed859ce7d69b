"""Where engine kernels disagree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

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
        (("graphon-0.7", "graphon-0.6"), "answer: 'x' instead of 'abc' on graphon-0.8.")
    ]


def test_the_same_text_in_other_pieces_has_a_known_cause() -> None:
    found = differences([NEWEST, other("graphon-0.5", chunks=("abc",))])
    assert len(found) == 1
    assert found[0].cause is not None
    assert found[0].cause.startswith("The same text in other pieces")


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
