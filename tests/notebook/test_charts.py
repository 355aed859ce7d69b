"""Pictures of a run: what is drawn, and that it needs no network and no script."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from workbench import Workbench
from workbench.errors import UsageError
from workbench.notebook import Run
from workbench.notebook.charts import Clock

pytestmark = pytest.mark.kernel
LLM = Path(__file__).resolve().parents[2] / "fixtures" / "nodes" / "llm"


def words(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def test_the_timeline_has_a_bar_a_node_execution_in_their_order(paused: Run) -> None:
    picture = paused.timeline_chart()
    told = words(picture.svg)
    assert [told.index(title) for title in ("Start", "Above 100?", "Ask the team lead")] == sorted(
        told.index(title) for title in ("Start", "Above 100?", "Ask the team lead")
    )
    assert {"milliseconds since the first event", "succeeded", "paused"} <= set(told)
    rows = picture.chart.to_dict()["data"]["values"]
    assert [row["node"] for row in rows] == ["Start", "Above 100?", "Ask the team lead"]
    assert all(row["end"] >= row["start"] >= 0 for row in rows)


def test_pauses_are_left_out_of_the_time(paused: Run) -> None:
    assert paused.pause is not None
    done = paused.pause.resume(action="approve")
    clock = Clock.of(done)
    assert len(clock.pauses) == 1
    began, took = clock.pauses[0]
    assert took > 0.01
    assert clock(began) == clock(began + took / 2) == clock(began + took)
    assert done.events[-1]["seconds"] == clock.last
    assert clock(clock.last) == pytest.approx((clock.last - took) * clock.scale, abs=0.01)
    assert "milliseconds since the first event, pauses left out" in words(done.timeline_chart().svg)
    assert Clock(((1.0, 5.0), (8.0, 100.0)), 110.0)(109.0) == 4.0
    assert Clock((), 3.0).title == "seconds since the first event"


def test_the_tokens_of_each_node(wb: Workbench) -> None:
    run = wb.run(LLM / "app.yml", "hi", script=LLM / "script.yml")
    spent = {row["node_id"]: row["tokens"] for row in run.nodes if row["tokens"]}
    rows = run.tokens_chart().chart.to_dict()["data"]["values"]
    assert sum(row["tokens"] for row in rows) == sum(spent.values()) == run.total_tokens > 0
    assert "tokens" in words(run.tokens_chart().svg)


def test_a_run_without_tokens_says_so(paused: Run) -> None:
    assert paused.tokens_chart().title.endswith("none were used")
    assert "<svg" in paused.tokens_chart().svg


def test_the_picture_is_an_svg_that_asks_for_nothing(paused: Run, tmp_path: Path) -> None:
    picture = paused.timeline_chart()
    shown = picture._repr_mimebundle_()
    assert set(shown) == {"image/svg+xml", "text/plain"}
    svg = shown["image/svg+xml"]
    assert not re.findall(r"(?:href|src)\s*=|url\(|<script|@import", svg)
    assert 'fill="white"' not in svg
    assert repr(picture) == f"Timeline of run {paused.id}"
    assert picture.save(tmp_path / "t.svg").read_text(encoding="utf-8").startswith("<svg")
    assert picture.save(tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("module", ["altair", "vl_convert"])
def test_without_the_library_it_is_said_what_to_install(
    paused: Run, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match=r"answer-workbench\[notebook\]"):
        _ = paused.timeline_chart().svg
