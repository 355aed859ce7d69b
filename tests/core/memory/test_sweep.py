"""The sweep and the smallest settings, against one simulation after the other."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.memory.settings import FORMS, PRUNES, Form, Prune, Settings, rows_read
from workbench.core.memory.simulation import Simulation, simulate
from workbench.core.memory.sweep import needs_of, prepare, smallest, sweep
from workbench.core.memory.thread import at_turn
from workbench.core.tokens import Counter, counter
from workbench.records.conversation import NIL, Row

# The newest message may cost something else than when another follows it: as with the OpenAI plugin's rule.
COUNTERS = (counter("dify-default"), Counter("letters", "", 3, lambda role, text, last: len(text) + 2 * last))


@st.composite
def conversations(draw: st.DrawFn) -> list[Row]:
    rows: list[Row] = []
    for number in range(draw(st.integers(0, 12))):
        parents = [None, NIL, "missing", *(row.id for row in rows), *([rows[-1].id] * 6 if rows else [])]
        answer = draw(st.sampled_from(["", "yes", "a long answer", "b"]))
        rows.append(
            Row(
                f"m{number}",
                draw(st.sampled_from(["", "why", "tell me more of it"])),
                answer,
                float(number),
                draw(st.sampled_from(parents)),
                draw(st.sampled_from([None, 0, 5])) if not answer else 5,
            )
        )
    return rows


SETTINGS = st.builds(
    Settings,
    window_enabled=st.just(True),
    window_size=st.sampled_from([None, 1, 2, 3, 5, 9, 600]),
    budget=st.integers(0, 120),
    prune=st.sampled_from(PRUNES),
)


def kept_rows(result: Simulation) -> list[str]:
    """Messages that pruning left, the empty ones that the prompt drops afterwards included."""
    return [f"{m.row} {m.role}" for m in result.left]


@settings(max_examples=300, deadline=None)
@given(
    conversations(),
    st.lists(SETTINGS, min_size=1, max_size=4),
    st.sampled_from(FORMS),
    st.sampled_from(COUNTERS),
)
def test_a_sweep_is_one_simulation_after_the_other(
    rows: list[Row], grid: list[Settings], form: Form, rule: Counter
) -> None:
    turns = list(prepare(rows, form, rule))
    for each in grid:
        for outcome in sweep(turns, each):
            setting = replace(each, form=form, counter=rule)
            plain = simulate(at_turn(rows, outcome.turn), setting)
            assert (outcome.messages, outcome.tokens) == (len(kept_rows(plain)), plain.used)


@settings(max_examples=300, deadline=None)
@given(conversations(), SETTINGS, st.sampled_from(FORMS), st.integers(0, 40))
def test_a_bigger_budget_or_window_never_keeps_less(
    rows: list[Row], given_: Settings, form: Form, more: int
) -> None:
    small = replace(given_, form=form, counter=COUNTERS[1])
    bigger = replace(small, budget=(small.budget or 0) + more)
    wider = replace(small, window_size=None)
    kept = kept_rows(simulate(rows, small))
    assert kept == kept_rows(simulate(rows, bigger))[-len(kept) :] or not kept
    assert len(kept_rows(simulate(rows, wider))) >= len(kept)
    assert len(kept) <= 2 * rows_read(small)


@settings(max_examples=300, deadline=None)
@given(
    conversations(), st.sampled_from(PRUNES), st.sampled_from(FORMS), st.sampled_from(["why", "yes", "long"])
)
def test_the_smallest_settings_keep_it_and_smaller_ones_do_not(
    rows: list[Row], prune: Prune, form: Form, text: str
) -> None:
    rule = COUNTERS[1]
    turns = list(prepare(rows, form, rule))
    needs = needs_of(rows, text, range(1, len(rows) + 1))
    found = smallest(turns, needs, prune)
    base = Settings(window_enabled=True, counter=rule, prune=prune, form=form)

    def holds(window: int, budget: int) -> bool:
        for need in needs:
            if need in found.impossible:
                continue
            result = simulate(at_turn(rows, need.turn), replace(base, window_size=window, budget=budget))
            wanted = f"{rows[need.place].id} {'assistant' if need.answer else 'user'}"
            if wanted not in kept_rows(result):
                return False
        return True

    if found.decides_window is None:
        return
    assert holds(found.window, found.budget)
    if found.window > 1:
        assert not holds(found.window - 1, found.budget)
    if found.budget > 0:
        assert not holds(found.window, found.budget - 1)


@given(conversations(), SETTINGS, st.sampled_from(FORMS))
def test_order_is_kept_and_every_row_has_a_stage(rows: list[Row], given_: Settings, form: Form) -> None:
    result = simulate(rows, replace(given_, form=form, counter=COUNTERS[1]))
    assert [each.row.id for each in result.rows] == [row.id for row in rows]
    turns = [message.turn for message in result.messages]
    assert turns == sorted(turns)
