"""`wb.memory`: the same as the command line tells, as an object."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tui.test_hostile_text import ODD
from workbench import Workbench
from workbench.errors import UsageError
from workbench.records.conversation import NIL


@pytest.fixture
def wb(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path / "store.duckdb")


def write(path: Path, texts: list[str]) -> Path:
    rows = [
        {"id": f"m{n}", "parent_message_id": NIL, "created_at": n + 1, "query": text, "answer": text}
        for n, text in enumerate(texts)
    ]
    path.write_text(json.dumps(rows))
    return path


def test_settings_are_moved_and_the_first_object_stays(wb: Workbench, tmp_path: Path) -> None:
    memory = wb.memory(write(tmp_path / "chat.json", [f"text {n}" for n in range(6)]), turn=6)
    narrow = memory.with_(window=2)
    assert len(memory.kept) == 5
    assert narrow.kept == ("m4",)
    assert narrow.matrix[-1] == "····█▸"
    assert memory.binding == "none"
    assert narrow.binding == "window"
    with pytest.raises(UsageError):
        memory.with_(counter="gpt9")
    with pytest.raises(UsageError):
        memory.with_(turn=7)


def test_hostile_texts_are_escaped(wb: Workbench, tmp_path: Path) -> None:
    texts = [*ODD, "<script>alert(1)</script>", "</pre><img src=x onerror=alert(1)>"]
    shown = wb.memory(write(tmp_path / "odd.json", texts), turn=len(texts))._repr_html_()
    assert "<script" not in shown
    assert "<img" not in shown
    assert "&lt;script&gt;" in shown


def test_tables(wb: Workbench, tmp_path: Path) -> None:
    memory = wb.memory(write(tmp_path / "chat.json", ["a", "b", "c"]), turn=3, counter="chars")
    assert [row["stage"] for row in memory.table] == ["kept", "kept", "running"]
    assert list(memory.to_pandas()["tokens"]) == [2, 2, 1]


def test_a_sweep_is_a_table_with_charts_and_the_smallest_that_keeps(wb: Workbench, tmp_path: Path) -> None:
    folder = tmp_path / "chats"
    folder.mkdir()
    for name in ("a", "b"):
        write(folder / f"{name}.json", [f"text {n}" for n in range(6)])
    (folder / "broken.json").write_text("{")
    sweep = wb.memory_sweep(
        folder, windows=[None, 2, 4], budgets=[None, 10], keep="text 3", counter="chars", price=2.0
    )
    assert [(row["window"], row["budget"]) for row in sweep.table][:3] == [
        (None, None),
        (None, 10),
        (2, None),
    ]
    by_setting = {(point.window, point.budget): point for point in sweep.points}
    assert by_setting[None, None].holds
    assert not by_setting[2, None].holds
    assert by_setting[None, None].total_tokens > by_setting[2, None].total_tokens
    assert sweep.smallest is not None
    assert [name for name, _ in sweep.unread] == ["broken.json"]
    assert list(sweep.to_pandas()["window"].isna())[:3] == [True, True, False]
    for chart in (sweep.tokens_chart(), sweep.turns_chart()):
        assert chart.svg.startswith("<svg")
        assert "window (rows)" in chart.svg
    with pytest.raises(UsageError, match="no setting 'windw'"):
        wb.memory_sweep(folder, windw=3)
    with pytest.raises(UsageError, match="no conversation"):
        wb.memory_sweep()
    with pytest.raises(UsageError, match="0 is none of the windows"):
        wb.memory_sweep(folder, windows=[2, 0])
    with pytest.raises(UsageError, match="no budgets"):
        wb.memory_sweep(folder, budgets=[])
    for wrong, told in (
        ({"price": float("nan")}, "no price"),
        ({"keep": ""}, "no text to keep"),
        ({"node": "llm"}, "A node needs its app"),
        ({"context": -5}, "context can't be -5"),
    ):
        with pytest.raises(UsageError, match=told):
            wb.memory_sweep(folder, **wrong)
    (tmp_path / "nothing").mkdir()
    with pytest.raises(UsageError, match="no conversation in"):
        wb.memory_sweep(tmp_path / "nothing")
    assert len(wb.memory_sweep(folder, windows=(each for each in (2, 4))).points) == 2


def test_a_setting_that_is_none_is_told(wb: Workbench, tmp_path: Path) -> None:
    write(tmp_path / "chat.json", ["text"])
    with pytest.raises(UsageError, match="no setting 'windw'"):
        wb.memory(tmp_path / "chat.json", windw=3)
    for wrong in ({"window": "x"}, {"budget": -1}, {"turn": True}, {"counter": 3}):
        with pytest.raises(UsageError, match="can't be"):
            wb.memory(tmp_path / "chat.json", **wrong)
