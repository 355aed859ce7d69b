"""Lists, searches, and ids by their beginnings."""

from __future__ import annotations

import pytest

from tests.store.making import App, Ended, begin, finished_run, paused_run
from workbench.errors import NotFoundError, UsageError
from workbench.store import Ref, Store


@pytest.fixture
def full(store: Store) -> Store:
    """Three runs of two apps."""
    finished_run(store, "aaa-1", app_name="Refunds", app_id="1" * 32)
    finished_run(
        store,
        "aab-2",
        Ended("failed", {}, "Model gave up: Überlast"),
        app_name="Parcels [red]",
        app_id="2" * 32,
        inputs={"city": "Köln", "tags": ["urgent", {"deep": "Straße"}]},
        mode="workflow",
    )
    paused_run(store, "bbb-3")
    return store


def ids(store: Store, **filters: object) -> list[str]:
    return [row.run_id for row in store.runs(**filters)]  # type: ignore[arg-type]


def test_newest_first_and_limited(full: Store) -> None:
    assert ids(full) == ["bbb-3", "aab-2", "aaa-1"]
    assert ids(full, limit=2) == ["bbb-3", "aab-2"]
    assert ids(full, limit=0) == []


def test_by_status_and_app(full: Store) -> None:
    assert ids(full, status="paused") == ["bbb-3"]
    assert ids(full, status="running") == []
    assert ids(full, app="Refunds") == ["bbb-3", "aaa-1"]
    assert ids(full, app="2" * 32) == ["aab-2"]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("parcels", ["aab-2"]),
        ("PARCELS [RED]", ["aab-2"]),
        ("köln", ["aab-2"]),
        ("STRASSE", ["aab-2"]),  # casefolded on both sides
        ("überlast", ["aab-2"]),
        ("goodbye", ["aaa-1"]),
        ("where parcel", ["bbb-3", "aab-2", "aaa-1"]),  # the query of all three
        ("ask", ["bbb-3"]),  # a node's title
        ("aab", ["aab-2"]),
        ("failed", ["aab-2"]),
        ("failed refunds", []),
        ("graphon-0.8", ["bbb-3", "aab-2", "aaa-1"]),
        ("%", []),
        ("_", []),
        ("'; DROP TABLE workflow_runs; --", []),
        ("", ["bbb-3", "aab-2", "aaa-1"]),
        ("\ud800", []),
    ],
)
def test_search(full: Store, search: str, found: list[str]) -> None:
    assert ids(full, search=search) == found


def test_search_and_filters_together(full: Store) -> None:
    assert ids(full, search="where", status="failed", app="Parcels [red]") == ["aab-2"]


def test_long_texts_are_searched_at_their_beginning(store: Store) -> None:
    finished_run(store, "long", Ended(outputs={"answer": "needle " + "x " * 50_000 + "hidden"}))
    assert ids(store, search="needle") == ["long"]
    assert ids(store, search="hidden") == []


def test_a_pause_is_found_by_its_id(store: Store) -> None:
    pause_id = paused_run(store)
    assert ids(store, search=pause_id[:13]) == ["run-1"]


def test_ids_by_their_beginning(full: Store) -> None:
    pause_id = full.pauses("bbb-3")[0].pause_id
    app_id = full.put_app(App())
    file_id = full.put_file("sse-capture", b"data: {}", "a.txt", "")
    assert full.resolve("aaa-1") == Ref("run", "aaa-1")
    assert full.resolve(" bb ") == Ref("run", "bbb-3")
    assert full.resolve(pause_id) == full.resolve(pause_id[:12]) == Ref("pause", pause_id)
    assert full.resolve(app_id[:10]) == Ref("app", app_id)
    assert full.resolve(file_id[:10]) == Ref("file", file_id)


def test_a_whole_id_wins_over_longer_ones(store: Store) -> None:
    for run_id in ("run", "run-1", "run-2"):
        finished_run(store, run_id)
    assert store.resolve("run") == Ref("run", "run")


def test_an_ambiguous_beginning_tells_the_candidates(full: Store) -> None:
    with pytest.raises(UsageError) as caught:
        full.resolve("aa")
    assert caught.value.title == "aa is the beginning of 2 ids"
    assert "run aaa-1 (Refunds, succeeded)" in caught.value.cause
    assert "run aab-2 (Parcels [red], failed)" in caught.value.cause
    for number in range(8):
        finished_run(full, f"many-{number}")
    with pytest.raises(UsageError, match=r"(?s)many- is the beginning of 8 ids.*and 2 more"):
        full.resolve("many-")


def test_an_unknown_id_tells_what_looks_alike(full: Store) -> None:
    with pytest.raises(NotFoundError) as caught:
        full.resolve("aaa-7")
    assert "run aaa-1 (Refunds, succeeded)" in caught.value.cause
    with pytest.raises(NotFoundError) as caught:
        full.resolve("nothing like it")
    assert caught.value.cause == ""
    with pytest.raises(UsageError, match="An id is missing"):
        full.resolve("  ")
    with pytest.raises(NotFoundError):
        full.resolve("x\ud800%_'")


def test_interrupted_runs_are_told_in_the_list(store: Store) -> None:
    begin(store, "cut").close()
    (row,) = store.runs()
    assert (row.status, row.interrupted) == ("stopped", True)
