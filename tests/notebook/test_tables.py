"""Tables: what they show, and what they become."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

import pytest

from tests.notebook.hostile import assert_harmless
from workbench.errors import UsageError
from workbench.notebook import Column, Run, Table
from workbench.notebook.tables import SHOWN, moment

WHEN = datetime(2026, 12, 1, 3, 30, 0, 250_000, UTC)
EVERY = Table(
    "things",
    (
        Column("text"),
        Column("count", "int"),
        Column("took", "float", "s"),
        Column("good", "bool"),
        Column("at", "time"),
        Column("data", "any"),
    ),
    (
        ("a", 1, 0.5, True, WHEN, {"x": [1, "ü"]}),
        (None,) * 6,
        ("\ud800", 2**40, 1.0, False, WHEN, "s\udfff"),
    ),
)


def test_a_data_frame_has_the_column_s_types() -> None:
    frame = EVERY.to_pandas()
    assert [str(kind) for kind in frame.dtypes][:4] == ["string", "Int64", "Float64", "boolean"]
    assert "UTC" in str(frame.dtypes["at"])
    assert frame["at"][0] == WHEN
    assert frame["data"][0] == {"x": [1, "ü"]}
    assert frame["count"].sum() == 1 + 2**40
    assert frame["text"][2] == "?"
    assert frame.iloc[1].isna().all()


def test_an_arrow_table_has_the_column_s_types() -> None:
    table = EVERY.to_arrow()
    assert [str(field.type) for field in table.schema] == [
        "string", "int64", "double", "bool", "timestamp[ms, tz=UTC]", "string",
    ]  # fmt: skip
    rows = table.to_pylist()
    assert rows[0]["data"] == '{"x": [1, "ü"]}'
    assert rows[0]["at"] == WHEN
    assert set(rows[1].values()) == {None}
    assert (rows[2]["text"], rows[2]["data"]) == ("?", '"s?"')


def test_an_empty_table_keeps_its_columns() -> None:
    empty = EVERY[:0]
    assert len(empty) == 0
    assert list(empty.to_pandas().columns) == [each.name for each in EVERY.columns]
    assert empty.to_arrow().num_rows == 0
    assert repr(empty) == "0 things\ntext  count  took (s)  good  at  data"


@pytest.mark.parametrize("module", ["pandas", "pyarrow"])
def test_without_the_library_it_is_said_what_to_install(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    convert = EVERY.to_pandas if module == "pandas" else EVERY.to_arrow
    with pytest.raises(UsageError, match=r"answer-workbench\[notebook\]"):
        convert()


def test_rows_are_dictionaries_and_columns_tuples() -> None:
    assert EVERY[0]["count"] == 1
    assert [row["count"] for row in EVERY] == [1, None, 2**40]
    assert EVERY.column("good") == (True, None, False)
    with pytest.raises(UsageError, match="There is no column 'colour'"):
        EVERY.column("colour")


def test_a_long_table_says_what_it_leaves_out() -> None:
    long = Table("numbers", (Column("n", "int"),), tuple((n,) for n in range(SHOWN + 5)))
    for shown in (repr(long), long._repr_html_()):
        assert "… 5 more" in shown
        assert f">{SHOWN + 1}<" not in shown
    assert len(long.to_pandas()) == SHOWN + 5
    assert "more" not in repr(long[:SHOWN])


def test_a_table_is_text_and_html() -> None:
    told = repr(EVERY).split("\n")
    assert told[0] == "3 things"
    assert told[1].split() == ["text", "count", "took", "(s)", "good", "at", "data"]
    assert told[2].split() == ["a", "1", "0.500", "true", "2026-12-01", "03:30:00", '{"x":', "[1,", '"ü"]}']
    assert "<U+D800>" in told[4]
    assert_harmless(EVERY._repr_html_())


def test_times_are_rounded_to_milliseconds() -> None:
    assert moment(1_764_560_000.123_456) == datetime(2025, 12, 1, 3, 33, 20, 123_000, UTC)
    assert moment(None) is None


@pytest.mark.kernel
def test_the_tables_of_a_run(paused: Run) -> None:
    events = paused.events.to_pandas()
    assert list(events["step"]) == list(range(1, paused.row.steps + 1))
    assert events["seconds"][0] == 0
    assert events["seconds"].is_monotonic_increasing
    assert events["kind"].iloc[-1] == "GraphRunPaused"
    nodes = paused.nodes.to_arrow()
    assert nodes.column("first_step").to_pylist() == [2, 5, 9]
    assert nodes.column("tokens").to_pylist() == [0, 0, 0]
    assert paused.bench.runs().to_arrow().column("run_id").to_pylist() == [paused.id]
    assert len(paused.why().to_pandas()) == len(paused.why())
    assert paused.at(1).diff(paused.at(3)).to_arrow().num_rows > 0
