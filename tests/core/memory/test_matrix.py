"""The matrix against one simulation a turn."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.memory.test_sweep import COUNTERS, SETTINGS, conversations
from workbench.core.memory.matrix import matrix
from workbench.core.memory.settings import FORMS, Form, Settings
from workbench.core.memory.simulation import Message, Simulation, simulate
from workbench.core.memory.sweep import prepare
from workbench.core.memory.thread import at_turn
from workbench.records.conversation import Row


def cells(result: Simulation) -> list[str]:
    own: dict[str, list[Message]] = {}
    for message in result.history:
        own.setdefault(message.row, []).append(message)
    found = []
    for each in result.rows:
        stages = ["pruned" if m.stage == "budget-pruned" else "kept" for m in own.get(each.row.id, [])]
        if stages:
            found.append(
                {"kept kept": "kept", "pruned kept": "answer-only", "pruned pruned": "budget-pruned"}[
                    " ".join(stages)
                ]
            )
        else:
            found.append(each.stage)
    return found


@settings(max_examples=300, deadline=None)
@given(conversations(), SETTINGS, st.sampled_from(FORMS))
def test_every_cell_is_what_the_simulation_of_that_turn_says(
    rows: list[Row], given_: Settings, form: Form
) -> None:
    chosen = replace(given_, form=form, counter=COUNTERS[1])
    lines = matrix(list(prepare(rows, form, COUNTERS[1])), chosen)
    assert len(lines) == len(rows)
    for turn, line in enumerate(lines, start=1):
        expected = cells(simulate(at_turn(rows, turn), chosen))
        if form == "A":
            # The query itself leaves unanswered rows out there; the matrix calls them off the branch.
            expected = ["off-branch" if cell == "empty-filtered" else cell for cell in expected]
        assert list(line) == expected, (turn, form)
