"""Two things side by side: the rows say what the changes say, and nodes are aligned by how often they ran."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from workbench.core.aligned import ABSENT, Facts, Row, merged, rows, shared_beginning
from workbench.core.diff import diff
from workbench.core.places import Place, Places, places

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, "", "a", "b"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("xy"), inner, max_size=2),
    max_leaves=4,
)
NAMES = st.sampled_from(["a", "b", "c"])
EDGES = st.lists(st.sampled_from(["e1", "e2", "e3"]), unique=True, max_size=3)
RUNS = st.fixed_dictionaries(
    {
        "status": st.sampled_from(["succeeded", "failed"]),
        "streamed": st.sampled_from(["", "hi", "hi you"]),
        "chunks": st.lists(st.sampled_from(["hi", " you"]), max_size=2),
        "stream_error": st.none() | st.just("closed"),
        "outputs": st.dictionaries(NAMES, VALUES, max_size=2),
        "path": EDGES,
        "nodes": st.dictionaries(
            NAMES,
            st.lists(st.fixed_dictionaries({"status": NAMES, "outputs": VALUES}), min_size=1, max_size=2),
            max_size=2,
        ),
        "variables": st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, max_size=2), max_size=2),
    }
)
STATES = st.sampled_from(["unknown", "taken", "skipped"])
STEPS = st.fixed_dictionaries(
    {
        "gate": st.dictionaries(NAMES, VALUES, max_size=2),
        "nodes": st.dictionaries(NAMES, STATES, max_size=2),
        "edges": st.dictionaries(NAMES, STATES, max_size=2),
        "status": st.dictionaries(NAMES, st.just("running"), max_size=2),
        "variables": st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, max_size=2), max_size=2),
        "streamed": st.sampled_from(["", "hi"]),
        "stream_error": st.none() | st.just("closed"),
        "answers": st.dictionaries(NAMES, st.sampled_from(["locked", "done"]), max_size=2),
    }
)
APPS = st.fixed_dictionaries(
    {
        "name": NAMES,
        "mode": NAMES,
        "nodes": st.dictionaries(NAMES, VALUES, max_size=2),
        "edges": st.dictionaries(NAMES, VALUES, max_size=2),
        "environment_variables": st.lists(VALUES, max_size=2),
        "conversation_variables": st.lists(VALUES, max_size=2),
        "features": st.dictionaries(NAMES, VALUES, max_size=2),
    }
)
PAIRS = st.one_of(
    st.tuples(st.just("run"), RUNS, RUNS),
    st.tuples(st.just("step"), STEPS, STEPS),
    st.tuples(st.just("app"), APPS, APPS),
    st.tuples(st.just("runtime-state"), VALUES, VALUES),
)


@given(PAIRS)
def test_all_counted_rows_are_equal_just_when_nothing_changed(pair: tuple[str, Any, Any]) -> None:
    view, before, after = pair
    changes = diff(before, after)
    found = rows(view, before, after, changes)
    assert all(row.equal for row in found if row.counted) == (not changes), (changes, found)
    for row in found:
        assert row.before == row.after or not row.equal
        assert row.before is not ABSENT or row.after is not ABSENT


@given(PAIRS)
def test_a_thing_beside_itself_is_equal_in_every_row(pair: tuple[str, Any, Any]) -> None:
    view, before, _ = pair
    assert all(row.equal for row in rows(view, before, before, ()))


def run(nodes: dict[str, list[dict[str, Any]]], **more: Any) -> dict[str, Any]:
    view: dict[str, Any] = {
        "status": "succeeded",
        "streamed": "",
        "chunks": [],
        "stream_error": None,
        "outputs": {},
        "path": [],
        "nodes": nodes,
        "variables": {},
    }
    return view | more


def found(before: Any, after: Any, facts: tuple[Facts, Facts] = (Facts(), Facts())) -> tuple[Row, ...]:
    return rows("run", before, after, diff(before, after), facts)


def test_a_second_round_stands_beside_the_second_round() -> None:
    one, two = {"status": "succeeded"}, {"status": "failed"}
    before, after = run({"llm": [one, one]}), run({"llm": [one, two, one]})
    told = [(r.what, r.occurrence, r.before, r.after) for r in found(before, after) if r.kind == "node"]
    assert told == [("llm #1", 0, one, one), ("llm #2", 1, one, two), ("llm #3", 2, ABSENT, one)]


def test_rows_know_where_both_sides_came_about() -> None:
    events = [
        {"kind": "NodeRunSucceeded", "node": "llm", "outputs": {"text": "hi"}},
        {"kind": "GraphEdgeTaken", "edge": "e1"},
        {"kind": "NodeRunVariableUpdated", "node": "set", "selector": ["conversation", "topic"]},
    ]
    known = places(
        ((Place("r1", at), event) for at, event in enumerate(events, 1)), [(2, Place("r1", 1))], None
    )
    view = run(
        {"llm": [{"status": "succeeded"}]},
        path=["e1"],
        variables={"llm": {"text": "hi"}, "conversation": {"topic": "x"}},
        streamed="hi",
    )
    by_what = {(r.kind, r.what): r.places for r in found(view, view, (Facts(places=known), Facts()))}
    assert by_what["node", "llm"] == (Place("r1", 1), None)
    assert by_what["path", "e1"] == (Place("r1", 2), None)
    assert by_what["variable", "conversation.topic"] == (Place("r1", 3), None)
    assert by_what["variable", "llm.text"] == (Place("r1", 1), None)
    assert by_what["text", "streamed text"] == (Place("r1", 1), None)


def test_the_place_of_a_text_is_where_it_first_differs() -> None:
    known = Places(streamed=[(5, Place("r", 3)), (9, Place("r", 7))], last=Place("r", 9))
    assert known.of_text(0) == Place("r", 3)
    assert known.of_text(5) == Place("r", 7)
    assert known.of_text(9) == Place("r", 7)
    assert Places(last=Place("r", 9)).of_text(0) == Place("r", 9)


def test_timing_and_findings_stand_beside_and_make_nothing_unequal() -> None:
    slow = {"seconds": 9.0, "tokens": 5, "nodes": {"llm": [{"seconds": 9.0, "tokens": 5}]}}
    fast = {"seconds": 1.0, "tokens": 5, "nodes": {"llm": [{"seconds": 1.0, "tokens": 5}]}}
    finding = (("answer-replayed", "answer", "It repeats."), Place("r", 4))
    view = run({})
    both = found(view, view, (Facts(timing=slow, findings=[finding]), Facts(timing=fast)))
    beside = [row for row in both if not row.counted]
    assert {row.kind for row in beside} == {"timing", "finding"}
    assert not any(row.equal for row in beside)
    assert all(row.equal for row in both if row.counted)


def test_edges_of_two_runs_are_told_in_the_order_in_which_they_were_taken() -> None:
    taken = Places(taken={"b": Place("r", 1), "a": Place("r", 2)})
    told = found(run({}, path=["a", "b"]), run({}, path=["a", "c"]), (Facts(places=taken), Facts()))
    assert [(r.what, r.before, r.after) for r in told if r.kind == "path"] == [
        ("b", "taken", "not taken"),
        ("a", "taken", "taken"),
        ("c", "not taken", "taken"),
    ]


@given(st.lists(st.integers(0, 9), unique=True), st.lists(st.integers(0, 9), unique=True))
def test_two_orders_in_one_lose_nothing_and_keep_the_first(first: list[int], second: list[int]) -> None:
    both = merged(first, second)
    assert sorted(both) == sorted({*first, *second})
    assert [each for each in both if each in first] == first


@given(st.text("ab", max_size=8), st.text("ab", max_size=8))
def test_a_shared_beginning(before: str, after: str) -> None:
    length = shared_beginning(before, after)
    assert before[:length] == after[:length]
    assert before[length : length + 1] != after[length : length + 1] or length == len(before) == len(after)
